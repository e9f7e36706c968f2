package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/facts/read"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// guestPatience is the time limit of one command that boots machines, or works in them: their CPU may be emulated, and
// the first of them waits for a download of 150 MB.
const guestPatience = 4 * patience

// needGuests skips the test unless guests, and its other kinds, are enabled.
func needGuests(t *testing.T, kinds ...testenv.Kind) {
	t.Helper()
	testenv.Need(t, append(kinds, testenv.Guest)...)
	if _, err := exec.LookPath("qemu-system-x86_64"); err != nil {
		missing(t, "qemu-system-x86_64")
	}
	testenv.Count(t, "system", "Debian's Linux in guests under QEMU", 1)
	needNamespaces(t)
}

// inGuests runs the real program with guests to its end.
func (p *place) inGuests(t testing.TB, args ...string) answer {
	t.Helper()
	return finishWithin(t, p.command(t, args...), guestPatience)
}

// guestLab builds the fabric with one guest, or skips the test with what this machine is missing.
func guestLab(t *testing.T, p *place, fabric string, flags ...string) (*spoiled, lab.Info) {
	t.Helper()
	needGuests(t)
	up := p.inGuests(t, append([]string{"lab", "up", fabric, "--scale", "0.004", "--json"}, flags...)...)
	if _, why, absent := strings.Cut(up.err, "warning: namespaces replace the guests: "); absent {
		missing(t, "what guests are made of: "+why)
	}
	if up.code != 0 {
		t.Fatalf("lab up: %s", up)
	}
	var info lab.Info
	testenv.Check(t, json.Unmarshal([]byte(up.out), &info))
	t.Cleanup(func() { p.linerate(t, "lab", "down", info.ID) })
	return &spoiled{p, info.ID, fabric}, info
}

// One guest and two namespaces, from the boot to the end of all: one boot, because that is slow.
func TestGuest(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/guest.yaml", p.path("guest.yaml"))
	shared := shareFolder(t, p)
	s, info := guestLab(t, p, fabric, "--share", shared)
	if len(info.Guests) != 1 || info.Guests[0].Failed != "" || info.Guests[0].Host != "whole" || len(info.Shaped) != 4 {
		t.Fatalf("the lab: %+v", info)
	}
	t.Logf("boot %.1f s, KVM %v", info.Guests[0].Boot, info.Guests[0].KVM)

	t.Run("exec", func(t *testing.T) {
		if a := p.linerate(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c",
			"echo out; echo err >&2; exit 7"); a.code != 7 || a.out != "out\n" || a.err != "err\n" {
			t.Errorf("streams and exit code: %s", a)
		}
		cmd := p.command(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c", "tr a b; hostname")
		cmd.Stdin = strings.NewReader(strings.Repeat("a", 1<<20))
		if a := finish(t, cmd); a.code != 0 || a.out != strings.Repeat("b", 1<<20)+"whole\n" {
			t.Errorf("1 MiB through a guest: exit code %d, %d bytes, %.200s", a.code, len(a.out), a.err)
		}
		if a := p.linerate(t, "lab", "exec", s.id+"/whole", "--", "no-such-program"); a.code == 0 ||
			!strings.Contains(a.err, "no such program") {
			t.Errorf("a program that is not there: %s", a)
		}
		p.linerate(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c", "kill -9 $$").ends(t, 137)
	})

	t.Run("machine", func(t *testing.T) {
		here := testenv.Must(os.ReadFile("/proc/sys/kernel/random/boot_id"))(t)
		if s.on(t, "whole", "cat", "/proc/sys/kernel/random/boot_id") == string(here) {
			t.Error("the guest is not a machine of its own")
		}
		if got := s.on(t, "whole", "ip", "-br", "addr", "show", "card"); !strings.Contains(got, "UP") ||
			!strings.Contains(got, "10.0.1.1/24") {
			t.Errorf("adapter of the guest: %s", got)
		}
		if got := s.on(t, "whole", "rdma", "link"); !strings.Contains(got, "link rxe0/1 state ACTIVE") ||
			!strings.Contains(got, "netdev rdma") {
			t.Errorf("RDMA of the guest: %s", got)
		}
		if got := strings.TrimSpace(s.on(t, "whole", "cat",
			"/sys/class/infiniband/rxe0/ports/1/gids/1")); got != "0000:0000:0000:0000:0000:ffff:0a00:0201" {
			t.Errorf("GID 1: %s; it is 10.0.2.1 as IPv6", got)
		}
	})

	t.Run("share", func(t *testing.T) { readsShare(t, s, info, shared) })

	t.Run("facts", func(t *testing.T) {
		a := p.linerate(t, "facts", fabric, "--in-lab", s.id, "-o", p.path("snapshots"))
		if a.code != cli.ExitDone || !strings.Contains(a.out, p.path("snapshots", "whole.txtar")+"\n") {
			t.Fatalf("facts: %s", a)
		}
		t.Logf("%s", a.err)
		testenv.Contains(t, a, a.err, "modules loaded; 1 RDMA device",
			"rxe0: CA, firmware 0.0.0; port 1 ACTIVE, LinkUp, Ethernet, 2.50 Gb/s (1X SDR), active MTU 1024",
			"1 10.0.2.1, RoCE v2 on rdma")
		text := testenv.Must(os.ReadFile(p.path("snapshots", "whole.txtar")))(t)
		f := testenv.Must(read.Parse(text))(t)
		if f.Module("rdma_rxe") == nil || len(f.RDMA) != 1 || len(f.RDMA[0].Ports) != 1 || len(f.RDMA[0].Ports[0].GIDs) < 2 {
			t.Errorf("modules %+v, RDMA %+v", f.Modules, f.RDMA)
		}
	})

	t.Run("list", func(t *testing.T) {
		if a := p.linerate(t, "lab", "list"); !strings.Contains(a.out, "3 hosts, 1 guest: whole, share: ") {
			t.Errorf("lab list: %s", a)
		}
		if a := p.linerate(t, "lab", "list", "--json"); !strings.Contains(strings.Join(strings.Fields(a.out), ""),
			`"guests":["whole"]`) {
			t.Errorf("lab list: %s", a)
		}
	})

	t.Run("run", func(t *testing.T) {
		a := p.inGuests(t, "run", fabric, "--in-lab="+s.id, "-o", p.path("run"), "--json").ends(t, cli.ExitDone)
		r := a.run(t)
		if r.Lab == nil || !slices.Equal(r.Lab.Guests, []string{"whole"}) || len(r.Experiments) != 2 {
			t.Fatalf("the run's lab: %+v, %d experiments", r.Lab, len(r.Experiments))
		}
		for _, e := range r.Experiments {
			if !e.Emulated || e.Failed != "" {
				t.Errorf("%s: emulated %v, failed %q", e.Name, e.Emulated, e.Failed)
			}
		}
		if raw := r.Experiments[1]; raw.Goodput == nil || raw.Ceiling == nil {
			t.Errorf("stream: %+v of %+v", raw.Goodput, raw.Ceiling)
		}
		page, err := os.ReadFile(p.path("run", "report.html"))
		if err != nil || !strings.Contains(string(page), "emulated") {
			t.Errorf("the page does not say that the figures are emulated (%v)", err)
		}
		if a := p.linerate(t, "compare", p.path("run"), p.path("run")); a.code != cli.ExitDone ||
			!strings.Contains(a.out, "of emulated machines") {
			t.Errorf("compare takes figures of guests for figures of speed: %s", a)
		}
		if a := p.linerate(t, "report", p.path("run")); !strings.Contains(a.out, "(emulated)") {
			t.Errorf("the terminal does not say that the figures are emulated: %s", a)
		}
	})

	t.Run("verbs", s.verbsInOne)
	t.Run("netem", s.netem)

	t.Run("end of the machine", func(t *testing.T) {
		cmd := p.command(t, "lab", "exec", s.id+"/whole", "--", "sh", "-c",
			"echo linerate test says so > /dev/console; sleep 2; poweroff -f")
		if a := finish(t, cmd); a.code == 0 || !strings.Contains(a.err, "guest whole has ended") ||
			!strings.Contains(a.err, "linerate test says so") {
			t.Errorf("want the end and the console's last lines: %s", a)
		}
		p.linerate(t, "lab", "exec", s.id+"/thin1", "--", "true").ends(t, 0)
	})

	p.linerate(t, "lab", "down", s.id).ends(t, 0)
	p.atMost(t, 0, 5*time.Second)
}

// A killed program leaves no machine behind.
func TestGuestKilled(t *testing.T) {
	needGuests(t)
	p := newPlace(t)
	fabric := copyFile(t, "testdata/guest.yaml", p.path("guest.yaml"))
	cmd := p.command(t, "run", fabric, "--lab", "--scale", "0.004")
	testenv.Check(t, cmd.Start())
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	machine := func() bool {
		return slices.ContainsFunc(p.processes(t), func(s string) bool { return strings.Contains(s, "-name whole ") })
	}
	for start := time.Now(); !machine(); time.Sleep(20 * time.Millisecond) {
		if time.Since(start) > patience {
			missing(t, "a guest that starts: "+strings.Join(p.processes(t), "; "))
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	p.atMost(t, 0, 5*time.Second)
	p.linerate(t, "lab", "down") // the folder of a lab that was killed while it was built
	if left, _ := filepath.Glob(p.path("linerate", "lab", "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Without QEMU namespaces are used, and the message says how to install it.
func TestGuestMissing(t *testing.T) {
	needLab(t)
	// The network device of a guest is checked before QEMU itself.
	f, err := os.OpenFile("/dev/net/tun", os.O_RDWR, 0)
	if err != nil {
		missing(t, "a /dev/net/tun that this user may open: "+err.Error())
	}
	f.Close()
	p := newPlace(t)
	fabric := copyFile(t, "testdata/guest.yaml", p.path("guest.yaml"))
	p.env = append(p.env, "PATH="+p.path("empty"))
	up := p.linerate(t, "lab", "up", fabric, "--scale", "0.01", "--json")
	if up.code != 0 || !strings.Contains(up.err, "qemu-system-x86_64 is not here; try: apt-get install") {
		t.Fatalf("lab up without QEMU: %s", up)
	}
	var info lab.Info
	testenv.Check(t, json.Unmarshal([]byte(up.out), &info))
	defer p.linerate(t, "lab", "down", info.ID)
	if len(info.Guests) != 0 || !strings.Contains(strings.Join(info.Emulated, "\n"),
		"host whole: it is a namespace and no guest") {
		t.Errorf("the lab: %+v", info)
	}
	if a := p.linerate(t, "run", fabric, "--guests"); a.code != cli.ExitInput || !strings.Contains(a.err, "add --lab") {
		t.Errorf("run --guests without --lab: %s", a)
	}
}

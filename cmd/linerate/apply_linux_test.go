package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

// atFar is the state of the host far that apply may change.
func (s *spoiled) atFar(t *testing.T) string {
	t.Helper()
	return s.on(t, "far", "sh", "-c", "ip -o link show; ip -o -4 addr show; ip route; sysctl -n net.ipv4.tcp_rmem "+
		"net.ipv4.tcp_wmem; cat /etc/hosts")
}

// Over ssh, over the very link that changes: a correct plan stays; a wrong address cuts the connection and is rolled
// back; so is everything when the controller is killed in the middle.
func TestApplyOverSSH(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	s := p.labUp(t, copyFile(t, "testdata/apply.yaml", p.path("pair.yaml")), "1")
	bin, _ := s.sshHosts(t, map[string]string{"far": "10.31.1.2"})
	mended := copyFile(t, "testdata/apply.yaml", p.path("mended.yaml"), "mtu: 1500", "mtu: 4000")
	wrong := copyFile(t, "testdata/apply.yaml", p.path("wrong.yaml"), "[10.31.1.1, 10.31.1.2]", "[10.31.1.2, 10.31.1.1]")
	command := func(fabric string, args ...string) []string {
		return append([]string{"lab", "exec", s.id + "/ctl", "--", "env", "-C", s.dir, "HOME=" + s.dir,
			"PATH=" + bin + ":" + os.Getenv("PATH"), p.program(t), "apply", fabric, "far"}, args...)
	}
	t.Cleanup(func() { os.RemoveAll("/run/linerate/apply-pair-far") }) // hosts of a lab share the machine's files
	before := s.atFar(t)

	a := s.linerate(t, command(mended, "--dry-run")...)
	if a.code != cli.ExitDone || !strings.Contains(a.out, "4000") || s.atFar(t) != before {
		t.Errorf("a dry run: %s", a)
	}
	a = s.linerate(t, command(mended)...)
	if a.code != cli.ExitRefused || !strings.Contains(a.err, "--allow-control-link") || s.atFar(t) != before {
		t.Errorf("over the control link: %s", a)
	}

	undone := func(t *testing.T, why string) {
		t.Helper()
		for end := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
			state, _ := os.ReadFile("/run/linerate/apply-pair-far/state")
			if strings.HasPrefix(string(state), "undone "+why) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the guard's state is %q, want undone %s", state, why)
			}
		}
		if now := s.atFar(t); now != before {
			t.Errorf("not as before:\n%s\nbefore:\n%s", now, before)
		}
	}
	t.Run("a wrong address", func(t *testing.T) {
		a := s.linerate(t, command(wrong, "--allow-control-link", "--timer", "6s", "--json")...)
		hosts, _ := a.object(t, "linerate/apply/1")["hosts"].([]any)
		if a.code != cli.ExitIncomplete || len(hosts) != 1 || hosts[0].(map[string]any)["ended"] != "undone" {
			t.Errorf("%s", a)
		}
		undone(t, "nobody")
	})
	t.Run("a controller that is killed", func(t *testing.T) {
		os.RemoveAll("/run/linerate/apply-pair-far") // of the previous apply
		cmd, out := s.command(t, command(mended, "--allow-control-link", "--timer", "6s")...), &output{}
		cmd.Stdout, cmd.Stderr = out, out
		testenv.Check(t, cmd.Start())
		pid := 0
		for end := time.Now().Add(patience); pid == 0; time.Sleep(time.Millisecond) {
			if pid = p.applyPID(t, mended); time.Now().After(end) {
				t.Fatalf("no apply of %s: %s", mended, out)
			}
		}
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) { // before it can confirm
			if _, err := os.Stat("/run/linerate/apply-pair-far/guard.pid"); err == nil {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("there is no guard: %s", out)
			}
		}
		syscall.Kill(pid, syscall.SIGKILL)
		cmd.Wait()
		undone(t, "nobody")
	})
	t.Run("a right plan", func(t *testing.T) {
		a := s.linerate(t, command(mended, "--allow-control-link", "--timer", "2m", "-o", p.path("undo"))...)
		if a.code != cli.ExitDone || !strings.Contains(s.atFar(t), "mtu 4000") {
			t.Fatalf("%s\n%s", a, s.atFar(t))
		}
		again := s.linerate(t, command(mended)...)
		if again.code != cli.ExitDone || !strings.Contains(again.out, "nothing is to change") {
			t.Errorf("a second time: %s", again)
		}
		undo := p.path("undo", "far")
		for _, f := range []string{"undo.sh", "state/before"} {
			if _, err := os.Stat(filepath.Join(undo, f)); err != nil {
				t.Error(err)
			}
		}
		s.on(t, "far", "env", "-u", "LINERATE_STATE", "sh", "/run/linerate/apply-pair-far/undo.sh") // as in a shell over ssh
		if now := s.atFar(t); now != before {
			t.Errorf("after undo.sh:\n%s\nbefore:\n%s", now, before)
		}
	})
}

// A namespace shares the machine's files: nothing may be installed there, neither after an apply nor on a host that is
// as planned.
func TestApplyPersistInLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	p := newPlace(t)
	// Hosts of a lab share the machine's files: no other test has this name.
	fabric := copyFile(t, "testdata/apply.yaml", p.path("kept.yaml"), "fabric: pair", "fabric: kept")
	mended := copyFile(t, fabric, p.path("mended.yaml"), "mtu: 1500", "mtu: 4000")
	s := p.labUp(t, fabric, "1")
	before := s.atFar(t)
	for name, file := range map[string]string{"as planned": fabric, "not as planned": mended} {
		a := p.linerate(t, "apply", file, "far", "--in-lab", s.id, "--persist", "--json")
		if a.code != cli.ExitRefused || !strings.Contains(a.err,
			"far: refused: nothing that is installed on this host outlives a reboot: in this lab it has no files of its own; "+
				"leave out --persist, or write guest: systemd") {
			t.Errorf("%s: %s", name, a)
		}
		hosts, _ := a.object(t, "linerate/apply/1")["hosts"].([]any)
		if len(hosts) != 1 || !strings.HasPrefix(hosts[0].(map[string]any)["error"].(string),
			"refused: nothing that is installed") {
			t.Errorf("%s: %v", name, hosts)
		}
		if now := s.atFar(t); now != before {
			t.Errorf("%s: it has changed something:\n%s\nbefore:\n%s", name, now, before)
		}
		for _, f := range []string{"/etc/systemd/network/10-linerate-e1.network", "/etc/sysctl.d/90-linerate.conf",
			"/var/lib/linerate/kept"} {
			if _, err := os.Lstat(f); err == nil {
				t.Errorf("%s: %s is on this machine", name, f)
			}
		}
	}
	if a := p.linerate(t, "apply", fabric, "far", "--in-lab", s.id); a.code != cli.ExitDone ||
		!strings.Contains(a.out, "nothing is to change") {
		t.Errorf("without --persist: %s", a)
	}
}

// applyPID finds the apply of a fabric file, which lab exec started.
func (p *place) applyPID(t *testing.T, fabric string) int {
	t.Helper()
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, f := range folders {
		line, _ := os.ReadFile(f + "/cmdline")
		exe, _ := os.Readlink(f + "/exe")
		if args := strings.Split(string(line), "\x00"); exe == p.program(t) && len(args) > 2 && args[1] == "apply" &&
			args[2] == fabric {
			pid, _ := strconv.Atoi(filepath.Base(f))
			return pid
		}
	}
	return 0
}

func TestApplyErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"apply", mesh, "nobody", "desktop"}, cli.ExitInput,
			[]string{"nobody: the fabric has no host of that name", "desktop: apply is for Linux hosts, this one is windows"}},
		{[]string{"apply", mesh, "homelab"}, cli.ExitInput, []string{"homelab: it has no connection", "ssh root@homelab"}},
		{[]string{"apply", mesh, "homelab", "--timer", "1s"}, cli.ExitInput, []string{"5s to 10m"}},
		{[]string{"apply", mesh}, cli.ExitInput, nil},
	} {
		a := call(t, nil, c.args...).ends(t, c.code)
		testenv.Contains(t, c.args, a.err, c.says...)
	}
}

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/testenv"
)

// ordinary gives the place, and everything in it, to an unprivileged user.
func (p *place) ordinary(t *testing.T) {
	t.Helper()
	nobody, err := user.Lookup("nobody")
	if err != nil {
		missing(t, "the user nobody, as whom root tries what an ordinary user can do")
	}
	uid, _ := strconv.Atoi(nobody.Uid)
	gid, _ := strconv.Atoi(nobody.Gid)
	err = filepath.WalkDir(p.dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Lchown(path, uid, gid)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	p.env = []string{"PATH=" + os.Getenv("PATH"), "XDG_RUNTIME_DIR=" + p.dir, "HOME=" + p.dir,
		"XDG_CACHE_HOME=" + p.path("cache")}
	p.as = func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
}

// A whole machine between two namespaces, without privileges: taps, RDMA, settings inside, facts, and nothing left.
func TestGuestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this user is an ordinary one: TestGuest tries it")
	}
	needGuests(t)
	tapsForAll(t)
	p := newPlace(t)
	copyImage(t, p)
	fabric := copyFile(t, "testdata/guest.yaml", p.path("guest.yaml"))
	p.ordinary(t)
	var b lab.Built
	if a := p.linerate(t, "lab", "build", "--json"); a.code != cli.ExitDone ||
		json.Unmarshal([]byte(a.out), &b) != nil || b.Image.Built {
		t.Fatalf("lab build: %s", a)
	}
	t.Logf("image: %+v", b.Image)
	s, info := guestLab(t, p, fabric)
	if len(info.Guests) != 1 || info.Guests[0].Failed != "" || len(info.Shaped) != 4 || !info.Rootless {
		t.Fatalf("the lab: %+v", info)
	}
	t.Logf("boot %.1f s, KVM %v", info.Guests[0].Boot, info.Guests[0].KVM)
	if got := s.on(t, "whole", "sh", "-c", "id -u; rdma link"); !strings.HasPrefix(got, "0\n") ||
		!strings.Contains(got, "link rxe0/1 state ACTIVE") {
		t.Errorf("in the guest: %s", got)
	}
	if a := p.linerate(t, "lab", "list"); !strings.Contains(a.out, "3 hosts, 1 guest: whole  ") {
		t.Errorf("lab list: %s", a)
	}
	if a := p.linerate(t, "facts", fabric, "--in-lab", s.id, "-o", p.path("snapshots")); a.code != cli.ExitDone ||
		!strings.Contains(a.err, "1 10.0.2.1, RoCE v2 on rdma") {
		t.Errorf("facts: %s", a)
	}
	s.netem(t)
	p.linerate(t, "lab", "down", s.id).ends(t, 0)
	p.atMost(t, 0, 5*time.Second)
}

// An unprivileged user builds the image from nothing.
func TestGuestImageFromNothing(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this user is an ordinary one: TestGuest builds the image")
	}
	needGuests(t, testenv.Download)
	p := newPlace(t)
	p.ordinary(t)
	var b lab.Built
	if a := p.inGuests(t, "lab", "build", "--json"); a.code != cli.ExitDone ||
		json.Unmarshal([]byte(a.out), &b) != nil || !b.Image.Built || b.Image.Bytes < 1<<20 || b.Image.Bytes > 150e6 {
		t.Fatalf("lab build: %s", a)
	}
	t.Logf("image: %+v", b.Image)
}

// tapsForAll gives the programs of this test a /dev/net/tun that every user may open, as most distributions have it. It
// is in a mount namespace of only the test's thread, which ends with the test: the machine's own device keeps its mode.
func tapsForAll(t *testing.T) {
	t.Helper()
	fi, err := os.Stat("/dev/net/tun")
	if err != nil {
		missing(t, "/dev/net/tun, which guests have their taps from")
	}
	if fi.Mode().Perm()&0o006 == 0o006 {
		return
	}
	runtime.LockOSThread()               // never unlocked: the thread's mounts would affect other tests
	for _, step := range []func() error{ // each step needs the one before
		func() error { return syscall.Unshare(syscall.CLONE_NEWNS) },
		func() error { return syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") },
		func() error { return syscall.Mount("tmpfs", "/dev/net", "tmpfs", syscall.MS_NOSUID, "mode=755") },
		// Linux' list of devices: misc 10, minor 200
		func() error { return syscall.Mknod("/dev/net/tun", syscall.S_IFCHR, 10<<8|200) },
		func() error { return os.Chmod("/dev/net/tun", 0o666) },
	} {
		if err := step(); err != nil {
			missing(t, "a /dev/net/tun for every user: "+err.Error())
		}
	}
}

// netem sets delay and loss in the guest, which packets go through.
func (s *spoiled) netem(t *testing.T) {
	measured := func(args ...string) answer {
		args = append([]string{"measure"}, append(args, "--time", "1s", "--repeats", "1", "--json")...)
		a := s.inGuests(t, args...).ends(t, cli.ExitDone)
		return a
	}
	s.on(t, "whole", "tc", "qdisc", "replace", "dev", "card", "root", "netem", "delay", "30ms")
	ping := measured("latency", "--from", "lab "+s.id+"/whole", "--to", "lab "+s.id+"/thin2", "--to-address",
		"10.0.1.3").run(t).Experiments[0]
	var qdisc []struct {
		Kind    string
		Packets int
		Drops   int
	}
	counted := func() {
		t.Helper()
		text := s.on(t, "whole", "tc", "-s", "-j", "qdisc", "show", "dev", "card")
		if err := json.Unmarshal([]byte(text), &qdisc); err != nil || len(qdisc) == 0 {
			t.Fatalf("%v: %s", err, text)
		}
	}
	if counted(); ping.Latency == nil || ping.Latency.Count == 0 || qdisc[0].Kind != "netem" ||
		qdisc[0].Packets < int(ping.Latency.Count) {
		t.Errorf("with a delay: %+v, and %+v", ping.Latency, qdisc)
	}
	s.on(t, "whole", "tc", "qdisc", "replace", "dev", "card", "root", "netem", "loss", "20%")
	udp := measured("throughput", "--transport", "udp", "--from", "lab "+s.id+"/whole", "--to", "lab "+s.id+"/thin2",
		"--to-address", "10.0.1.3", "--pace", "5M", "--direction", "out", "--streams", "1").run(t).Experiments[0]
	if counted(); udp.UDP == nil || udp.UDP.Lost == nil || *udp.UDP.Lost <= 0 || qdisc[0].Drops == 0 {
		t.Errorf("with 20 %% loss: %+v, and %+v", udp.UDP, qdisc)
	}
}

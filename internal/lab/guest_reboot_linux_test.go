package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/host/connect"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/labtest"
	"linerate/internal/testenv"
)

// The behaviours of a machine with an operating system that is rebooted.
const (
	systemReturns = "returns" // it comes back
	systemLoops   = "loops"   // it comes back after a second reset, as after a panic in its boot
	systemVanish  = "vanish"  // it resets and never answers again
	systemEnds    = "ends"    // it powers off instead
	systemDenies  = "denies"  // its systemctl fails
)

// systemMain is QEMU with a disk: a channel that listens, and a monitor.
func systemMain(mode string, args []string, console *os.File) int {
	file := func(id string) *os.File {
		for _, a := range args {
			if rest, ok := strings.CutPrefix(a, "socket,id="+id+",fd="); ok {
				text, _, _ := strings.Cut(rest, ",")
				fd, _ := strconv.Atoi(text)
				return os.NewFile(uintptr(fd), id)
			}
		}
		return nil
	}
	listener, err := net.FileListener(file("c0"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	monitor := file("m0")
	fmt.Fprintln(monitor, `{"QMP": {}}`)
	for boot := 1; ; boot++ {
		conn, err := listener.Accept()
		if err != nil {
			return 2
		}
		if mode == systemLoops && boot == 2 {
			fmt.Fprintln(monitor, `{"event": "RESET"}`)
			continue
		}
		m := &systemMachine{mode: mode, boot: boot, reset: make(chan struct{})}
		go guest.Serve(conn, m, nil)
		<-m.reset
		fmt.Fprintf(console, "reboot %d: Restarting system\n", boot)
		if mode == systemEnds {
			return 0
		}
		fmt.Fprintln(monitor, `{"event": "RESET"}`)
		if mode == systemVanish {
			for {
				time.Sleep(time.Hour)
				runtime.KeepAlive(listener) // or the garbage collector would close it
				runtime.KeepAlive(monitor)
			}
		}
	}
}

type systemMachine struct {
	mode   string
	boot   int
	shaped atomic.Int32
	reset  chan struct{}
}

func (m *systemMachine) Handle(op string, _ json.RawMessage) (any, error) {
	s := guestState{Kernel: "6.0"}
	switch {
	case op == opShape:
		m.shaped.Add(1)
	case m.boot > 1:
		s.Files, s.Notes = []string{"/etc/systemd/network/10-card.network"}, []string{"a unit has failed"}
	}
	return s, nil
}

func (m *systemMachine) Start(q guest.Command, files []*os.File) (guest.Process, error) {
	if string(q.Argv[0]) != "systemctl" {
		fmt.Fprintf(files[1], "boot %d, shaped %d", m.boot, m.shaped.Load())
		return ended(0), nil
	}
	if m.mode == systemDenies {
		fmt.Fprintln(files[2], "Failed to talk to init daemon.")
		return ended(1), nil
	}
	time.AfterFunc(100*time.Millisecond, func() { close(m.reset) })
	return ended(0), nil
}

// ended is a process that has ended with this code.
type ended int

func (e ended) Wait() (int, int) { return int(e), 0 }
func (e ended) Kill()            {}

func systemLab(t *testing.T, mode string, change func(*GuestParts)) *Lab {
	t.Helper()
	private(t)
	needTap(t)
	parts := pretended(t, mode, patience)
	image := parts.Image
	image.Disk = "/disk"
	parts.System, parts.Image = &image, guest.Image{}
	if change != nil {
		change(parts)
	}
	p := labtest.Pair(unit.GigabitPerSecond, 1500)
	p.Hosts[0].Decl.Guest, p.Hosts[0].Decl.GuestSystem = true, string(guest.Systemd)
	l := up(t, p, Options{Scale: 1, Guests: parts})
	if g := l.Info.Guests[0]; g.Failed != "" || g.System != "systemd" {
		t.Fatalf("%+v", g)
	}
	return l
}

func rebootIn(t *testing.T, l *Lab, host string) (Rebooted, error) {
	t.Helper()
	return Reboot(patient(t), l.id, host)
}

// A guest that comes back has its settings and its rates again, and reports who configured its network.
func TestReboot(t *testing.T) {
	for mode, boot := range map[string]int{systemReturns: 2, systemLoops: 3} {
		l := systemLab(t, mode, nil)
		wantOutput(t, l, "a", "any", "boot 1, shaped 1")
		out, err := rebootIn(t, l, "a")
		if err != nil || out.Host != "a" || len(out.Files) != 1 || len(out.Notes) != 1 || out.Seconds <= 0 {
			t.Errorf("%s: %+v, %v", mode, out, err)
		}
		wantOutput(t, l, "a", "any", fmt.Sprintf("boot %d, shaped 1", boot))
	}
}

// The error of a guest that does not come back has its console's last lines, immediately and for later requests. The
// other host continues.
func TestRebootIntoNothing(t *testing.T) {
	for mode, words := range map[string][]string{
		systemVanish: {"guest a did not boot within 5s", "the last lines of its console:", "reboot 1: Restarting system"},
		systemEnds:   {"guest a has ended (QEMU's exit code is 0)", "reboot 1: Restarting system"},
	} {
		l := systemLab(t, mode, func(p *GuestParts) { p.Boot = 5 * time.Second })
		_, err := rebootIn(t, l, "a")
		if err == nil {
			t.Fatalf("%s: no error", mode)
		}
		for _, message := range []string{err.Error(), refused(t, l)} {
			wantWords(t, message, words...)
		}
		wantOutput(t, l, "b", "hostname", "b")
	}
}

func TestRebootRefused(t *testing.T) {
	l := systemLab(t, systemDenies, nil)
	if _, err := rebootIn(t, l, "a"); err == nil || errors.Is(err, ErrNoReboot) ||
		!strings.Contains(err.Error(), "guest a does not reboot: systemctl: exit code 1: Failed to talk to init daemon.") {
		t.Error(err)
	}
	for host, want := range map[string]string{"b": "host b is a namespace and cannot reboot",
		"c": `has no host "c"; its hosts are a, b`} {
		if _, err := rebootIn(t, l, host); !errors.Is(err, ErrNoReboot) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", host, err)
		}
	}
	// A controller that goes away while it waits leaves the lab as it is.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Reboot(ctx, l.id, "a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantOutput(t, l, "a", "any", "boot 1, shaped 1")
}

// A command that runs when the machine resets ends with an error. One that is requested meanwhile waits for the next
// boot.
func TestExecOverReboot(t *testing.T) {
	l := systemLab(t, systemReturns, nil)
	done := make(chan error, 1)
	go func() {
		_, err := rebootIn(t, l, "a")
		done <- err
	}()
	ctx := patient(t)
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var out bytes.Buffer
		code, err := Exec(ctx, l.id+"/a", connect.Command{Argv: []string{"any"}, Stdout: &out, Stderr: new(bytes.Buffer)})
		if err != nil && !strings.Contains(err.Error(), "guest a has rebooted") {
			t.Fatalf("%v", err)
		}
		if err == nil && code == 0 && out.String() == "boot 2, shaped 1" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("not back: %q, %d, %v", out.String(), code, err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// The files that configure a network.
func TestNetworkFiles(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"etc/systemd/network/10-a.network", "etc/systemd/network/notes.txt",
		"etc/systemd/network/folder.network/x", "etc/netplan/a.yaml", "etc/netplan/b.yml", "etc/network/interfaces.d/lan",
		"etc/network/interfaces", "etc/NetworkManager/system-connections/card.nmconnection", "etc/systemd/network/b.link",
		"etc/systemd/network/c.netdev"} {
		testenv.WriteFile(t, root+"/"+f, "", 0o600)
	}
	got := strings.ReplaceAll(strings.Join(networkFiles(root), " "), root+"/etc/", "")
	if want := "systemd/network/b.link systemd/network/c.netdev systemd/network/10-a.network netplan/a.yaml " +
		"NetworkManager/system-connections/card.nmconnection network/interfaces.d/lan"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

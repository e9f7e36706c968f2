package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/guest"
	"linerate/reach"
	"linerate/unit"
)

// GuestParts is what guests are made of on this machine.
type GuestParts struct {
	Host   guest.Host  `json:"host"`
	Image  guest.Image `json:"image"`
	Memory int64       `json:"memory"` // of each, in bytes
}

// guestHost is a host of the lab that is a machine, seen from the lab's init. QEMU is a child of the init in the lab's pid
// namespace: the kernel ends it with the init, by whatever cause that ends.
type guestHost struct {
	name    string
	node    node
	dir     string
	nics    []guest.NIC
	names   []guestNIC
	files   []*os.File // that QEMU gets, from descriptor 3 on; taps stay open here, so that they outlive QEMU
	channel *guest.Channel
	console string
	errors  string // file with what QEMU itself says
	qemu    *running
	started time.Time
	state   guestState
	boot    time.Duration
	failed  error // why it is not there
}

// callTimeout bounds what a guest's init is asked; below the reach's own, so that the better message comes first.
const callTimeout = 8 * time.Second

func (l *labInit) newGuest(n node) {
	g := &guestHost{name: n.Name, node: n, dir: l.order.Dir}
	g.console, g.errors = filepath.Join(l.order.Dir, "console-"+n.Name), filepath.Join(l.order.Dir, "qemu-"+n.Name)
	l.guests[n.Name] = g
	l.info.Hosts = append(l.info.Hosts, n.Name)
	l.did("host " + n.Name)
}

// guestEnd returns the guest that has the end of a wire; nil if none has.
func (l *labInit) guestEnd(e wireEnd) *guestHost { return l.guests[e.Host] }

// guestWire connects a guest: to another by a pair of connected Unix sockets between the two QEMUs, which loses nothing; to a
// namespace or a bridge by a tap that is the interface there.
func (l *labInit) guestWire(w wire) error {
	a, b := l.guestEnd(w.Ends[0]), l.guestEnd(w.Ends[1])
	if a != nil && b != nil {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		for i, g := range []*guestHost{a, b} {
			g.plug(w.Ends[i], guest.NIC{Pipe: g.file(os.NewFile(uintptr(fds[i]), "link"))})
		}
		return nil
	}
	g, own, far := a, w.Ends[0], w.Ends[1]
	if g == nil {
		g, own, far = b, w.Ends[1], w.Ends[0]
	}
	if far.Host == "" && far.Bridge == "" {
		l.notes.add("port", own.Alias, "nothing is plugged in, yet in a guest its link shows as up")
		g.plug(own, guest.NIC{})
		return nil
	}
	var tap *os.File
	make := func() (err error) {
		tap, err = makeTap(far.Interface)
		return err
	}
	var err error
	if far.Host != "" {
		err = l.byName[far.Host].do(make)
	} else {
		err = make()
	}
	if err != nil {
		return l.refused(fmt.Sprintf("make the tap %s (is the module tun loaded? modprobe tun)", far.Interface), err)
	}
	g.plug(own, guest.NIC{Tap: g.file(tap)})
	return l.tapEnd(far)
}

// file gives QEMU a file and returns its number there.
func (g *guestHost) file(f *os.File) int {
	g.files = append(g.files, f)
	return len(g.files) + 2
}

func (g *guestHost) plug(e wireEnd, n guest.NIC) {
	n.MAC = guestMAC(g.name, e.Interface)
	g.nics = append(g.nics, n)
	g.names = append(g.names, guestNIC{MAC: n.MAC, Interface: e.Interface, Alias: e.Alias})
}

// bootGuests starts every guest that this machine has memory for.
func (l *labInit) bootGuests() error {
	if len(l.guests) == 0 {
		return nil
	}
	parts := l.order.Guests
	initrd, err := guest.MakeInitrd(parts.Image, "/proc/self/exe")
	if err != nil {
		return fmt.Errorf("the guests' first file system: %w", err)
	}
	defer initrd.Close() // every QEMU has it by then
	memory := guest.AvailableMemory()
	for _, n := range l.order.Layout.Hosts {
		g := l.guests[n.Name]
		if g == nil {
			continue
		}
		if need := parts.Memory + parts.Memory/8; memory > 0 && memory < need {
			g.failed = fmt.Errorf("too little memory: a guest of %v needs %v, and this machine has %v left; make fewer hosts guests, or end other programs",
				unit.Bytes(parts.Memory), unit.Bytes(need), unit.Bytes(max(memory, 0)))
			continue
		} else if memory > 0 {
			memory -= need
		}
		if err := g.start(l.spawner, parts, initrd); err != nil {
			g.failed = fmt.Errorf("QEMU does not start: %w", err)
		}
		l.did("boot " + n.Name)
	}
	return nil
}

// start starts QEMU.
func (g *guestHost) start(s *spawner, parts *GuestParts, initrd *os.File) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(fds[1]), "channel")
	defer theirs.Close()
	unix.SetNonblock(fds[0], true) // so that writes have deadlines
	near := os.NewFile(uintptr(fds[0]), "channel")
	kept := len(g.files)
	m := guest.Machine{Name: g.name, Kernel: parts.Image.Kernel, Console: g.console, NICs: g.nics, Memory: parts.Memory, KVM: parts.Host.KVM,
		Init: []string{"/init", GuestCommand}}
	m.Channel = g.file(theirs)
	m.Initrd = fmt.Sprintf("/proc/self/fd/%d", g.file(initrd))
	files := g.files
	g.files = g.files[:kept]
	null, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	said, err := os.OpenFile(g.errors, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer said.Close()
	attr := &syscall.ProcAttr{Dir: "/", Env: os.Environ(), Sys: &syscall.SysProcAttr{Setsid: true},
		Files: []uintptr{null.Fd(), said.Fd(), said.Fd()}}
	for _, f := range files {
		attr.Files = append(attr.Files, f.Fd())
	}
	g.started = time.Now()
	g.qemu = &running{s: s, end: make(chan syscall.WaitStatus, 1)}
	if err := s.fork(g.qemu, parts.Host.QEMU, append([]string{parts.Host.QEMU}, m.Arguments()...), attr); err != nil {
		near.Close()
		return err
	}
	for _, f := range g.files {
		if f.Name() == "link" {
			f.Close() // QEMU has it; the other guest must see the end of this one
		}
	}
	g.channel = guest.NewChannel(near)
	return nil
}

// awaitGuests waits until every guest has its settings, or is known not to come.
func (l *labInit) awaitGuests() {
	done := make(chan *guestHost)
	n := 0
	for _, g := range l.guests {
		n++
		go func() {
			if g.failed == nil {
				g.failed = g.await()
			}
			done <- g
		}()
	}
	for range n {
		g := <-done
		l.did("settings " + g.name)
	}
	for _, n := range l.order.Layout.Hosts { // in the order of the file
		g := l.guests[n.Name]
		if g == nil {
			continue
		}
		i := Guest{Host: g.name, Kernel: g.state.Kernel, KVM: l.order.Guests.Host.KVM, RDMA: g.state.RDMA, Boot: g.boot.Seconds()}
		if g.failed != nil {
			i.Failed = g.failed.Error()
			l.notes.add("host", g.name, "the guest is not there: %s", firstLine(i.Failed))
		} else {
			l.notes.add("host", g.name, "%s", guestNote(i.KVM, l.order.Guests.Host.NoKVM))
			for _, text := range g.state.Notes {
				l.notes.add("host", g.name, "%s", text)
			}
			if l.info.Congestion == "" {
				l.info.Congestion = g.state.Congestion
			}
		}
		l.info.Guests = append(l.info.Guests, i)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return strings.TrimSuffix(s, ":")
}

// await waits for the guest's init and makes it the host of the plan.
func (g *guestHost) await() error {
	select {
	case <-g.channel.Hello():
	case <-g.channel.Done():
		return g.ended()
	case <-time.After(bootTimeout):
		g.qemu.kill()
		return fmt.Errorf("the guest did not start within %v%s", bootTimeout, g.lastWords())
	}
	g.boot = time.Since(g.started)
	if err := g.call(opSetup, guestSetup{Node: g.node, NICs: g.names}, &g.state); err != nil {
		return fmt.Errorf("%w%s", err, g.lastWords())
	}
	return nil
}

// call asks the guest's init.
func (g *guestHost) call(op string, in, out any) error {
	if g.failed != nil {
		return g.failed
	}
	limit := callTimeout
	if op == opSetup {
		limit = bootTimeout // modules are loaded, under emulation
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), limit, g.silent(limit))
	defer cancel()
	err := g.channel.Call(ctx, op, in, out)
	if err != nil && g.channel.Err() != nil {
		return g.ended()
	}
	return err
}

// silent is the error of a guest that does not answer.
func (g *guestHost) silent(limit time.Duration) error {
	return fmt.Errorf("guest %s has stopped answering: no answer within %v; its console is in %s", g.name, limit, g.console)
}

// ended is the error of a guest whose machine is gone.
func (g *guestHost) ended() error {
	why := ""
	select {
	case status := <-g.qemu.end:
		g.qemu.end <- status // for whoever asks next
		why = fmt.Sprintf(" (QEMU's exit code is %d)", status.ExitStatus())
		if status.Signaled() {
			why = fmt.Sprintf(" (QEMU was ended by signal %d)", status.Signal())
		}
	case <-time.After(time.Second):
		why = " (" + g.channel.Err().Error() + ")"
	}
	return fmt.Errorf("guest %s has ended%s%s", g.name, why, g.lastWords())
}

func (g *guestHost) shape(iface string, rate unit.BitRate, mtu int) error {
	return g.call(opShape, guestLink{Interface: iface, MTU: mtu, Rate: float64(rate)}, nil)
}

func (g *guestHost) setMTU(iface string, mtu int, speed unit.BitRate, scale float64) error {
	q := guestLink{Interface: iface, MTU: mtu}
	if speed > 0 {
		q.Rate = float64(shapedRate(speed, scale, mtu))
	}
	return g.call(opMTU, q, nil)
}

// exec is labInit.exec for a guest: the command's streams go over the channel.
func (g *guestHost) exec(conn *net.UnixConn, q reach.LabRequest, files []*os.File, say func(reach.LabAnswer)) {
	fail := func(code string, err error) {
		closeFiles(files)
		say(reach.LabAnswer{Code: code, Error: err.Error()})
	}
	if g.failed != nil {
		fail(reach.LabFailed, g.failed)
		return
	}
	if err := g.channel.Err(); err != nil {
		fail(reach.LabFailed, g.ended())
		return
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), callTimeout, g.silent(callTimeout))
	defer cancel()
	in := func(over func() bool) io.Reader { return &fileReader{files[0], over} }
	r, a, err := g.channel.Start(ctx, guest.Command{Argv: q.Argv, Env: q.Env, Dir: q.Dir}, in, files[1], files[2], func() {
		files[1].Close()
		files[2].Close()
	})
	if err != nil {
		if g.channel.Err() != nil {
			err = g.ended()
		}
		fail(reach.LabFailed, err)
		return
	}
	if a.Error != "" {
		code := reach.LabFailed
		if a.Code == guest.NoProgram {
			code = reach.LabNoProgram
		}
		fail(code, errors.New(a.Error))
		return
	}
	conn.SetDeadline(time.Time{})
	say(reach.LabAnswer{Started: true})
	go func() {
		var k reach.LabKill
		reach.ReadLabFrame(conn, &k)
		r.Kill()
	}()
	a, err = r.Wait()
	if err != nil {
		say(reach.LabAnswer{Code: reach.LabFailed, Error: g.ended().Error()})
		return
	}
	say(reach.LabAnswer{Ended: true, Exit: a.Exit, Signal: a.Signal})
}

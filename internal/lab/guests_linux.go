package lab

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
)

// GuestParts are the parts for guests on this machine.
type GuestParts struct {
	Host  guest.Host  `json:"host"`
	Image guest.Image `json:"image"`
	// System is the image of guests with an operating system; nil if there are none.
	System *guest.Image `json:"system,omitempty"`
	Memory int64        `json:"memory"` // of each, in bytes
	// Boot bounds the time of each guest from the start of QEMU to the first message of its init, and the time of its
	// settings. Answer bounds the time of an answer. 0: bootTimeout, callTimeout.
	Boot   time.Duration `json:"boot,omitempty"`
	Answer time.Duration `json:"answer,omitempty"`
}

// guestHost is a guest, as seen from the lab's init. QEMU is a child of the init in the lab's pid namespace: the kernel
// ends it when the init ends for any reason.
type guestHost struct {
	name    string
	node    layout.Node
	dir     string
	nics    []guest.NIC
	names   []guestNIC
	files   []*os.File // that QEMU gets, from descriptor 3 on; taps stay open in the init, so that they survive QEMU
	channel *guest.Channel
	console string
	errors  string // file with QEMU's own output
	qemu    *running
	started time.Time
	share   *Share
	state   guestState
	boot    time.Duration
	failed  error // the reason why it does not run

	bootLimit, answerLimit time.Duration

	// Of a guest with an operating system:
	mu      sync.Mutex    // of channel, state, boot, failed and the fields below
	conn    net.Conn      // of the channel; used by live only
	address string        // on which QEMU awaits the channel
	coming  chan struct{} // closed when it is up again, or has failed
	reboots int
	shaped  []guestLink // rates of its links
}

func (l *labInit) newGuest(n layout.Node) {
	boot := bootTimeout
	if n.System != "" {
		boot = systemTimeout
	}
	g := &guestHost{name: n.Name, node: n, dir: l.order.Dir, share: l.order.Share,
		bootLimit: cmp.Or(l.order.Guests.Boot, boot), answerLimit: cmp.Or(l.order.Guests.Answer, callTimeout)}
	g.console, g.errors = filepath.Join(l.order.Dir, "console-"+n.Name), filepath.Join(l.order.Dir, "qemu-"+n.Name)
	l.guests[n.Name] = g
	l.info.Hosts = append(l.info.Hosts, n.Name)
	l.did("host " + n.Name)
}

// guestEnd returns the guest that has the end of a wire; nil if none has.
func (l *labInit) guestEnd(e layout.WireEnd) *guestHost { return l.guests[e.Host] }

// guestWire connects a guest: to another by a pair of connected Unix sockets between the two QEMUs, which loses no
// frames; to a namespace or a bridge by a tap, which is the interface there.
func (l *labInit) guestWire(w layout.Wire) error {
	a, b := l.guestEnd(w.Ends[0]), l.guestEnd(w.Ends[1])
	if a != nil && b != nil {
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		for i, g := range []*guestHost{a, b} {
			g.plug(w.Ends[i], w.Speed, guest.NIC{Pipe: g.file(os.NewFile(uintptr(fds[i]), "link"))})
		}
		return nil
	}
	g, own, far := a, w.Ends[0], w.Ends[1]
	if g == nil {
		g, own, far = b, w.Ends[1], w.Ends[0]
	}
	if far.Host == "" && far.Bridge == "" {
		l.notes.add("port", own.Alias, "nothing is plugged in, yet in a guest its link shows as up")
		g.plug(own, 0, guest.NIC{})
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
		return fmt.Errorf("make the tap %s: %w", far.Interface, err)
	}
	g.plug(own, w.Speed, guest.NIC{Tap: g.file(tap)})
	return l.tapEnd(far)
}

// file gives QEMU a file and returns its number there.
func (g *guestHost) file(f *os.File) int {
	g.files = append(g.files, f)
	return len(g.files) + 2
}

func (g *guestHost) plug(e layout.WireEnd, speed unit.BitRate, n guest.NIC) {
	n.MAC = guestMAC(g.name, e.Interface)
	if g.node.LACP(e.Interface) { // which accepts no port of unknown speed
		n.Speed = int(speed / unit.MegabitPerSecond)
	}
	g.nics = append(g.nics, n)
	g.names = append(g.names, guestNIC{MAC: n.MAC, Interface: e.Interface, Alias: e.Alias})
}

// bootGuests starts every guest that this machine has memory for.
func (l *labInit) bootGuests() error {
	if len(l.guests) == 0 {
		return nil
	}
	parts := l.order.Guests
	var initrd *os.File // of the small image, the same for all; every QEMU has it at the end
	defer func() {
		if initrd != nil {
			initrd.Close()
		}
	}()
	share, err := l.order.Share.open()
	if err != nil {
		return err
	}
	defer share.Close() // a nil file is ignored
	memory := guest.AvailableMemory()
	for _, n := range l.order.Layout.Hosts {
		g := l.guests[n.Name]
		if g == nil {
			continue
		}
		if need := layout.GuestMemory(parts.Memory); memory > 0 && memory < need {
			g.failed = fmt.Errorf(
				"too little memory: a guest of %v needs %v, and this machine has %v left; make fewer hosts guests, or end "+
					"other programs", unit.Bytes(parts.Memory), unit.Bytes(need), unit.Bytes(max(memory, 0)))
			continue
		} else if memory > 0 {
			memory -= need
		}
		if n.System == "" && initrd == nil {
			var err error
			if initrd, err = guest.MakeInitrd(parts.Image, "/proc/self/exe", nil); err != nil {
				return fmt.Errorf("the guests' first file system: %w", err)
			}
		}
		err := withoutDevices(func() error {
			if n.System != "" {
				return g.startSystem(l.spawner, parts, share)
			}
			return g.start(l.spawner, parts, initrd, share)
		})
		if err != nil {
			g.failed = fmt.Errorf("QEMU does not start: %w", err)
		}
		l.did("boot " + n.Name)
	}
	return nil
}

// start starts QEMU. share is the shared folder; nil: none.
func (g *guestHost) start(s *spawner, parts *GuestParts, initrd, share *os.File) error {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs := os.NewFile(uintptr(fds[1]), "channel")
	defer theirs.Close()
	unix.SetNonblock(fds[0], true) // so that writes have deadlines
	near := os.NewFile(uintptr(fds[0]), "channel")
	err = g.spawn(s, parts.Host.QEMU, func(file func(*os.File) int) guest.Machine {
		m := g.machine(parts, file, initrd, share)
		m.Kernel, m.Init, m.Channel = parts.Image.Kernel, []string{"/init", GuestCommand}, file(theirs)
		return m
	})
	if err != nil {
		near.Close()
		return err
	}
	g.channel = guest.NewChannel(near)
	return nil
}

// machine returns the configuration of every guest's machine; file passes an open file to QEMU. share may be nil.
func (g *guestHost) machine(parts *GuestParts, file func(*os.File) int, initrd, share *os.File) guest.Machine {
	m := guest.Machine{Name: g.name, Initrd: fmt.Sprintf("/proc/self/fd/%d", file(initrd)), Console: g.console,
		NICs: g.nics, Memory: parts.Memory, KVM: parts.Host.KVM}
	if share != nil {
		m.Share, m.Writable = file(share), g.share.Writable
	}
	return m
}

// spawn starts QEMU with its NICs' files and those that machine gives it.
func (g *guestHost) spawn(s *spawner, qemu string, machine func(file func(*os.File) int) guest.Machine) error {
	kept := len(g.files)
	m := machine(g.file)
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
	if err := s.fork(g.qemu, qemu, append([]string{qemu}, m.Arguments()...), attr); err != nil {
		return err
	}
	for _, f := range g.files {
		if f.Name() == "link" {
			f.Close() // QEMU has it; the other guest must see the end of this one
		}
	}
	return nil
}

// awaitGuests waits until every guest has its settings, or has failed.
func (l *labInit) awaitGuests() {
	done := make(chan *guestHost)
	n := 0
	for _, g := range l.guests {
		n++
		go func() {
			if g.failed == nil {
				if g.node.System != "" {
					err := g.awaitSystem()
					g.mu.Lock()
					g.failed = err
					g.mu.Unlock()
				} else {
					g.failed = g.await()
				}
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
		i := Guest{Host: g.name, Kernel: g.state.Kernel, KVM: l.order.Guests.Host.KVM, RDMA: g.state.RDMA,
			Missing: g.node.Missing, System: g.node.System, Because: g.node.Because, Boot: g.boot.Seconds()}
		if g.failed != nil {
			i.Failed = g.failed.Error()
			l.notes.add("host", g.name, "the guest is not there: %s", firstLine(i.Failed))
		} else {
			l.notes.add("host", g.name, "%s", guestNote(i.KVM, l.order.Guests.Host.NoKVM))
			for _, text := range g.state.Notes {
				l.notes.add("host", g.name, "%s", text)
			}
			l.info.Congestion = cmp.Or(l.info.Congestion, g.state.Congestion)
		}
		l.info.Guests = append(l.info.Guests, i)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	s, _, _ = strings.Cut(s, consoleWords)
	return strings.TrimSuffix(s, ":")
}

func (g *guestHost) shape(iface string, rate unit.BitRate, mtu int) error {
	q := guestLink{Interface: iface, MTU: mtu, Rate: float64(rate)}
	err := g.call(opShape, q, nil)
	if err == nil {
		g.mu.Lock()
		g.shaped = append(g.shaped, q)
		g.mu.Unlock()
	}
	return err
}

func (g *guestHost) setMTU(iface string, mtu int, speed unit.BitRate, scale float64) error {
	q := guestLink{Interface: iface, MTU: mtu}
	if speed > 0 {
		q.Rate = float64(layout.ShapedRate(speed, scale, mtu))
	}
	return g.call(opMTU, q, nil)
}

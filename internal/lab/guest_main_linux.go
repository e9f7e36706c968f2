package lab

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
)

// guestInit is process 1 of a guest.
type guestInit struct {
	host    *host
	spawner *spawner
	listen  net.Listener
	rate    chan guestTransferred
	system  bool // process 1 belongs to an operating system, and this is one of its services
}

// GuestMain is the init of a guest. It does not return: if it cannot continue, it prints the reason on the console and
// powers the machine off.
func GuestMain() int {
	args := os.Args[min(2, len(os.Args)):]
	if slices.Equal(args, []string{guestAgent}) && os.Getppid() == 1 {
		err := guestServe(true)
		if errors.Is(err, guest.ErrLeft) {
			return 0
		}
		fmt.Fprintf(os.Stderr, "linerate: %v\n", err)
		return 1 // its service starts it again
	}
	if os.Getpid() != 1 {
		fmt.Fprintln(os.Stderr, "lab-guest is the init of a guest of linerate lab and is not started by hand")
		return 2
	}
	start := guestMain
	if slices.Equal(args, []string{guestStart}) {
		start = startSystem
	}
	err := start()
	fmt.Fprintf(os.Stderr, "linerate: %v\n", err)
	time.Sleep(100 * time.Millisecond) // the console is slow
	unix.Sync()
	unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	return 1
}

func guestMain() error {
	if err := guestMounts(); err != nil {
		return err
	}
	os.Setenv("PATH", guestPath)
	os.Setenv("HOME", "/root")
	// From here on the kernel may request modules. Earlier requests would fail, and the kernel would wait for each, so the
	// image has no modprobe.
	if err := os.Symlink("../bin/kmod", "/usr/sbin/modprobe"); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := bootModules(); err != nil {
		return err
	}
	for _, r := range []int{unix.RLIMIT_MEMLOCK, unix.RLIMIT_NOFILE} { // RDMA locks its memory
		limit := uint64(1 << 20)
		if r == unix.RLIMIT_MEMLOCK {
			limit = unix.RLIM_INFINITY
		}
		syscall.Setrlimit(r, &syscall.Rlimit{Cur: limit, Max: limit})
	}
	return guestServe(false)
}

// guestServe answers the lab over the channel. system is set in a service of an operating system.
func guestServe(system bool) error {
	port, err := openPort()
	if err != nil {
		return err
	}
	h, err := newThread("guest", (*host).whole)
	if err != nil {
		return err
	}
	var leave chan struct{}
	if system { // its systemd sends this first when it shuts down
		leave = make(chan struct{})
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		go func() {
			<-stop
			close(leave)
		}()
	}
	return guest.Serve(port, &guestInit{host: h, spawner: newSpawner(), system: system}, leave)
}

const guestPath = "/usr/sbin:/usr/bin"

// whole makes the thread represent the whole machine: it stays in the namespaces of the init.
func (h *host) whole() (err error) {
	if h.netns, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	if h.nl, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	return loopbackUp(h.nl)
}

// mount is one of the kernel's own file systems.
type mount struct {
	kind, at, data string
	may            bool // a kernel without it is not a fault
}

func guestMounts() error {
	err := mounts(mount{"tmpfs", "/tmp", "", false}, mount{"devpts", "/dev/pts", "", true},
		mount{"tmpfs", "/dev/shm", "", true}, mount{"cgroup2", "/sys/fs/cgroup", "", true})
	if err != nil {
		return err
	}
	return os.MkdirAll("/run/lock", 0o755)
}

// mounts mounts what every guest needs, and more.
func mounts(more ...mount) error {
	for _, m := range append([]mount{
		{"proc", "/proc", "", false},
		{"sysfs", "/sys", "", false},
		{"devtmpfs", "/dev", "", false},
		{"tmpfs", "/run", "mode=755", false},
		{"configfs", "/sys/kernel/config", "", true},
		{"debugfs", "/sys/kernel/debug", "", true},
	}, more...) {
		os.MkdirAll(m.at, 0o755)
		if err := unix.Mount(m.kind, m.at, m.kind, 0, m.data); err != nil && !m.may {
			return fmt.Errorf("mount %s: %w", m.at, err)
		}
	}
	return nil
}

// bootModules loads the modules that the image lists, in order.
func bootModules() error {
	b, err := os.ReadFile("/etc/linerate/boot-modules")
	if err != nil {
		return err
	}
	for _, path := range strings.Fields(string(b)) {
		f, err := os.Open(path)
		if err == nil {
			err = unix.FinitModule(int(f.Fd()), "", 0)
			f.Close()
		}
		if err != nil && !errors.Is(err, unix.EEXIST) {
			// the missing port or NIC will be reported
			fmt.Fprintf(os.Stderr, "linerate: module %s: %v\n", path, err)
		}
	}
	return nil
}

// portTimeout bounds the wait for the channel's port.
const portTimeout = 20 * time.Second

// openPort waits for the serial port of the channel.
func openPort() (io.ReadWriter, error) {
	for end := time.Now().Add(portTimeout); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		names, _ := filepath.Glob("/sys/class/virtio-ports/*/name")
		for _, n := range names {
			b, err := os.ReadFile(n)
			if err != nil || strings.TrimSpace(string(b)) != guest.PortName {
				continue
			}
			// Not O_NONBLOCK with the runtime's poller: a port without a peer reads as ended.
			fd, err := unix.Open("/dev/"+filepath.Base(filepath.Dir(n)), unix.O_RDWR|unix.O_CLOEXEC, 0)
			if err != nil {
				continue // its node does not exist yet
			}
			return &port{fd}, nil
		}
	}
	return nil, fmt.Errorf("the serial port %s did not appear within %v", guest.PortName, portTimeout)
}

// port is the channel's port. It reads as ended until QEMU reports that its other end is open.
type port struct{ fd int }

func (p *port) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(p.fd, b)
		switch {
		case errors.Is(err, unix.EINTR):
		case n == 0 && err == nil:
			time.Sleep(5 * time.Millisecond)
		default:
			return max(n, 0), err
		}
	}
}

func (p *port) Write(b []byte) (done int, err error) {
	for done < len(b) {
		n, err := unix.Write(p.fd, b[done:])
		if err != nil && !errors.Is(err, unix.EINTR) {
			return done, err
		}
		done += max(n, 0)
	}
	return done, nil
}

// Start starts a command.
func (g *guestInit) Start(q guest.Command, files []*os.File) (guest.Process, error) {
	env := append([][]byte{[]byte("PATH=" + guestPath), []byte("HOME=/root")}, q.Env...)
	dir := q.Dir
	if len(dir) == 0 {
		dir = []byte("/root")
	}
	r, err := g.spawner.start(g.host, connect.LabRequest{Argv: q.Argv, Env: env, Dir: dir}, files)
	if err != nil {
		return nil, err
	}
	return guestProcess{r}, nil
}

type guestProcess struct{ r *running }

func (p guestProcess) Kill() { p.r.kill() }

func (p guestProcess) Wait() (exit, signal int) {
	status := <-p.r.end
	if status.Signaled() {
		return 0, int(status.Signal())
	}
	return status.ExitStatus(), 0
}

// Handle answers requests of the lab's init.
func (g *guestInit) Handle(op string, body json.RawMessage) (any, error) {
	switch op {
	case opSetup:
		var q guestSetup
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, err
		}
		return g.setup(q)
	case opShape, opMTU:
		var q guestLink
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, err
		}
		return nil, g.link(op, q)
	case opReceive, opSend, opRate:
		var q guestTransfer
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, err
		}
		return g.transfer(op, q)
	}
	return nil, fmt.Errorf("the guest's init knows no request %q", op)
}

// setup turns the machine into a host of the plan.
func (g *guestInit) setup(q guestSetup) (s guestState, err error) {
	h := g.host
	h.name = q.Node.Name
	var uts unix.Utsname
	if unix.Uname(&uts) == nil {
		s.Kernel = unix.ByteSliceToString(uts.Release[:])
	}
	if g.system {
		return g.setupSystem(q, s)
	}
	if err := unix.Sethostname([]byte(q.Node.Name)); err != nil {
		return s, fmt.Errorf("host name: %w", err)
	}
	if err := os.WriteFile("/etc/hosts", hostsFile(q.Node), 0o644); err != nil {
		return s, err
	}
	if err := h.do(func() error { return h.nameNICs(q.NICs) }); err != nil {
		return s, err
	}
	if err := g.settings(q, &s); err != nil {
		return s, err
	}
	return s, g.devices(q, &s)
}

// settings applies the plan's settings.
func (g *guestInit) settings(q guestSetup, s *guestState) (err error) {
	var notes []string
	s.Congestion, notes, err = g.host.apply(q.Node.Settings)
	s.Notes = append(s.Notes, notes...)
	return err
}

// devices brings up the share, and the substitutes for the NICs' features.
func (g *guestInit) devices(q guestSetup, s *guestState) error {
	if q.Share != nil {
		if err := g.mountShare(q.Share); err != nil {
			return fmt.Errorf("the share: %w", err)
		}
	}
	s.Notes = append(s.Notes, g.rdma(q.Node.RDMA)...)
	s.RDMA = rdmaDevices()
	s.Notes = append(s.Notes, g.host.degraded...)
	return nil
}

// nameNICs gives the machine's NICs the plan's names.
func (h *host) nameNICs(nics []guestNIC) error {
	links, err := h.nl.LinkList()
	if err != nil {
		return err
	}
	for _, n := range nics {
		var link netlink.Link
		for _, l := range links {
			if l.Attrs().HardwareAddr.String() == n.MAC && l.Type() == "device" {
				link = l
			}
		}
		if link == nil {
			return fmt.Errorf("interface %s: the machine has no NIC with the address %s (is virtio_net in the image?)",
				n.Interface, n.MAC)
		}
		// Two steps, because another NIC may have the name now.
		if err := h.nl.LinkSetName(link, fmt.Sprintf("lr%d", link.Attrs().Index)); err != nil {
			return fmt.Errorf("interface %s: %w", n.Interface, err)
		}
	}
	for _, n := range nics {
		for _, l := range links {
			if l.Attrs().HardwareAddr.String() != n.MAC || l.Type() != "device" {
				continue
			}
			if err := h.nl.LinkSetName(l, n.Interface); err != nil {
				return fmt.Errorf("interface %s: %w", n.Interface, err)
			}
			h.nl.LinkSetAlias(l, n.Alias)
		}
	}
	return nil
}

func (g *guestInit) link(op string, q guestLink) error {
	h := g.host
	return h.do(func() error {
		return h.onLink(plan.Setting{Interface: q.Interface}, func(link netlink.Link) error {
			if op == opMTU {
				if err := h.nl.LinkSetMTU(link, q.MTU); err != nil {
					return err
				}
			}
			if q.Rate == 0 {
				return nil
			}
			rate := unit.BitRate(q.Rate)
			burst, queue := ceiling.Bucket(rate, q.MTU)
			if underSoftRoCE("/sys", q.Interface) {
				queue = max(queue, layout.RoCEQueue(q.MTU))
			}
			return AddBucketOf(h.nl, link, rate, burst, queue)
		})
	})
}

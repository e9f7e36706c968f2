//go:build linux

// Package wire makes the networks that the programs of bench measure: network namespaces of this machine with an agent
// in each, and links between them, whose rate the token bucket of a lab limits.
package wire

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
	"linerate/tools/bench/harness"
)

// Net is hosts with links between them: one link between two hosts, a switch for more.
type Net struct {
	Hosts  []*Host
	sw     string // namespace of the switch; empty: none
	ports  []port // both ends of every link
	extra  []*agent.Client
	closed bool
}

// Host is one namespace with its agent.
type Host struct {
	Name  string // of the namespace
	Agent *agent.Client
	V4    netip.Addr
	V6    netip.Addr

	sender     *port // the interface of the host
	toward     *port // the interface that sends to the host
	connection connect.Connection
	next       string // namespace of the next host, which Acks reads
}

// port is one end of a link.
type port struct {
	namespace string
	name      string
	handle    *netlink.Handle
	link      netlink.Link
}

// agentArgument is the first argument of a process that is an agent: every host has this program itself as its agent.
const agentArgument = "agent"

// Main is the main function of a program that uses this package: bench until it ends or is interrupted, or an agent if
// New or Wasteful has started this process.
func Main(name string, bench func(context.Context) error) {
	if len(os.Args) < 2 || len(os.Args) > 3 || os.Args[1] != agentArgument {
		harness.Main(name, bench)
		return
	}
	if len(os.Args) == 3 {
		share, err := strconv.ParseFloat(os.Args[2], 64)
		if err != nil || share < 0 || share > 1 {
			fmt.Fprintf(os.Stderr, "%s is no share of a processor\n", os.Args[2])
			os.Exit(2)
		}
		go useCPU(share)
	}
	if err := agent.Serve(context.Background(), os.Stdin, os.Stdout, agent.Options{Log: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// useCPU uses a share of a CPU, in periods of 20 ms.
func useCPU(share float64) {
	const period = 20 * time.Millisecond
	for {
		began := time.Now()
		for time.Since(began) < time.Duration(share*float64(period)) {
		}
		time.Sleep(period - time.Since(began))
	}
}

// Wasteful starts a second agent at a host, which uses a share of a CPU for nothing. Close ends it.
func (w *Net) Wasteful(ctx context.Context, h *Host, share float64) (*agent.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c, err := agent.Dial(ctx, h.connection, []string{self, agentArgument, strconv.FormatFloat(share, 'g', -1, 64)})
	if err == nil {
		w.extra = append(w.extra, c)
	}
	return c, err
}

// New makes n hosts and starts an agent in each. It needs root and iproute2; Close removes all of it.
func New(ctx context.Context, n int) (*Net, error) {
	w := &Net{}
	if err := w.make(ctx, n); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Net) make(ctx context.Context, n int) error {
	if n < 2 {
		return fmt.Errorf("%d hosts are no network", n)
	}
	id := strconv.Itoa(os.Getpid())
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for i := range n {
		h := &Host{Name: fmt.Sprintf("lrw%s%c", id, 'a'+i), V4: netip.AddrFrom4([4]byte{10, 79, 0, byte(i + 1)}),
			V6: netip.MustParseAddr(fmt.Sprintf("fd79::%d", i+1))}
		if err := harness.IP(ctx, "netns add "+h.Name); err != nil {
			return err
		}
		w.Hosts = append(w.Hosts, h)
	}
	if n == 2 {
		err = w.addLink(ctx, w.Hosts[0].Name, "w0", w.Hosts[1].Name, "w1")
		if err == nil {
			a, b := &w.ports[0], &w.ports[1]
			w.Hosts[0].sender, w.Hosts[0].toward, w.Hosts[1].sender, w.Hosts[1].toward = a, b, b, a
		}
	} else {
		err = w.addSwitch(ctx, "lrw"+id+"s")
	}
	if err != nil {
		return err
	}
	for i, h := range w.Hosts {
		h.next = w.Hosts[(i+1)%n].Name
		to := "-n " + h.Name
		if err := harness.IP(ctx, to+" addr add "+h.V4.String()+"/24 dev "+h.sender.name,
			to+" addr add "+h.V6.String()+"/64 dev "+h.sender.name+" nodad", to+" link set lo up",
			to+" link set "+h.sender.name+" up"); err != nil {
			return err
		}
		// A namespace inherits the machine's congestion control, which may pace.
		if err := h.setTCP("congestion_control", "reno"); err != nil {
			return err
		}
		if h.connection, err = connect.Open(ctx, connect.Spec{Kind: connect.Netns, Name: h.Name}); err != nil {
			return err
		}
		if h.Agent, err = agent.Dial(ctx, h.connection, []string{self, agentArgument}); err != nil {
			return err
		}
	}
	return nil
}

// setTCP sets a sysctl of TCP in the host's namespace.
func (h *Host) setTCP(name, value string) error {
	return inside(h.Name, func() error {
		return os.WriteFile("/proc/sys/net/ipv4/tcp_"+name, []byte(value), 0)
	})
}

// addSwitch links all hosts with a bridge in a namespace of its own.
func (w *Net) addSwitch(ctx context.Context, namespace string) error {
	w.sw = namespace
	to := "-n " + namespace
	if err := harness.IP(ctx, "netns add "+namespace, to+" link add sw0 type bridge", to+" link set sw0 up"); err != nil {
		return err
	}
	for i, h := range w.Hosts {
		name := fmt.Sprintf("s%d", i)
		if err := w.addLink(ctx, h.Name, "w0", namespace, name); err != nil {
			return err
		}
		if err := harness.IP(ctx, to+" link set "+name+" master sw0 up"); err != nil {
			return err
		}
	}
	for i, h := range w.Hosts {
		h.sender, h.toward = &w.ports[2*i], &w.ports[2*i+1]
	}
	return nil
}

func (w *Net) addLink(ctx context.Context, from, a, to, b string) error {
	line := fmt.Sprintf("link add %s netns %s type veth peer name %s netns %s", a, from, b, to)
	if err := harness.IP(ctx, line); err != nil {
		return err
	}
	for _, p := range []port{{namespace: from, name: a}, {namespace: to, name: b}} {
		err := inside(p.namespace, func() (err error) { p.handle, err = netlink.NewHandle(unix.NETLINK_ROUTE); return err })
		if err != nil {
			return err
		}
		if p.link, err = p.handle.LinkByName(p.name); err != nil {
			p.handle.Close()
			return err
		}
		w.ports = append(w.ports, p)
	}
	return nil
}

// inside calls f on a thread in a namespace. Sockets that f makes stay in that namespace.
func inside(namespace string, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		file, err := os.Open("/var/run/netns/" + namespace)
		if err == nil {
			err = unix.Setns(int(file.Fd()), unix.CLONE_NEWNET)
			file.Close()
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	return <-done
}

// Now is the kernel's monotonic clock in nanoseconds, which the token bucket uses, too.
func Now() int64 {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return t.Nano()
}

// Close ends the agents and removes the namespaces.
func (w *Net) Close() {
	if w.closed {
		return
	}
	w.closed = true
	for _, c := range w.extra {
		c.Close()
	}
	for _, h := range w.Hosts {
		if h.Agent != nil {
			h.Agent.Close()
		}
		if h.connection != nil {
			h.connection.Close()
		}
	}
	for _, p := range w.ports {
		p.handle.Close()
	}
	for _, h := range w.Hosts {
		harness.RemoveNamespaces(h.Name)
	}
	if w.sw != "" {
		harness.RemoveNamespaces(w.sw)
	}
}

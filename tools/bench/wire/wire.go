//go:build linux

// Package wire is what the programs under bench measure on: network namespaces on this machine, each with linerate's
// agent in it, joined by links whose rate the lab's own token bucket limits.
package wire

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/agent"
	"linerate/internal/host/connect"
)

// Net is hosts that are joined: two by one cable, more by a switch.
type Net struct {
	Hosts  []*Host
	far    string // namespace of the switch; empty: none
	ports  []port // both ends of every cable
	more   []*agent.Client
	closed bool
}

// Host is one namespace.
type Host struct {
	Name  string // of the namespace
	Agent *agent.Client
	V4    netip.Addr
	V6    netip.Addr

	sender *port // its own interface
	toward *port // the interface that sends towards it
	reach  connect.Reach
	next   string // namespace of the next host, see Acks
}

// port is one end of a cable.
type port struct {
	space  string
	name   string
	handle *netlink.Handle
	link   netlink.Link
}

// AgentWord is the argument with which the program that uses this package is started as an agent, see Main.
const AgentWord = "agent"

// Main is a program's main function: bench until it ends or is interrupted, or an agent if this process was started as one.
func Main(name string, bench func(context.Context) error) {
	if asAgent() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// asAgent runs an agent and returns true if this process was started as one.
func asAgent() bool {
	if len(os.Args) < 2 || len(os.Args) > 3 || os.Args[1] != AgentWord {
		return false
	}
	if len(os.Args) == 3 {
		share, err := strconv.ParseFloat(os.Args[2], 64)
		if err != nil || share < 0 || share > 1 {
			fmt.Fprintf(os.Stderr, "%s is no share of a processor\n", os.Args[2])
			os.Exit(2)
		}
		go burn(share)
	}
	if err := agent.Serve(context.Background(), os.Stdin, os.Stdout, agent.Options{Log: os.Stderr}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// burn uses a share of a processor, 20 ms after 20 ms.
func burn(share float64) {
	const turn = 20 * time.Millisecond
	for {
		began := time.Now()
		for time.Since(began) < time.Duration(share*float64(turn)) {
		}
		time.Sleep(turn - time.Since(began))
	}
}

// Wasteful starts another agent at a host that uses a share of a processor for nothing, all the time. Close ends it.
func (w *Net) Wasteful(ctx context.Context, h *Host, share float64) (*agent.Client, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c, err := agent.Dial(ctx, h.reach, []string{self, AgentWord, strconv.FormatFloat(share, 'g', -1, 64)})
	if err == nil {
		w.more = append(w.more, c)
	}
	return c, err
}

// New makes n hosts and starts an agent in each. It needs root and iproute2; Close takes everything away.
func New(ctx context.Context, n int) (*Net, error) {
	w := &Net{}
	if err := w.make(ctx, n); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Net) make(ctx context.Context, n int) error {
	id := strconv.Itoa(os.Getpid())
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for i := range n {
		h := &Host{Name: fmt.Sprintf("lrw%s%c", id, 'a'+i), V4: netip.AddrFrom4([4]byte{10, 79, 0, byte(i + 1)}), V6: netip.MustParseAddr(fmt.Sprintf("fd79::%d", i+1))}
		if err := Command(ctx, "ip", "netns", "add", h.Name); err != nil {
			return err
		}
		w.Hosts = append(w.Hosts, h)
	}
	switch {
	case n < 2:
		return fmt.Errorf("%d hosts are no network", n)
	case n == 2:
		err = w.cable(ctx, w.Hosts[0].Name, "w0", w.Hosts[1].Name, "w1")
		if err == nil {
			a, b := &w.ports[0], &w.ports[1]
			w.Hosts[0].sender, w.Hosts[0].toward, w.Hosts[1].sender, w.Hosts[1].toward = a, b, b, a
		}
	default:
		err = w.star(ctx, "lrw"+id+"s")
	}
	if err != nil {
		return err
	}
	for i, h := range w.Hosts {
		h.next = w.Hosts[(i+1)%n].Name
		// A namespace inherits the host's congestion control, which may pace.
		steps := [][]string{{"ip", "-n", h.Name, "addr", "add", h.V4.String() + "/24", "dev", h.sender.name},
			{"ip", "-n", h.Name, "addr", "add", h.V6.String() + "/64", "dev", h.sender.name, "nodad"},
			{"ip", "-n", h.Name, "link", "set", "lo", "up"}, {"ip", "-n", h.Name, "link", "set", h.sender.name, "up"},
			{"ip", "netns", "exec", h.Name, "sh", "-c", "echo reno >/proc/sys/net/ipv4/tcp_congestion_control"}}
		for _, s := range steps {
			if err := Command(ctx, s[0], s[1:]...); err != nil {
				return err
			}
		}
		if h.reach, err = connect.Open(ctx, connect.Spec{Kind: connect.Netns, Name: h.Name}); err != nil {
			return err
		}
		if h.Agent, err = agent.Dial(ctx, h.reach, []string{self, AgentWord}); err != nil {
			return err
		}
	}
	return nil
}

// star joins all hosts to a bridge in a namespace of its own.
func (w *Net) star(ctx context.Context, space string) error {
	if err := Command(ctx, "ip", "netns", "add", space); err != nil {
		return err
	}
	w.far = space
	if err := Command(ctx, "ip", "-n", space, "link", "add", "sw0", "type", "bridge"); err != nil {
		return err
	}
	if err := Command(ctx, "ip", "-n", space, "link", "set", "sw0", "up"); err != nil {
		return err
	}
	for i, h := range w.Hosts {
		name := fmt.Sprintf("s%d", i)
		if err := w.cable(ctx, h.Name, "w0", space, name); err != nil {
			return err
		}
		if err := Command(ctx, "ip", "-n", space, "link", "set", name, "master", "sw0", "up"); err != nil {
			return err
		}
	}
	for i, h := range w.Hosts {
		h.sender, h.toward = &w.ports[2*i], &w.ports[2*i+1]
	}
	return nil
}

func (w *Net) cable(ctx context.Context, near, a, far, b string) error {
	if err := Command(ctx, "ip", "link", "add", a, "netns", near, "type", "veth", "peer", "name", b, "netns", far); err != nil {
		return err
	}
	for _, p := range []port{{space: near, name: a}, {space: far, name: b}} {
		err := inside(p.space, func() (err error) { p.handle, err = netlink.NewHandle(unix.NETLINK_ROUTE); return err })
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

// inside calls f on a thread that is in a namespace. Sockets made there stay in it.
func inside(space string, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		file, err := os.Open("/var/run/netns/" + space)
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

// Now is the kernel's monotonic clock, which the token bucket runs on, too.
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
	for _, c := range w.more {
		c.Close()
	}
	for _, h := range w.Hosts {
		if h.Agent != nil {
			h.Agent.Close()
		}
		if h.reach != nil {
			h.reach.Close()
		}
	}
	for _, p := range w.ports {
		p.handle.Close()
	}
	for _, h := range w.Hosts {
		_ = exec.Command("ip", "netns", "del", h.Name).Run()
	}
	if w.far != "" {
		_ = exec.Command("ip", "netns", "del", w.far).Run()
	}
}

// Command runs a program to its end; what it said is in the error.
func Command(ctx context.Context, name string, args ...string) error {
	_, err := Output(ctx, name, args...)
	return err
}

// Output is Command with what the program said.
func Output(ctx context.Context, name string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return "", errors.Join(fmt.Errorf("%s %s: %s", name, strings.Join(args, " "), strings.TrimSpace(string(out))), err)
	}
	return string(out), nil
}

// Machine is one line on what was measured on.
func Machine() string {
	var u unix.Utsname
	_ = unix.Uname(&u)
	cpu := "unknown processor"
	text, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(text), "\n") {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	return fmt.Sprintf("%s, %d cores, Linux %s, %s", cpu, runtime.NumCPU(), unix.ByteSliceToString(u.Release[:]), runtime.Version())
}

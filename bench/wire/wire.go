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
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/agent"
	"linerate/lab"
	"linerate/reach"
	"linerate/unit"
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
	reach  reach.Reach
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

// Main runs an agent and returns true if this process was started as one.
func Main() bool {
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
		if h.reach, err = reach.Open(ctx, reach.Spec{Kind: reach.Netns, Name: h.Name}); err != nil {
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

// Shape is a limit of links. Queue and Burst, in bytes, are the least of both; the lab's own are taken where they are more.
type Shape struct {
	Rate         unit.BitRate
	MTU          int
	Queue, Burst uint32
}

// Shape limits every link in both directions.
func (w *Net) Shape(s Shape) error {
	burst, queue := lab.Bucket(s.Rate, s.MTU)
	burst, queue = max(burst, s.Burst), max(queue, s.Queue)
	for _, p := range w.ports {
		if err := p.handle.LinkSetMTU(p.link, s.MTU); err != nil {
			return fmt.Errorf("MTU of %s: %w", p.name, err)
		}
		// Packets of at most half a millisecond, as TCP makes them by itself where it paces: the bytes then come evenly.
		if err := p.handle.LinkSetGSOMaxSegs(p.link, segments(s.Rate, s.MTU)); err != nil {
			return fmt.Errorf("segments of %s: %w", p.name, err)
		}
		if err := lab.AddBucketOf(p.handle, p.link, s.Rate, burst, queue); err != nil {
			return fmt.Errorf("limit %s to %v: %w", p.name, s.Rate, err)
		}
	}
	return nil
}

func segments(rate unit.BitRate, mtu int) int {
	return max(1, min(mostSegments, int(float64(rate)/8*0.0005)/mtu))
}

// mostSegments is the kernel's GSO_MAX_SEGS.
const mostSegments = 65535

// SendBuffer bounds the send buffer of every TCP connection that is opened from now on, in bytes; 0: as the kernel does.
func (w *Net) SendBuffer(ctx context.Context, most int) error {
	if most == 0 {
		most = 4 << 20
	}
	for _, h := range w.Hosts {
		value := fmt.Sprintf("4096 %d %d", min(16<<10, most), most)
		if err := Command(ctx, "ip", "netns", "exec", h.Name, "sh", "-c", "echo "+value+" >/proc/sys/net/ipv4/tcp_wmem"); err != nil {
			return err
		}
	}
	return nil
}

// Unshape takes the limits away.
func (w *Net) Unshape(mtu int) error {
	for _, p := range w.ports {
		if err := p.handle.LinkSetGSOMaxSegs(p.link, mostSegments); err != nil {
			return fmt.Errorf("segments of %s: %w", p.name, err)
		}
		if err := p.handle.LinkSetMTU(p.link, mtu); err != nil {
			return fmt.Errorf("MTU of %s: %w", p.name, err)
		}
		all, err := p.handle.QdiscList(p.link)
		if err != nil {
			return err
		}
		for _, q := range all {
			if q.Type() == "tbf" {
				if err := p.handle.QdiscDel(q); err != nil {
					return fmt.Errorf("take the limit of %s away: %w", p.name, err)
				}
			}
		}
	}
	return nil
}

// Acks is how many acknowledgements without data the host that acknowledges towards this one has sent so far, by its
// kernel's counters: segments sent less those with data. Of two hosts it is the other one; in a ring of more, in which
// each sends to the next, it is the next.
func (h *Host) Acks() (int64, error) {
	var text string
	err := inside(h.next, func() error {
		for _, name := range []string{"snmp", "netstat"} {
			b, err := os.ReadFile("/proc/thread-self/net/" + name)
			if err != nil {
				return err
			}
			text += string(b)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	out, ok := counter(text, "Tcp:", "OutSegs")
	data, known := counter(text, "TcpExt:", "TCPOrigDataSent")
	if !ok || !known {
		return 0, errors.New("this kernel does not count OutSegs and TCPOrigDataSent")
	}
	return out - data, nil
}

// counter finds a counter in /proc/net/snmp or netstat: a line of names, and one of values below it.
func counter(text, group, name string) (int64, bool) {
	var names []string
	for _, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != group {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, n := range names {
			if n == name && i < len(f) {
				v, err := strconv.ParseInt(f[i], 10, 64)
				return v, err == nil
			}
		}
		names = nil
	}
	return 0, false
}

// Count is what a token bucket has let through, as its own counters have it.
type Count struct {
	NS    int64 // stamp, between before and after the question
	Doubt int64 // half of the time that the question took
	Bytes uint64
	Drops uint32
}

// Carried is what the link has carried towards a host so far, and Sent what the host's own interface has.
func (h *Host) Carried() (Count, error) { return h.toward.count() }

func (h *Host) Sent() (Count, error) { return h.sender.count() }

func (p *port) count() (Count, error) {
	before := Now()
	all, err := p.handle.QdiscList(p.link)
	after := Now()
	if err != nil {
		return Count{}, err
	}
	for _, q := range all {
		if s := q.Attrs().Statistics; q.Type() == "tbf" && s != nil && s.Basic != nil && s.Queue != nil {
			return Count{NS: (before + after) / 2, Doubt: (after - before) / 2, Bytes: s.Basic.Bytes, Drops: s.Queue.Drops}, nil
		}
	}
	return Count{}, fmt.Errorf("%s has no token bucket with counters", p.name)
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

package collect

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/snapshot"
)

// The rounds of a probe. Requests without an answer are repeated in each round.
const (
	probeRound  = 400 * time.Millisecond
	probeRounds = 3
)

// Probe tests what no file of a host has, in the network namespace of the calling thread: ICMP echoes of the planned
// MTU that must not be fragmented, ARP requests, and the kernel's route to each target. It sends at most some dozens of
// packets to each target, and changes only the kernel's list of neighbours, as any packet does. It takes probeRounds
// times probeRound. The result is appended to a snapshot (Collect) as sources of its own, each with the reason where it
// is not known.
func Probe(ctx context.Context, targets []probe.ProbeTarget) []byte {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	p := &prober{links: map[int]netlink.Link{}, began: time.Now()}
	defer p.close()
	p.ways(targets)
	p.openEchoes()
	p.openARP()
	for round := range probeRounds {
		if ctx.Err() != nil {
			break
		}
		p.send(round)
		p.listen(p.began.Add(time.Duration(round+1) * probeRound))
	}
	return p.text()
}

// prober is one run of Probe.
type prober struct {
	targets []*probeState
	links   map[int]netlink.Link
	echo    [2]*echoSocket // IPv4, IPv6
	arp     []*arpSocket
	began   time.Time
	last    uint16 // sequence number of the last echo
}

// probeState is a target with its results.
type probeState struct {
	probe.ProbeTarget
	way     netlink.Route
	wayErr  error
	link    netlink.Link
	sent    map[uint16]sentEcho
	best    map[int]bool // answered sizes
	refused map[int]bool // sizes that the local interface refuses
	failed  error        // of sending
	rtt     time.Duration
}

type sentEcho struct {
	size int
	at   time.Time
}

// smallEcho is the size of packets that fit every path, in bytes.
const smallEcho = 84

// ways queries the kernel's route to each target.
func (p *prober) ways(targets []probe.ProbeTarget) {
	h, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err == nil {
		defer h.Close()
		err = h.SetSocketTimeout(dumpTimeout)
	}
	for _, t := range targets {
		s := &probeState{ProbeTarget: t, sent: map[uint16]sentEcho{}, best: map[int]bool{}, refused: map[int]bool{},
			wayErr: err}
		p.targets = append(p.targets, s)
		if err != nil {
			continue
		}
		routes, wayErr := h.RouteGet(t.Address.AsSlice())
		if wayErr == nil && len(routes) == 0 {
			wayErr = errors.New("the kernel names no way")
		}
		if s.wayErr = wayErr; wayErr != nil {
			continue
		}
		s.way = routes[0]
		if p.links[s.way.LinkIndex] == nil {
			if l, err := h.LinkByIndex(s.way.LinkIndex); err == nil {
				p.links[s.way.LinkIndex] = l
			}
		}
		s.link = p.links[s.way.LinkIndex]
	}
}

// send sends the open requests: in the first round with the smallest and the planned size, later also with sizes in
// between.
func (p *prober) send(round int) {
	for _, t := range p.targets {
		e := p.echo[family(t.Address)]
		if e == nil || e.fd < 0 || t.wayErr != nil {
			continue
		}
		sizes := []int{smallEcho, t.MTU}
		if round > 0 && t.best[smallEcho] && !t.best[t.MTU] && !t.refused[t.MTU] {
			sizes = append(sizes, probe.Sizes(t.MTU, t.Address.Is6())...)
		}
		for _, size := range sizes {
			if t.best[size] && size != smallEcho || t.refused[size] {
				continue
			}
			p.last++
			t.sent[p.last] = sentEcho{size, time.Now()}
			switch err := e.send(t.Address, p.last, size); {
			case errors.Is(err, unix.EMSGSIZE):
				t.refused[size] = true
			case err != nil:
				t.failed = err
			}
		}
	}
	for _, a := range p.arp {
		a.send()
	}
}

// listen reads answers until a time.
func (p *prober) listen(until time.Time) {
	buffer := make([]byte, 1<<16)
	for {
		wait := time.Until(until)
		if wait <= 0 {
			return
		}
		var fds []unix.PollFd
		for _, e := range p.echo {
			if e != nil && e.fd >= 0 {
				fds = append(fds, unix.PollFd{Fd: int32(e.fd), Events: unix.POLLIN})
			}
		}
		for _, a := range p.arp {
			if a.fd >= 0 {
				fds = append(fds, unix.PollFd{Fd: int32(a.fd), Events: unix.POLLIN})
			}
		}
		if len(fds) == 0 {
			return
		}
		if n, err := unix.Poll(fds, int(wait.Milliseconds())+1); n == 0 || err != nil && err != unix.EINTR {
			return
		}
		for i, e := range p.echo {
			for e != nil && e.fd >= 0 {
				sequence, from, ok := e.receive(buffer)
				if !ok {
					break
				}
				p.answered(i, sequence, from)
			}
		}
		for _, a := range p.arp {
			for a.fd >= 0 && a.receive(buffer) {
			}
		}
	}
}

func (p *prober) answered(family6 int, sequence uint16, from netip.Addr) {
	for _, t := range p.targets {
		sent, ok := t.sent[sequence]
		if !ok || family(t.Address) != family6 || from != t.Address {
			continue
		}
		t.best[sent.size] = true
		if took := time.Since(sent.at); sent.size == smallEcho && (t.rtt == 0 || took < t.rtt) {
			t.rtt = took
		}
	}
}

// text writes the results.
func (p *prober) text() []byte {
	var a snapshot.Archive
	add := func(name, text string) {
		a.Files = append(a.Files, snapshot.File{Name: name, Data: []byte(text + "\n")})
	}
	for _, t := range p.targets {
		to := t.Address.String()
		if t.wayErr != nil {
			add("ip route get "+to, probe.NotTried+reason(t.wayErr))
		} else {
			add("ip route get "+to, p.wayLine(t))
		}
		add("probe mtu "+to, p.pathLines(t))
	}
	for _, s := range p.arp {
		for _, o := range s.asks {
			add(fmt.Sprintf("probe arp %s %s", o.address, s.link.Attrs().Name), o.lines(s.err))
		}
	}
	return a.Behind()
}

// wayLine returns the first line of "ip route get".
func (p *prober) wayLine(t *probeState) string {
	line := t.Address.String()
	if t.way.Gw != nil {
		line += " via " + t.way.Gw.String()
	}
	if t.link != nil {
		line += " dev " + t.link.Attrs().Name
	}
	if t.way.Src != nil {
		line += " src " + t.way.Src.String()
	}
	return line
}

func (p *prober) pathLines(t *probeState) string {
	e := p.echo[family(t.Address)]
	switch {
	case t.wayErr != nil:
		return probe.NotTried + "there is no way to it: " + reason(t.wayErr)
	case e == nil || e.fd < 0:
		return probe.NotTried + "this user may not send ICMP echoes (" + e.err.Error() + "); as root, or with " +
			"net.ipv4.ping_group_range=\"0 2147483647\", he may"
	case t.failed != nil && !t.best[smallEcho]:
		return probe.NotTried + "an echo could not be sent: " + reason(t.failed)
	case !t.best[smallEcho]:
		return probe.NotTried + probe.NoEcho + p.whySilent(t.Address)
	}
	lines := []string{fmt.Sprintf("rtt %.6f", t.rtt.Seconds())}
	sizes := map[int]bool{smallEcho: true, t.MTU: true}
	for _, s := range t.sent {
		sizes[s.size] = true
	}
	var order []int
	for s := range sizes {
		order = append(order, s)
	}
	slices.Sort(order)
	for _, s := range order {
		word := "silent"
		if t.best[s] {
			word = "answered"
		} else if t.refused[s] {
			word = "too large for the interface"
		}
		lines = append(lines, fmt.Sprintf("size %d %s", s, word))
	}
	return strings.Join(lines, "\n")
}

// whySilent returns a possible reason why a target answers no echo, by its answers to ARP.
func (p *prober) whySilent(to netip.Addr) string {
	for _, s := range p.arp {
		for _, o := range s.asks {
			switch {
			case o.address != to || s.err != nil:
			case len(o.answers) > 0:
				return ", but ARP: a firewall drops them there or their answers here, or frames to the address go astray (ip " +
					"neigh show " + to.String() + ")"
			default:
				return ", and no ARP: it is down, or not on this network"
			}
		}
	}
	return ": it is down, on another network, or its firewall drops them"
}

func (p *prober) close() {
	for _, e := range p.echo {
		if e != nil && e.fd >= 0 {
			unix.Close(e.fd)
		}
	}
	for _, a := range p.arp {
		if a.fd >= 0 {
			unix.Close(a.fd)
		}
	}
}

func family(a netip.Addr) int {
	if a.Is4() {
		return 0
	}
	return 1
}

// own returns an address of the interface, or the zero address.
func own(ip net.IP) netip.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.Unmap()
}

// threadTime returns the CPU time of the calling thread, which must be locked.
func threadTime() (time.Duration, bool) {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) != nil {
		return 0, false
	}
	return time.Duration(ts.Nano()), true
}

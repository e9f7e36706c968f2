// Package halo is the engine of halo exchanges: processes on several hosts send each other the edges of their tiles.
package halo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/tcp"
)

// OverTCP is the entry of 2-D halo exchanges of processes on several hosts, over TCP.
func OverTCP() traffic.Entry {
	return traffic.Entry{Method: "halo", Transport: traffic.TCP, Takes: traffic.Takes{Halo: true, Spin: true},
		NoAmount: "it is for stream; halo takes a time", NoSource: "it is for stream, not for halo",
		Check: check, Size: sizeOf, Memory: memoryOf, Drain: haloDrain,
		Prepare: func(ctx context.Context, s traffic.Endpoint) (traffic.Engine, error) { return prepare(ctx, s) }}
}

// OverRDMA is the entry of halo exchanges over RDMA.
func OverRDMA() traffic.Entry {
	e := OverTCP()
	e.Transport, e.Prepare = traffic.RDMA, func(ctx context.Context, s traffic.Endpoint) (traffic.Engine,
		error) {
		return prepareRDMA(ctx, s)
	}
	return e
}

// sizeOf returns the size of a message, which follows from the tile.
func sizeOf(s traffic.Setup) unit.Bytes {
	if s.Size > 0 {
		return s.Size
	}
	return 1
}

// messageOf returns the size of a message in bytes: one byte of an empty tile, because a process cannot wait for
// nothing.
func messageOf(h *traffic.HaloOptions) int { return max(1, h.Tile*traffic.WordSize) }

const (
	// mostTile and mostRanks are the limits of one exchange. Two messages fit into the send buffer of a socket, so that
	// processes that all send first never wait for each other.
	mostTile  = 16384
	mostRanks = 4096
	// haloDrain is the time for exchanges that are under way at the end of the interval.
	haloDrain = time.Second
)

// check reports what is wrong with the settings of the method halo.
func check(s traffic.Setup) error {
	h := s.Halo
	switch {
	case h == nil:
		return traffic.Invalid("halo", "nothing", "what an exchange needs to know; use the same version of linerate on both")
	case h.Processes < 2 || h.Processes > mostRanks:
		return traffic.Invalid("processes", h.Processes, fmt.Sprintf("a number from 2 to %d", mostRanks))
	case h.Tile < 0 || h.Tile > mostTile:
		return traffic.Invalid("tiles", h.Tile, fmt.Sprintf("a number of words from 0 to %d", mostTile))
	case !slices.Contains([]string{"", traffic.TwoPhase, traffic.OnePhase, traffic.SendRecv}, h.Exchange):
		return traffic.Invalid("exchange", fmt.Sprintf("%.40q", h.Exchange), "two-phase, one-phase or sendrecv")
	case h.Hosts < 1 || h.Hosts > h.Processes || h.Host < 0 || h.Host >= h.Hosts:
		return traffic.Invalid("hosts", fmt.Sprintf("%d of %d", h.Host, h.Hosts), "a host of those that carry the processes")
	case s.Streams != len(ranksOf(h.Host, h.Hosts, h.Processes)):
		return traffic.Invalid("streams", s.Streams, "the number of processes of this host")
	case h.Together < s.Streams || h.First < 0 || h.First+s.Streams > h.Together:
		return traffic.Invalid("together", h.Together, "the number of processes on this machine")
	case h.Link != "" && (s.Transport != traffic.RDMA ||
		!slices.Contains([]string{traffic.LinkIB, traffic.LinkRoCEv1, traffic.LinkRoCEv2, traffic.LinkIWARP}, h.Link)):
		return traffic.Invalid("link", fmt.Sprintf("%.40q", h.Link), "ib, rocev1, rocev2 or iwarp, over rdma")
	case h.Nap < 0 || h.Nap > 10*time.Millisecond:
		return traffic.Invalid("nap", h.Nap, "a time up to 10 ms")
	case s.Transport == traffic.RDMA && s.Tuning.Spin:
		return traffic.Invalid("spin", true, "needed over rdma, where processes always poll")
	case s.Direction != traffic.Out || !s.Listen:
		return traffic.Invalid("transport", cmp.Or(s.Transport, traffic.TCP), "one of halo")
	}
	return nil
}

// memoryOf is what one end takes for its processes: messages of four sides, both ways, twice, and a histogram.
func memoryOf(s traffic.Setup) unit.Bytes {
	if s.Halo == nil {
		return 0
	}
	return unit.Bytes(s.Streams) * (4*sides*unit.Bytes(messageOf(s.Halo)) + traffic.HistogramMemory)
}

// engine is the processes of one host.
type engine struct {
	setup traffic.Endpoint
	grid  Grid
	ranks []int     // of this host
	port  *tcp.Port // nil: this end accepts no connections

	wires  map[int]*tcp.Wire // by the number of their edge, once joined
	joined bool
}

// newEngine makes an end that knows its ranks in the grid.
func newEngine(s traffic.Endpoint) engine {
	h := s.Halo
	return engine{setup: s, grid: GridOf(h.Processes), ranks: ranksOf(h.Host, h.Hosts, h.Processes),
		wires: map[int]*tcp.Wire{}}
}

// prepare opens the data port, if hosts behind this one connect to it.
func prepare(ctx context.Context, s traffic.Endpoint) (_ *engine, err error) {
	e := newEngine(s)
	expected := map[int]bool{}
	for number, other := range e.edges() {
		if other > s.Halo.Host {
			expected[number] = true
		}
	}
	if len(expected) > 0 {
		e.port, err = tcp.ListenFor(ctx, s, sockets(s.Halo), 2*s.Halo.Processes, expected)
	}
	return &e, err
}

// sockets returns options with which a message is sent at once, and a buffer for two, with what the kernel needs around
// them.
func sockets(h *traffic.HaloOptions) tcp.SocketOptions {
	return tcp.SocketOptions{NoDelay: true, SendBuffer: max(64<<10, 4*messageOf(h))}
}

// edges returns the edges that lead to other hosts, with the host of the other end.
func (e *engine) edges() map[int]int {
	h := e.setup.Halo
	out := map[int]int{}
	for _, r := range e.ranks {
		for side := range sides {
			if other := hostOf(e.grid.neighbour(r, side), h.Hosts); other != h.Host {
				number, _ := e.grid.edge(r, side)
				out[number] = other
			}
		}
	}
	return out
}

// Ready is where the hosts behind this one connect to.
func (e *engine) Ready(r *traffic.Ready) {
	r.Halo = &traffic.HaloPeer{Address: e.setup.Local}
	if e.port != nil {
		r.Halo.Port, r.Halo.Token = e.port.Number(), e.port.Token
	}
}

// mayJoin returns an error unless peers are all hosts, and nothing was connected before.
func (e *engine) mayJoin(peers []traffic.HaloPeer) error {
	if n := e.setup.Halo.Hosts; len(peers) != n {
		return &failure.Error{Code: failure.CodeInput, Subject: "halo",
			Text: fmt.Sprintf("%d hosts in place of %d", len(peers), n)}
	}
	if e.joined {
		return &failure.Error{Code: failure.CodeInput, Subject: "halo", Text: "the processes are connected already"}
	}
	return nil
}

// Join connects to the hosts before this one, all edges at once or none; peers has every host, in their order.
func (e *engine) Join(ctx context.Context, all traffic.Peers) error {
	peers, h := all.Halo, e.setup.Halo
	if err := e.mayJoin(peers); err != nil {
		return err
	}
	var numbers []int
	to := e.edges()
	for number, other := range to {
		if other < h.Host {
			numbers = append(numbers, number)
		}
	}
	slices.Sort(numbers)
	for _, number := range numbers {
		if p := peers[to[number]]; p.Port == 0 || len(p.Token) != socket.TokenSize ||
			p.Address.Is4() != e.setup.Local.Is4() || !p.Address.IsValid() {
			return &failure.Error{Code: failure.CodeInput, Subject: "halo",
				Text: fmt.Sprintf("host %d of %d did not say where it takes connections", to[number], h.Hosts)}
		}
	}
	wires, err := socket.DialAll(ctx, len(numbers), func(ctx context.Context, i int) (*tcp.Wire, error) {
		one, peer := e.setup, peers[to[numbers[i]]]
		one.Remote, one.Port, one.Token = peer.Address, peer.Port, peer.Token
		return tcp.DialAgain(ctx, one, sockets(h), numbers[i])
	})
	if err != nil {
		return err
	}
	for i, number := range numbers {
		e.wires[number] = wires[i]
	}
	e.joined = true
	return nil
}

// connected waits for the hosts behind this one, and returns the connections by the number of their edge.
func (e *engine) connected(ctx context.Context) (map[int]*tcp.Wire, error) {
	if !e.joined {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: "halo",
			Text: "the processes are not connected: join comes before start"}
	}
	if e.port == nil {
		return e.wires, nil
	}
	came, err := e.port.Wait(ctx)
	if err != nil {
		return nil, err
	}
	all := map[int]*tcp.Wire{}
	for number, w := range e.wires {
		all[number] = w
	}
	for number, w := range came {
		if w != nil {
			all[number] = w
		}
	}
	return all, nil
}

// Close closes the port and every connection.
func (e *engine) Close() {
	if e.port != nil {
		e.port.Close()
	}
	for _, w := range e.wires {
		w.Close()
	}
}

package traffic

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// Orders of an exchange.
const (
	TwoPhase = "two-phase" // to north and south at once, and when both halos are there to west and east
	OnePhase = "one-phase" // to all four at once
	SendRecv = "sendrecv"  // to north while the south halo comes, then the other three ways, one after the other
)

// WordSize is that of a word of a tile, in bytes.
const WordSize = 4

const (
	// mostTile and mostRanks bound what one exchange may be. A message fits whole into the send buffer of a socket, twice, so that
	// processes that all send first never wait for each other.
	mostTile  = 16384
	mostRanks = 4096
	// haloDrain is for exchanges that are under way at the end of the window.
	haloDrain = time.Second
)

// HaloOptions are those of the method halo: N by N tiles on a torus of processes, of which each end carries those of one host.
type HaloOptions struct {
	Processes int    `json:"processes"`          // all, of which rank r is on host r mod Hosts
	Tile      int    `json:"tile"`               // words of an edge, which is what a message carries; 0: the exchange alone, of a byte
	Exchange  string `json:"exchange,omitempty"` // two-phase, one-phase or sendrecv; empty: two-phase
	Hosts     int    `json:"hosts"`
	Host      int    `json:"host"` // number of this one
	// Together is how many processes run on this machine, by all its ends; First is the number of this end's first among them. With
	// as many cores each has one of its own.
	Together int `json:"together"`
	First    int `json:"first,omitempty"`
	// Link is what the RDMA device is planned to speak (VerbsOptions); over the transport rdma alone.
	Link string `json:"link,omitempty"`
	// Nap is how long a process over RDMA sleeps where it would give its turn up; 0: it does not. Machines whose processors are
	// emulated on one host would else keep each other from running.
	Nap time.Duration `json:"nap,omitempty"`
}

// HaloPeer is where the end of one host takes connections, for the ends of the hosts behind it.
type HaloPeer struct {
	Address netip.Addr `json:"address"`
	Port    uint16     `json:"port,omitempty"` // 0: it takes none
	Token   string     `json:"token,omitempty"`
	Verbs   *VerbsPeer `json:"verbs,omitempty"` // over RDMA: the queue pairs of its sides, in place of a port
}

// HaloSeen is what an end saw of its processes.
type HaloSeen struct {
	Crowded  bool        `json:"crowded,omitempty"` // fewer cores than processes on this machine
	Checked  int64       `json:"checked"`           // words of the first exchange that were what the neighbours sent
	LeftNS   [2]int64    `json:"left_ns"`           // stamps at which the first and the last process left the barrier
	Ranks    []HaloTimes `json:"ranks"`
	Remote   int         `json:"remote"` // neighbours on other hosts, of all its processes
	Local    int         `json:"local"`
	Self     int         `json:"self,omitempty"`
	Exchange string      `json:"exchange"`
	Wait     string      `json:"wait"`             // how a process waits for its halo
	Link     string      `json:"link,omitempty"`   // over RDMA: ib, rocev1, rocev2, iwarp
	Device   string      `json:"device,omitempty"` // and its device,
	Soft     bool        `json:"soft,omitempty"`   // which the kernel may stand in for,
	Inline   int64       `json:"inline,omitempty"` // the bytes up to which a message goes with its request,
	PathMTU  int64       `json:"path_mtu,omitempty"`
}

// HaloTimes are those of one process over the window.
type HaloTimes struct {
	Rank      int           `json:"rank"`
	Core      int           `json:"core"`            // -1: it is not placed
	Remote    int           `json:"remote"`          // of its four neighbours
	Exchanges int64         `json:"exchanges"`       // that ended in the window
	FirstNS   int64         `json:"first_ns"`        // stamps of the end of the first and the last of these
	LastNS    int64         `json:"last_ns"`         //
	Trips     *record.Trips `json:"trips,omitempty"` // times of one exchange of this process
}

// Mean is the time of an exchange, in seconds: between the ends of the first and the last of the window. 0: there are not two.
func (t HaloTimes) Mean() float64 {
	if t.Exchanges < 2 {
		return 0
	}
	return float64(t.LastNS-t.FirstNS) / 1e9 / float64(t.Exchanges-1)
}

func haloSize(int) unit.Bytes { return 1 }

// message is the size of a message in bytes: of an empty tile one byte, because nothing cannot be waited for.
func (h HaloOptions) message() int { return max(1, h.Tile*WordSize) }

// checkHalo says what is wrong with what s asks of the method halo.
func (s Setup) checkHalo() error {
	bad := func(key string, value any, want string) error {
		return &Error{Code: CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
	}
	h := s.Halo
	if s.Method != "halo" {
		if h != nil {
			return bad("halo", "an option of halo", "for "+s.Method)
		}
		return nil
	}
	switch {
	case h == nil:
		return bad("halo", "nothing", "what an exchange needs to know; use the same version of linerate on both")
	case h.Processes < 2 || h.Processes > mostRanks:
		return bad("processes", h.Processes, fmt.Sprintf("a number from 2 to %d", mostRanks))
	case h.Tile < 0 || h.Tile > mostTile:
		return bad("tiles", h.Tile, fmt.Sprintf("a number of words from 0 to %d", mostTile))
	case !slices.Contains([]string{"", TwoPhase, OnePhase, SendRecv}, h.Exchange):
		return bad("exchange", fmt.Sprintf("%.40q", h.Exchange), "two-phase, one-phase or sendrecv")
	case h.Hosts < 1 || h.Hosts > h.Processes || h.Host < 0 || h.Host >= h.Hosts:
		return bad("hosts", fmt.Sprintf("%d of %d", h.Host, h.Hosts), "a host of those that carry the processes")
	case s.Streams != len(ranksOf(h.Host, h.Hosts, h.Processes)):
		return bad("streams", s.Streams, "the number of processes of this host")
	case h.Together < s.Streams || h.First < 0 || h.First+s.Streams > h.Together:
		return bad("together", h.Together, "the number of processes on this machine")
	case h.Link != "" && (s.Transport != RDMA || !slices.Contains([]string{LinkIB, LinkRoCEv1, LinkRoCEv2, LinkIWARP}, h.Link)):
		return bad("link", fmt.Sprintf("%.40q", h.Link), "ib, rocev1, rocev2 or iwarp, over rdma")
	case h.Nap < 0 || h.Nap > 10*time.Millisecond:
		return bad("nap", h.Nap, "a time up to 10 ms")
	case s.Transport == RDMA && s.Tuning.Spin:
		return bad("spin", true, "needed over rdma, where processes always poll")
	case s.Direction != Out || !s.Listen || s.Transport != "" && s.Transport != TCP && s.Transport != RDMA:
		return bad("transport", cmp.Or(s.Transport, TCP), "one of halo")
	case s.Amount > 0 || s.Source != "" || s.Pace > 0 || s.Every > 0:
		return bad("amount", "an amount, a file or a pace", "part of halo")
	}
	return nil
}

// haloMemory is what one end takes for its processes: messages of four sides, both ways, twice, and a histogram.
func (s Setup) haloMemory() unit.Bytes {
	if s.Halo == nil {
		return 0
	}
	return unit.Bytes(s.Streams) * (4*sides*unit.Bytes(s.Halo.message()) + histogramMemory)
}

// haloEnd is the processes of one host.
type haloEnd struct {
	setup Setup
	grid  Grid
	ranks []int     // of this host
	port  *port     // nil: nobody connects to this end
	verbs *verbsEnd // over RDMA

	wires  map[int]*wire // by the number of their edge, once joined
	joined bool
}

// prepareHalo opens the data port, if hosts behind this one connect to it.
func prepareHalo(ctx context.Context, s Setup) (*haloEnd, error) {
	h := s.Halo
	e := &haloEnd{setup: s, grid: GridOf(h.Processes), ranks: ranksOf(h.Host, h.Hosts, h.Processes), wires: map[int]*wire{}}
	if s.Transport == RDMA {
		var err error
		e.verbs, err = prepareHaloVerbs(ctx, s)
		return e, err
	}
	expected := map[int]bool{}
	for number, other := range e.edges() {
		if other > h.Host {
			expected[number] = true
		}
	}
	if len(expected) == 0 {
		return e, nil
	}
	var err error
	e.port, err = listenFor(ctx, s, 2*h.Processes, expected)
	return e, err
}

// edges are those that lead to other hosts, with the host of the other end.
func (e *haloEnd) edges() map[int]int {
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

// ready is where the hosts behind this one connect to.
func (e *haloEnd) ready() *HaloPeer {
	p := &HaloPeer{Address: e.setup.Local}
	if e.verbs != nil {
		p.Verbs = &e.verbs.own
	}
	if e.port != nil {
		p.Port, p.Token = e.port.number(), e.port.token
	}
	return p
}

// join connects to the hosts before this one, all edges at once or none; peers has every host, in their order.
func (e *haloEnd) join(ctx context.Context, peers []HaloPeer) error {
	h := e.setup.Halo
	if len(peers) != h.Hosts {
		return &Error{Code: CodeInput, Subject: "halo", Text: fmt.Sprintf("%d hosts in place of %d", len(peers), h.Hosts)}
	}
	if e.joined {
		return &Error{Code: CodeInput, Subject: "halo", Text: "the processes are connected already"}
	}
	if e.verbs != nil {
		err := e.joinVerbs(ctx, peers)
		e.joined = err == nil
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
		if p := peers[to[number]]; p.Port == 0 || len(p.Token) != tokenSize || p.Address.Is4() != e.setup.Local.Is4() || !p.Address.IsValid() {
			return &Error{Code: CodeInput, Subject: "halo", Text: fmt.Sprintf("host %d of %d did not say where it takes connections", to[number], h.Hosts)}
		}
	}
	wires, err := dialAll(ctx, len(numbers), func(ctx context.Context, i int) (*wire, error) {
		one, peer := e.setup, peers[to[numbers[i]]]
		one.Remote, one.Port, one.Token = peer.Address, peer.Port, peer.Token
		return dialAgain(ctx, one, numbers[i])
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
func (e *haloEnd) connected(ctx context.Context) (map[int]*wire, error) {
	if !e.joined {
		return nil, &Error{Code: CodeInput, Subject: "halo", Text: "the processes are not connected: join comes before start"}
	}
	if e.port == nil {
		return e.wires, nil
	}
	came, err := e.port.wait(ctx)
	if err != nil {
		return nil, err
	}
	all := map[int]*wire{}
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

func (e *haloEnd) close() {
	if e.port != nil {
		e.port.close()
	}
	for _, w := range e.wires {
		w.close()
	}
}

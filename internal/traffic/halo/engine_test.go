package halo

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/testenv"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
	"linerate/internal/traffic/tcp"
	"linerate/internal/traffic/traffictest"
	"linerate/internal/traffic/udp"
)

func TestGrid(t *testing.T) {
	for n, want := range map[int]Grid{1: {1, 1}, 2: {2, 1}, 4: {2, 2}, 7: {7, 1}, 8: {4, 2}, 12: {4, 3}, 32: {8, 4},
		36: {6, 6}} {
		if got := GridOf(n); got != want {
			t.Errorf("%d processes: %v, want %v", n, got, want)
		}
	}
	g := Grid{Columns: 4, Rows: 2}
	for _, c := range []struct{ rank, side, want int }{
		{0, north, 4}, {0, south, 4}, {0, west, 3}, {0, east, 1}, {3, east, 0}, {5, north, 1}, {5, west, 4}, {7, east, 4},
		{7, south, 3},
	} {
		if got := g.neighbour(c.rank, c.side); got != c.want {
			t.Errorf("rank %d %s: %d, want %d", c.rank, sideName(c.side), got, c.want)
		}
	}
}

// Every side is one end of exactly one edge, whose other end is the neighbour's opposite side.
func TestEdges(t *testing.T) {
	for n := 1; n <= 40; n++ {
		g := GridOf(n)
		ends := map[int][2]int{} // rank*sides+side+1 of the first and the second end
		for r := range n {
			for side := range sides {
				number, first := g.edge(r, side)
				e, i := ends[number], 1
				if first {
					i = 0
				}
				if e[i] != 0 || number < 0 || number >= 2*n {
					t.Fatalf("%d processes: edge %d has two ends of one kind", n, number)
				}
				e[i] = r*sides + side + 1
				ends[number] = e
			}
		}
		for number, e := range ends {
			r, side := (e[0]-1)/sides, (e[0]-1)%sides
			if e[1]-1 != g.neighbour(r, side)*sides+opposite(side) {
				t.Errorf("%d processes: edge %d joins %v", n, number, e)
			}
		}
	}
}

func TestCyclicPlacement(t *testing.T) {
	if got := ranksOf(1, 4, 10); !slices.Equal(got, []int{1, 5, 9}) {
		t.Errorf("ranks of host 1 of 4: %v", got)
	}
	for _, c := range []struct{ processes, hosts, remote, local, self int }{
		{2, 2, 4, 0, 4},    // a row of two: north and south are the rank itself
		{4, 4, 16, 0, 0},   // 4x1
		{8, 4, 16, 16, 0},  // 4x2: a column's neighbours are on one host
		{32, 4, 64, 64, 0}, // 4x8
		{12, 1, 0, 48, 0},  // all on one host
		{6, 4, 24, 0, 0},   // no multiple of the hosts
		{9, 2, 24, 12, 0},
	} {
		if r, l, s := Neighbours(c.processes, c.hosts); r != c.remote || l != c.local || s != c.self {
			t.Errorf("%d processes on %d hosts: %d remote, %d local, %d itself, want %d, %d, %d", c.processes, c.hosts, r, l,
				s, c.remote, c.local, c.self)
		}
	}
}

// haloSetups are the ends of an exchange whose hosts are this one.
func haloSetups(processes, hosts, tile int, exchange string) []traffic.Setup {
	here := netip.MustParseAddr("127.0.0.1")
	var out []traffic.Setup
	first := 0
	for h := range hosts {
		n := len(ranksOf(h, hosts, processes))
		out = append(out, traffic.Setup{Method: "halo", Side: traffic.From, Listen: true, Direction: traffic.Out,
			Streams: n, Warmup: 20 * time.Millisecond, Interval: 300 * time.Millisecond,
			Local: here, Remote: here, Seed: 7, Halo: &traffic.HaloOptions{Processes: processes, Tile: tile,
				Exchange: exchange, Hosts: hosts, Host: h, Together: processes, First: first}})
		first += n
	}
	return out
}

// haloEnds are ends that are joined.
func haloEnds(t *testing.T, setups []traffic.Setup) []*traffic.End {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var ends []*traffic.End
	var peers []traffic.HaloPeer
	for _, s := range setups {
		e, err := table().Prepare(ctx, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.Close)
		ends, peers = append(ends, e), append(peers, *e.Ready().Halo)
	}
	var wg sync.WaitGroup
	for _, e := range ends {
		wg.Go(func() {
			if err := e.Join(ctx, traffic.Peers{Halo: peers}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	return ends
}

// runHaloEnds runs them all from one moment on.
func runHaloEnds(t *testing.T, ends []*traffic.End) ([]*traffic.Outcome, []error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	outcomes, errs := make([]*traffic.Outcome, len(ends)), make([]error, len(ends))
	begin := traffic.Now() + int64(traffictest.Lead)
	var wg sync.WaitGroup
	for i, e := range ends {
		wg.Go(func() { outcomes[i], errs[i] = e.Run(ctx, begin, func([]traffic.Sample) {}) })
	}
	wg.Wait()
	return outcomes, errs
}

// Real sockets carry the edges between hosts, memory the others; every word is looked at.
func TestHaloExchange(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	type exchange struct {
		processes, hosts, tile int
		exchange               string
	}
	all := []exchange{
		{2, 2, 2, ""}, {4, 4, 64, traffic.TwoPhase}, {8, 4, 1024, traffic.OnePhase}, {8, 4, 16, traffic.SendRecv},
		{6, 4, 1, traffic.TwoPhase}, {4, 2, 0, traffic.TwoPhase},
		{9, 2, 16384, traffic.OnePhase}, {5, 2, 16384, traffic.SendRecv},
	}
	ends := make([][]*traffic.End, len(all))
	for i, c := range all {
		ends[i] = haloEnds(t, haloSetups(c.processes, c.hosts, c.tile, c.exchange))
	}
	outcomes, errs := make([][]*traffic.Outcome, len(all)), make([][]error, len(all))
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { outcomes[i], errs[i] = runHaloEnds(t, ends[i]) })
	}
	wg.Wait()
	for i, c := range all {
		if err := errors.Join(errs[i]...); err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		var checked, fewest, most int64
		fewest = -1
		ranks, remote := map[int]bool{}, 0
		for _, o := range outcomes[i] {
			checked += o.Halo.Checked
			remote += o.Halo.Remote
			for _, r := range o.Halo.Ranks {
				ranks[r.Rank] = true
				if fewest < 0 || r.Exchanges < fewest {
					fewest = r.Exchanges
				}
				most = max(most, r.Exchanges)
				if r.Exchanges > 1 && r.Mean() <= 0 {
					t.Errorf("%+v: rank %d: %v s", c, r.Rank, r.Mean())
				}
			}
		}
		wantRemote, _, _ := Neighbours(c.processes, c.hosts)
		if checked != int64(4*c.processes*c.tile) || len(ranks) != c.processes || remote != wantRemote {
			t.Errorf("%+v: %d words checked, %d ranks, %d remote neighbours", c, checked, len(ranks), remote)
		}
		// At each edge of the interval no process can be further ahead of another than the steps between them, and the one
		// that it is stamping.
		g := GridOf(c.processes)
		if most-fewest > 2*int64(g.Columns/2+g.Rows/2)+2 {
			t.Errorf("%+v: %d to %d exchanges", c, fewest, most)
		}
	}
}

// The first exchange detects a process that sends something else.
func TestHaloWrongData(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	setups := haloSetups(4, 4, 8, traffic.TwoPhase)
	for i := range setups {
		setups[i].Interval = 2 * time.Minute
	}
	setups[2].Seed++
	_, errs := runHaloEnds(t, haloEnds(t, setups))
	if err := errors.Join(errs...); err == nil || !strings.Contains(err.Error(), "the data is not the neighbour's") {
		t.Errorf("%v", err)
	}
}

// A host that vanishes in the middle ends the others with an error.
func TestHaloNeighbourDies(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	setups := haloSetups(4, 4, 8, traffic.TwoPhase)
	for i := range setups {
		setups[i].Interval = 2 * time.Minute
	}
	ends := haloEnds(t, setups)
	go func() {
		for end := ends[3]; ; time.Sleep(10 * time.Millisecond) {
			end.Mu.Lock()
			started := end.Started
			end.Mu.Unlock()
			if started {
				break
			}
		}
		time.Sleep(traffictest.Lead) // into the exchanges, or before them: it is all the same to the others
		ends[3].Close()
	}()
	_, errs := runHaloEnds(t, ends)
	for i, err := range errs[:3] {
		var e *failure.Error
		if !errors.As(err, &e) || e.Code != failure.CodeReset {
			t.Errorf("host %d: %v", i, err)
		}
	}
	var e *failure.Error
	if !errors.As(errs[3], &e) || e.Code != failure.CodeStopped {
		t.Errorf("host 3: %v", errs[3])
	}
}

// A peer without the token is refused, and the exchange goes on.
func TestHaloToken(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	setups := haloSetups(2, 2, 4, traffic.TwoPhase)
	ctx := t.Context()
	a, err := table().Prepare(ctx, setups[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := table().Prepare(ctx, setups[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	unauthenticatedPeer, err := net.Dial("tcp", netip.AddrPortFrom(setups[0].Local, a.Ready().Halo.Port).String())
	if err != nil {
		t.Fatal(err)
	}
	defer unauthenticatedPeer.Close()
	_, _ = unauthenticatedPeer.Write(tcp.Preamble(strings.Repeat("0", socket.TokenSize), 1))
	if n, err := unauthenticatedPeer.Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("an unauthenticated peer was let in")
	}
	wrong := []traffic.HaloPeer{*a.Ready().Halo, *b.Ready().Halo}
	wrong[0].Token = strings.Repeat("0", socket.TokenSize)
	if err := b.Join(ctx, traffic.Peers{Halo: wrong}); err == nil {
		t.Error("joined with a wrong token")
	}
	peers := []traffic.HaloPeer{*a.Ready().Halo, *b.Ready().Halo}
	for _, e := range []*traffic.End{a, b} {
		if err := e.Join(ctx, traffic.Peers{Halo: peers}); err != nil {
			t.Fatal(err)
		}
	}
	outcomes, errs := runHaloEnds(t, []*traffic.End{a, b})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if outcomes[0].UnauthenticatedPeers < 2 || len(outcomes[0].Warnings) == 0 {
		t.Errorf("%d unauthenticated peers: %v", outcomes[0].UnauthenticatedPeers, outcomes[0].Warnings)
	}
}

func TestHaloSetup(t *testing.T) {
	for want, change := range map[string]func(*traffic.Setup){
		"1 is not a number from 2 to 4096": func(s *traffic.Setup) {
			s.Halo.Processes, s.Halo.Hosts, s.Streams = 1, 1,
				1
		},
		"20000 is not a number of words":       func(s *traffic.Setup) { s.Halo.Tile = 20000 },
		"\"spiral\" is not two-phase":          func(s *traffic.Setup) { s.Halo.Exchange = "spiral" },
		"is not a host of those that carry":    func(s *traffic.Setup) { s.Halo.Host = 4 },
		"is not the number of processes of":    func(s *traffic.Setup) { s.Streams = 2 },
		"the number of processes on this mach": func(s *traffic.Setup) { s.Halo.Together = 0 },
		"udp is not one of halo":               func(s *traffic.Setup) { s.Transport = traffic.UDP },
		"nothing is not what an exchange":      func(s *traffic.Setup) { s.Halo = nil },
		"not for latency":                      func(s *traffic.Setup) { s.Method = "latency" },
	} {
		s := haloSetups(4, 4, 8, "")[0]
		change(&s)
		if err := table().Check(s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// table has the engines of halo.
func table() traffic.Table { return traffic.Table{OverTCP(), OverRDMA(), tcp.Ping(), udp.Ping()} }

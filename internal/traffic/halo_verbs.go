package traffic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"linerate/internal/base/unit"
)

// haloSlot is the room of a message over RDMA: its words, filled up to eight bytes, and the number that tells that it is there.
func (h HaloOptions) haloSlot() int { return (h.Tile*WordSize+7)/8*8 + 8 }

// remoteSide is a side of a process of one host that has its neighbour on another.
type remoteSide struct{ rank, side int }

// remoteSides are those of a host, in the order in which it numbers their queue pairs.
func (h HaloOptions) remoteSides(host int) (out []remoteSide) {
	g := GridOf(h.Processes)
	for _, r := range ranksOf(host, h.Hosts, h.Processes) {
		for side := range sides {
			if hostOf(g.neighbour(r, side), h.Hosts) != host {
				out = append(out, remoteSide{r, side})
			}
		}
	}
	return out
}

// haloYield is after how many looks in vain a process gives its turn up: it looks at memory, which costs less than to give up a turn, and
// may be waited for by others of its host.
const haloYield = 64

// awaited is how many of these pairs lead to hosts behind this one, which connect to it where rdma_cm has to (iWARP).
func (h HaloOptions) awaited() (n int) {
	g := GridOf(h.Processes)
	for _, x := range h.remoteSides(h.Host) {
		if hostOf(g.neighbour(x.rank, x.side), h.Hosts) > h.Host {
			n++
		}
	}
	return n
}

// prepareHaloVerbs opens the device and makes a queue pair for each side that leads to another host.
func prepareHaloVerbs(ctx context.Context, s Setup) (*verbsEnd, error) {
	one := s
	one.Method = "verbs"
	one.Streams = len(s.Halo.remoteSides(s.Halo.Host))
	one.Size = unit.Bytes(2 * s.Halo.haloSlot())
	one.Verbs = VerbsOptions{Op: OpWrite, Metric: MetricLatency, Link: s.Halo.Link}
	one.Tuning.Placement, one.Tuning.Cores = PlaceOff, nil // of the processes, not of the pairs
	return prepareVerbs(ctx, one)
}

// joinVerbs tells every queue pair of this host its other end, and the program what is beyond every side.
func (e *haloEnd) joinVerbs(ctx context.Context, peers []HaloPeer) error {
	h := e.setup.Halo
	var at [][]remoteSide
	for host := range peers {
		at = append(at, h.remoteSides(host))
	}
	own := at[h.Host]
	all := VerbsPeer{Link: e.verbs.own.Link, MTU: e.verbs.own.MTU}
	pairs := map[remoteSide]int{}
	for i, x := range own {
		pairs[x] = i
		other := e.grid.neighbour(x.rank, x.side)
		host := hostOf(other, h.Hosts)
		peer := peers[host].Verbs
		n := slices.Index(at[host], remoteSide{other, opposite(x.side)})
		if peer == nil || n < 0 || !e.verbs.cm() && n >= len(peer.Pairs) {
			return &Error{Code: CodeInput, Subject: "halo", Text: fmt.Sprintf("host %d of %d did not say which queue pairs it has", host, h.Hosts)}
		}
		if all.Device == "" || peer.Link != e.verbs.own.Link || peer.MTU != e.verbs.own.MTU {
			all.Device, all.Link, all.MTU = peer.Device, peer.Link, peer.MTU
		}
		switch {
		case peer.Link != e.verbs.own.Link: // join says so
		case !e.verbs.cm():
			all.Pairs = append(all.Pairs, peer.Pairs[n])
		case host < h.Host:
			if err := e.verbs.dial(peers[host].Address, *peer, fmt.Sprintf(" pair=%d theirs=%d", i, n)); err != nil {
				return err
			}
		}
	}
	if err := e.verbs.join(ctx, all); err != nil {
		return err
	}
	send := e.verbs.program.send
	if err := send("halo ranks=%d words=%d exchange=%s nap=%d seed=%d", len(e.ranks), h.Tile, h.order(), int64(h.Nap), e.setup.Seed); err != nil {
		return err
	}
	cores, _ := e.cores()
	for i, r := range e.ranks {
		core := ""
		if len(cores) > 0 {
			core = fmt.Sprintf(" core=%d", cores[i%len(cores)])
		}
		if err := send("rank n=%d id=%d%s", i, r, core); err != nil {
			return err
		}
	}
	for i, r := range e.ranks {
		for side := range sides {
			other := e.grid.neighbour(r, side)
			where := fmt.Sprintf("to=%d", other/h.Hosts)
			if n, ok := pairs[remoteSide{r, side}]; ok {
				where = fmt.Sprintf("pair=%d", n)
			}
			if err := send("edge rank=%d side=%d theirs=%d %s", i, side, other, where); err != nil {
				return err
			}
		}
	}
	return nil
}

// order is that of an exchange.
func (h HaloOptions) order() string {
	if h.Exchange == "" {
		return TwoPhase
	}
	return h.Exchange
}

// runHaloVerbs is Run of halo over RDMA: the program does the exchanges.
func (e *End) runHaloVerbs(ctx, watchCtx context.Context, w window, emit func([]Sample)) (*Outcome, error) {
	h := e.halo
	if !h.joined {
		return nil, &Error{Code: CodeInput, Subject: "halo", Text: "the processes are not connected: join comes before start"}
	}
	v := h.verbs
	stop := context.AfterFunc(ctx, v.program.end)
	defer stop()
	shift := monotonic() - Now() // of the program's clock
	if err := v.program.send("run begin=%d open=%d close=%d slices=1", w.begin+shift, w.open+shift, w.close+shift); err != nil {
		return nil, err
	}
	var seen sight
	var watching sync.WaitGroup
	watchCtx, stopWatch := context.WithCancel(watchCtx)
	defer stopWatch()
	setup := e.setup
	setup.child = v.program.pid()
	watching.Go(func() { seen = watch(watchCtx, setup, w, nil, emit) })
	limit := time.Duration(w.deadline-Now()) + verbsAnswer
	ranks, err := h.readVerbs(func() (verbsLine, error) { return v.program.next(ctx, limit) }, w, shift)
	if Now() < w.close {
		stopWatch()
	}
	watching.Wait()
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errOver) {
			return nil, connectError("halo", cause)
		}
		return nil, v.said(err)
	}
	o := h.outcome(w, ranks)
	_, o.Halo.Crowded = h.cores()
	o.Halo.Wait, o.Halo.Link = "polling", v.seen.Link
	if v.seen.Yield > 0 {
		o.Halo.Wait = fmt.Sprintf("polling, a turn is given up after %d looks in vain", v.seen.Yield)
		if h.setup.Halo.Nap > 0 {
			o.Halo.Wait = fmt.Sprintf("polling, with a sleep of %v after %d looks in vain", h.setup.Halo.Nap, v.seen.Yield)
		}
	}
	o.Halo.Device, o.Halo.Soft, o.Halo.Inline, o.Halo.PathMTU = v.seen.Device, v.seen.Soft, v.seen.Inline, v.seen.MTU
	o.see(seen)
	return o, nil
}

// listed are the processes of this host, with what is known of them before anything is read.
func (e *haloEnd) listed(w window) (out []*haloRank) {
	for i, rank := range e.ranks {
		r := &haloRank{rank: rank, index: i, end: e, window: w, trips: NewHistogram(), times: HaloTimes{Rank: rank, Core: -1}}
		for side := range sides {
			r.peers[side] = e.grid.neighbour(rank, side)
			if hostOf(r.peers[side], e.setup.Halo.Hosts) != e.setup.Halo.Host {
				r.times.Remote++
			}
		}
		out = append(out, r)
	}
	return out
}

// readVerbs reads what the program says of its processes until it is done. shift is taken from its stamps.
func (e *haloEnd) readVerbs(next func() (verbsLine, error), w window, shift int64) ([]*haloRank, error) {
	out := e.listed(w)
	return out, readRanks(VerbsProgram, out, next, shift)
}

// readRanks reads what a program says of processes, which it calls by their number in all, until it is done.
func readRanks(program string, all []*haloRank, next func() (verbsLine, error), shift int64) error {
	for range 2*len(all) + 1 {
		l, err := next()
		if err != nil {
			return err
		}
		if l.Word == "done" {
			return nil
		}
		n, err := l.number("n")
		if err != nil {
			return err
		}
		if n < 0 || n >= int64(len(all)) {
			return fmt.Errorf("%s: there is no process %d", program, n)
		}
		r := all[n]
		switch l.Word {
		case "rank":
			var core int64
			if err := l.numbers(map[string]*int64{"core": &core, "exchanges": &r.times.Exchanges, "first": &r.times.FirstNS, "last": &r.times.LastNS,
				"checked": &r.checked, "left": &r.left}); err != nil {
				return err
			}
			r.times.Core = int(core)
			for _, stamp := range []*int64{&r.times.FirstNS, &r.times.LastNS, &r.left} {
				if *stamp != 0 {
					*stamp -= shift
				}
			}
		case "hist":
			points, err := points(l)
			if err != nil {
				return err
			}
			for _, x := range points {
				r.trips.RecordN(time.Duration(x.ns), x.count)
			}
		}
	}
	return fmt.Errorf("%s: more lines than its processes have", program)
}

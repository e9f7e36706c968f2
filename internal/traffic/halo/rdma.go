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
	"linerate/internal/traffic/rdma"
)

// haloSlot is the room of a message over RDMA: its words, filled up to eight bytes, and the number that shows that it
// is complete.
func haloSlot(h *traffic.HaloOptions) int { return (h.Tile*traffic.WordSize+7)/8*8 + 8 }

// remoteSide is a side of a process of one host that has its neighbour on another.
type remoteSide struct{ rank, side int }

// remoteSides are those of a host, in the order in which it numbers their queue pairs.
func remoteSides(h *traffic.HaloOptions, host int) (out []remoteSide) {
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

// haloYield is the number of polls without result after which a process yields: a poll of memory costs less than a
// yield, and others of its host may wait for its core.
const haloYield = 64

// awaited returns how many of these pairs lead to hosts after this one, which connect to it where rdma_cm has to
// (iWARP).
func awaited(h *traffic.HaloOptions) (n int) {
	g := GridOf(h.Processes)
	for _, x := range remoteSides(h, h.Host) {
		if hostOf(g.neighbour(x.rank, x.side), h.Hosts) > h.Host {
			n++
		}
	}
	return n
}

// rdmaEngine is the processes of one host, whose exchanges linerate-verbs does.
type rdmaEngine struct {
	engine
	verbs *rdma.Engine
}

// prepareRDMA opens the device and makes a queue pair for each side that leads to another host.
func prepareRDMA(ctx context.Context, s traffic.Endpoint) (_ *rdmaEngine, err error) {
	one := s
	one.Streams = len(remoteSides(s.Halo, s.Halo.Host))
	one.Size = unit.Bytes(2 * haloSlot(s.Halo))
	one.Verbs = traffic.VerbsOptions{Op: traffic.OpWrite, Metric: traffic.MetricLatency, Link: s.Halo.Link}
	one.Tuning.Placement, one.Tuning.Cores = traffic.PlaceOff, nil // of the processes, not of the pairs
	e := &rdmaEngine{engine: newEngine(s)}
	e.verbs, err = rdma.Prepare(ctx, one, &rdma.Sharing{Processes: s.Halo.Together, Awaited: awaited(s.Halo),
		Yield: haloYield})
	return e, err
}

// Ready is the queue pairs of this host.
func (e *rdmaEngine) Ready(r *traffic.Ready) {
	e.engine.Ready(r)
	r.Halo.Verbs = &e.verbs.Own
}

// Close ends the program.
func (e *rdmaEngine) Close() { e.verbs.Close() }

// Join gives the program the other end of every queue pair, and the neighbour at every side.
func (e *rdmaEngine) Join(ctx context.Context, all traffic.Peers) error {
	if err := e.mayJoin(all.Halo); err != nil {
		return err
	}
	err := e.connect(ctx, all.Halo)
	e.joined = err == nil
	return err
}

func (e *rdmaEngine) connect(ctx context.Context, peers []traffic.HaloPeer) error {
	h := e.setup.Halo
	var at [][]remoteSide
	for host := range peers {
		at = append(at, remoteSides(h, host))
	}
	own := at[h.Host]
	all := traffic.VerbsPeer{Link: e.verbs.Own.Link, MTU: e.verbs.Own.MTU}
	pairs := map[remoteSide]int{}
	for i, x := range own {
		pairs[x] = i
		other := e.grid.neighbour(x.rank, x.side)
		host := hostOf(other, h.Hosts)
		peer := peers[host].Verbs
		n := slices.Index(at[host], remoteSide{other, opposite(x.side)})
		if peer == nil || n < 0 || !e.verbs.Cm() && n >= len(peer.Pairs) {
			return &failure.Error{Code: failure.CodeInput, Subject: "halo",
				Text: fmt.Sprintf("host %d of %d did not say which queue pairs it has", host, h.Hosts)}
		}
		if all.Device == "" || peer.Link != e.verbs.Own.Link || peer.MTU != e.verbs.Own.MTU {
			all.Device, all.Link, all.MTU = peer.Device, peer.Link, peer.MTU
		}
		switch {
		case peer.Link != e.verbs.Own.Link: // join reports it
		case !e.verbs.Cm():
			all.Pairs = append(all.Pairs, peer.Pairs[n])
		case host < h.Host:
			if err := e.verbs.Dial(peers[host].Address, *peer, fmt.Sprintf(" pair=%d theirs=%d", i, n)); err != nil {
				return err
			}
		}
	}
	if err := e.verbs.Connect(ctx, all); err != nil {
		return err
	}
	send := e.verbs.Program.Send
	if err := send("halo ranks=%d words=%d exchange=%s nap=%d seed=%d", len(e.ranks), h.Tile, order(h), int64(h.Nap),
		e.setup.Seed); err != nil {
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

// order returns the order of an exchange.
func order(h *traffic.HaloOptions) string {
	return cmp.Or(h.Exchange, traffic.TwoPhase)
}

// Run has the program do the exchanges.
func (e *rdmaEngine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	w, v := x.Interval, e.verbs
	if !e.joined {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: "halo",
			Text: "the processes are not connected: join comes before start"}
	}
	ranks := e.listed(w)
	report, seen, err := v.Work(ctx, x, 1, func(next func() (rdma.Line, error), shift int64) rdma.Report {
		return rdma.Report{Err: readRanks(rdma.Program, ranks, next, shift)}
	})
	if err != nil {
		return nil, err
	}
	if report.Err != nil {
		if cause := context.Cause(ctx); cause != nil && !traffic.IsOver(cause) {
			return nil, failure.Of("halo", cause)
		}
		return nil, v.Said(report.Err)
	}
	o := e.outcome(w, ranks)
	_, o.Halo.Crowded = e.cores()
	o.Halo.Wait, o.Halo.Link = "polling", v.Seen.Link
	if v.Seen.Yield > 0 {
		o.Halo.Wait = fmt.Sprintf("polling, a turn is given up after %d looks in vain", v.Seen.Yield)
		if nap := e.setup.Halo.Nap; nap > 0 {
			o.Halo.Wait = fmt.Sprintf("polling, with a sleep of %v after %d looks in vain", nap, v.Seen.Yield)
		}
	}
	o.Halo.Device, o.Halo.Soft, o.Halo.Inline, o.Halo.PathMTU = v.Seen.Device, v.Seen.Soft, v.Seen.Inline, v.Seen.MTU
	seen.Into(o)
	return o, nil
}

// listed returns the processes of this host, with what is known of them before anything is read.
func (e *engine) listed(w traffic.Interval) (out []*process) {
	for i, rank := range e.ranks {
		r := &process{rank: rank, index: i, end: e, interval: w, rttSamples: traffic.NewHistogram(),
			times: traffic.HaloTimes{Rank: rank, Core: -1}}
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

// readRanks reads what a program reports of processes, which it numbers among all, until it is done.
func readRanks(program string, all []*process, next func() (rdma.Line, error), shift int64) error {
	for range 2*len(all) + 1 {
		l, err := next()
		if err != nil {
			return err
		}
		if l.Word == "done" {
			return nil
		}
		n, err := l.Number("n")
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
			if err := l.Numbers(map[string]*int64{"core": &core, "exchanges": &r.times.Exchanges, "first": &r.times.FirstNS,
				"last": &r.times.LastNS, "checked": &r.checked, "left": &r.left}); err != nil {
				return err
			}
			r.times.Core = int(core)
			for _, stamp := range []*int64{&r.times.FirstNS, &r.times.LastNS, &r.left} {
				if *stamp != 0 {
					*stamp -= shift
				}
			}
		case "hist":
			points, err := rdma.Points(l)
			if err != nil {
				return err
			}
			for _, x := range points {
				r.rttSamples.RecordN(time.Duration(x.Ns), x.Count)
			}
		}
	}
	return fmt.Errorf("%s: more lines than its processes have", program)
}

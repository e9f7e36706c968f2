package halo

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/gomaxprocs"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
	"linerate/internal/traffic/tcp"
	"linerate/internal/traffic/watch"
)

// process is one process: a thread with a tile, of which only the edges and the halos are there.
type process struct {
	rank       int
	index      int // among those of this end
	end        *engine
	interval   traffic.Interval
	steps      []step
	links      [sides]link
	peers      [sides]int // ranks of the neighbours
	out, in    [sides][]byte
	affinity   *placement.Affinity
	left       int64 // stamp at which it left the barrier
	rttSamples *traffic.Histogram
	times      traffic.HaloTimes
	checked    int64
	exchange   uint32 // number of the one under way
	yielded    int64
}

// haloPayload is what a process sends to a side in the first exchange; in exchange k the first word is k more, so that
// a message sent earlier, by another process or to another side is detected.
func haloPayload(seed uint64, rank, side, words int) []uint32 {
	random := rand.NewPCG(seed, uint64(rank)*sides+uint64(side))
	out := make([]uint32, words)
	for i := range out {
		out[i] = uint32(random.Uint64())
	}
	return out
}

// Run has the processes of this host exchange their halos.
func (e *engine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	w := x.Interval
	waiting, stopWaiting := context.WithDeadline(ctx, time.Now().Add(time.Duration(w.Begin-traffic.Now())))
	wires, err := e.connected(waiting)
	stopWaiting()
	if err != nil {
		return nil, err
	}
	defer gomaxprocs.Reserve(len(e.ranks) + e.setup.Background)()
	ranks := e.processes(w, wires)
	var workers []watch.Worker
	for _, r := range ranks {
		workers = append(workers, watch.Worker{Name: fmt.Sprintf("rank %d", r.rank), Run: r.run})
	}
	seen, err := watch.Carry(ctx, x, e.setup, "halo", nil, func() {
		for _, r := range ranks {
			for _, l := range r.links {
				l.Interrupt()
			}
		}
	}, workers)
	if err != nil {
		return nil, err
	}
	o := e.outcome(w, ranks)
	_, o.Halo.Crowded = e.cores()
	seen.Into(o)
	if e.port != nil {
		o.Refused(e.port.UnauthenticatedPeers(), e.port.Listener.Addr())
	}
	return o, nil
}

// polls reports whether processes poll for their halos without sleeping.
func (e *engine) polls() bool { return e.setup.Tuning.Spin }

// processes makes the ranks of this host with their edges.
func (e *engine) processes(w traffic.Interval, wires map[int]*tcp.Wire) []*process {
	type boxes struct{ there, back *box } // from the first end of an edge to its second, and the other way
	memory := map[int]boxes{}
	size := messageOf(e.setup.Halo)
	var out []*process
	for i, rank := range e.ranks {
		r := &process{rank: rank, index: i, end: e, interval: w, steps: stepsOf(e.setup.Halo.Exchange),
			rttSamples: traffic.NewHistogram(), times: traffic.HaloTimes{Rank: rank, Core: -1}}
		for side := range sides {
			r.out[side], r.in[side], r.peers[side] = make([]byte, size), make([]byte, size), e.grid.neighbour(rank, side)
			number, first := e.grid.edge(rank, side)
			if c := wires[number]; c != nil {
				c.Hold()
				r.links[side] = wireLink{c, e.polls()}
				r.times.Remote++
				continue
			}
			pair, ok := memory[number]
			if !ok {
				pair = boxes{newBox(size, e.polls()), newBox(size, e.polls())}
				memory[number] = pair
			}
			if first {
				r.links[side] = memoryLink{pair.there, pair.back}
			} else {
				r.links[side] = memoryLink{pair.back, pair.there}
			}
		}
		out = append(out, r)
	}
	return out
}

// cores returns those that the processes of this end get, one each; nil: the system places them, because there are not
// as many, or the setup says so.
func (e *engine) cores() (cores []int, crowded bool) {
	h, t := e.setup.Halo, e.setup.Tuning
	allowed := placement.AllowedCores()
	room := len(allowed)
	if room == 0 {
		room = runtime.NumCPU()
	}
	crowded = h.Together > room
	switch {
	case len(t.Cores) > 0:
		return t.Cores, crowded || len(t.Cores) < len(e.ranks)
	case t.Placement == traffic.PlaceOff || crowded || len(allowed) == 0:
		return nil, crowded
	case h.Together == len(e.ranks):
		allowed = e.setup.Layout.Prefer(allowed)
	}
	return allowed[h.First : h.First+len(e.ranks)], crowded
}

// run is the process: a first exchange of which every word is looked at, then one after the other until the time is
// over.
func (r *process) run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() {
		for _, l := range r.links {
			l.done()
		}
	}()
	setup := r.end.setup
	setup.Tuning.Cores, _ = r.end.cores()
	r.affinity = placement.NewAffinity(setup.Seating(), r.index, fmt.Sprintf("rank %d", r.rank))
	defer r.affinity.Leave()
	if r.affinity.Err != nil {
		return &failure.Error{Code: failure.CodeInput, Subject: "placement", Text: r.affinity.Err.Error()}
	}
	if n := len(r.affinity.Now); n > 0 {
		r.times.Core = r.affinity.Now[r.index%n]
	}
	h := setup.Halo
	var want [sides][]uint32
	for side := range sides {
		mine := haloPayload(setup.Seed, r.rank, side, h.Tile)
		for i, v := range mine {
			binary.LittleEndian.PutUint32(r.out[side][i*traffic.WordSize:], v)
		}
		want[side] = haloPayload(setup.Seed, r.peers[side], opposite(side), h.Tile)
	}
	ready := r.interval.Begin - int64(traffic.Gather) - int64(h.Together)*int64(traffic.GatherEach)
	if !traffic.SleepUntil(ctx, ready) || !r.end.setup.SleepThread(ctx, r.interval.Begin) {
		return context.Cause(ctx)
	}
	r.left = traffic.Now()
	r.yielded = r.left
	for {
		start := traffic.Now()
		if r.exchange > 0 && start >= r.interval.Stop {
			return nil
		}
		err := r.swap()
		end := traffic.Now()
		if err == nil && r.exchange == 0 {
			err = r.check(want)
		} else if err == nil && h.Tile > 0 {
			err = r.same(want)
		}
		if err != nil {
			return r.cutOff(err, start)
		}
		r.exchange++
		if end >= r.interval.Open && end < r.interval.Close {
			if r.times.Exchanges++; r.times.FirstNS == 0 {
				r.times.FirstNS = end
			}
			r.times.LastNS = end
			r.rttSamples.Record(time.Duration(end - start))
		}
		if end-start > traffic.SleptAfter {
			r.yielded = end
		}
		if end-r.yielded > traffic.YieldEvery {
			r.yielded = end
			runtime.Gosched()
		}
	}
}

// step is what is sent before halos are waited for, and which these are: what goes north comes as a south halo.
type step struct{ send, receive []int }

func stepsOf(exchange string) []step {
	switch exchange {
	case traffic.OnePhase:
		return []step{{[]int{north, south, west, east}, []int{north, south, west, east}}}
	case traffic.SendRecv:
		return []step{{[]int{north}, []int{south}}, {[]int{south}, []int{north}}, {[]int{west}, []int{east}},
			{[]int{east}, []int{west}}}
	}
	return []step{{[]int{north, south}, []int{north, south}}, {[]int{west, east}, []int{west, east}}}
}

// swap is one exchange.
func (r *process) swap() error {
	tile := r.end.setup.Halo.Tile
	for _, s := range r.steps {
		for _, side := range s.send {
			if tile > 0 {
				r.stamp(side)
			}
			if err := r.links[side].send(r.out[side]); err != nil {
				return err
			}
		}
		for _, side := range s.receive {
			if err := r.links[side].receive(r.in[side]); err != nil {
				return err
			}
		}
	}
	return nil
}

// stamp makes the first word of a message that of this exchange.
func (r *process) stamp(side int) {
	if r.exchange > 0 {
		binary.LittleEndian.PutUint32(r.out[side], binary.LittleEndian.Uint32(r.out[side])+1)
	}
}

// check compares every word that arrived in the first exchange.
func (r *process) check(want [sides][]uint32) error {
	for side := range sides {
		for i, w := range want[side] {
			if got := binary.LittleEndian.Uint32(r.in[side][i*traffic.WordSize:]); got != w {
				return r.wrong(side, i, got, w)
			}
			r.checked++
		}
	}
	return nil
}

// same checks the first word of each halo, which has the number of its exchange.
func (r *process) same(want [sides][]uint32) error {
	for side := range sides {
		if got, w := binary.LittleEndian.Uint32(r.in[side]), want[side][0]+r.exchange; got != w {
			return r.wrong(side, 0, got, w)
		}
	}
	return nil
}

func (r *process) wrong(side, word int, got, want uint32) error {
	return &failure.Error{Code: failure.CodeInternal, Subject: fmt.Sprintf("rank %d", r.rank),
		Text: fmt.Sprintf("exchange %d: word %d of the %s halo is %08x, and rank %d sent %08x: the data is not the "+
			"neighbour's",
			r.exchange, word, sideName(side), got, r.peers[side], want)}
}

func sideName(side int) string { return [sides]string{"north", "south", "west", "east"}[side] }

// cutOff forgives an error after the interval. An exchange that is still under way at the deadline counts with its time
// so far: a stall at the end must not vanish.
func (r *process) cutOff(err error, start int64) error {
	now := traffic.Now()
	if now >= r.interval.Close {
		if now >= r.interval.Deadline && start < r.interval.Close {
			r.rttSamples.Record(time.Duration(now - start))
		}
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		left := time.Duration(r.interval.Close - now).Round(time.Millisecond)
		return &failure.Error{Code: failure.CodeReset, Subject: fmt.Sprintf("rank %d", r.rank),
			Text: fmt.Sprintf("a neighbour ended %v before the end of the interval, in exchange %d; look whether its agent "+
				"still runs", left, r.exchange)}
	}
	return failure.Of(fmt.Sprintf("rank %d", r.rank), err)
}

// outcome puts together what the processes counted.
func (e *engine) outcome(w traffic.Interval, ranks []*process) *traffic.Outcome {
	o := &traffic.Outcome{OpenNS: w.Open, CloseNS: w.Close, StartNS: w.Open, EndNS: w.Close, Slice: float64(w.Step) / 1e9}
	seen := &traffic.HaloSeen{Exchange: e.setup.Halo.Exchange, Wait: "blocking"}
	seen.Exchange = cmp.Or(seen.Exchange, traffic.TwoPhase)
	if e.polls() {
		seen.Wait = "polling"
	}
	all := traffic.NewHistogram()
	for _, r := range ranks {
		all.Merge(r.rttSamples)
		r.times.RTTSamples = r.rttSamples.RTTSamples()
		seen.Ranks = append(seen.Ranks, r.times)
		seen.Checked += r.checked
		if seen.LeftNS[0] == 0 || r.left < seen.LeftNS[0] {
			seen.LeftNS[0] = r.left
		}
		seen.LeftNS[1] = max(seen.LeftNS[1], r.left)
		for side := range sides {
			switch {
			case hostOf(r.peers[side], e.setup.Halo.Hosts) != e.setup.Halo.Host:
				seen.Remote++
			case r.peers[side] == r.rank:
				seen.Self++
			default:
				seen.Local++
			}
		}
	}
	if o.RTTSamples = all.Count(); o.RTTSamples > 0 {
		o.Histogram, _ = all.Encode() // numbers in range: it cannot fail
	}
	o.Halo = seen
	return o
}

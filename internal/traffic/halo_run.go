package traffic

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
)

// sendRoom is what the send buffer of a socket is asked to hold: two messages, with what the kernel needs around them.
func (h *HaloOptions) sendRoom() int { return max(64<<10, 4*h.message()) }

// haloRank is one process: a thread with a tile, of which only the edges and the halos are there.
type haloRank struct {
	rank     int
	index    int // among those of this end
	end      *haloEnd
	window   window
	steps    []step
	links    [sides]haloLink
	peers    [sides]int // ranks of the neighbours
	out, in  [sides][]byte
	seat     *seat
	left     int64 // stamp at which it left the barrier
	trips    *Histogram
	times    HaloTimes
	checked  int64
	exchange uint32 // number of the one under way
	yielded  int64
}

// haloPayload is what a process sends to a side in the first exchange; in exchange k the first word is k more, so that what was sent
// earlier, by another process or to another side is told apart.
func haloPayload(seed uint64, rank, side, words int) []uint32 {
	random := rand.NewPCG(seed, uint64(rank)*sides+uint64(side))
	out := make([]uint32, words)
	for i := range out {
		out[i] = uint32(random.Uint64())
	}
	return out
}

// runHalo is Run of halo.
func (e *End) runHalo(ctx, watchCtx context.Context, cancel context.CancelCauseFunc, w window, emit func([]Sample)) (*Outcome, error) {
	h := e.halo
	waiting, stopWaiting := context.WithDeadline(ctx, time.Now().Add(time.Duration(w.begin-Now())))
	wires, err := h.connected(waiting)
	stopWaiting()
	if err != nil {
		return nil, err
	}
	defer reserve(len(h.ranks) + e.setup.Beside)()
	ranks := h.processes(w, wires)
	stop := context.AfterFunc(ctx, func() {
		for _, r := range ranks {
			for _, l := range r.links {
				l.interrupt()
			}
		}
	})
	defer stop()
	var seen sight
	var watching, working sync.WaitGroup
	watchCtx, stopWatch := context.WithCancel(watchCtx)
	defer stopWatch()
	watching.Go(func() { seen = watch(watchCtx, e.setup, w, nil, emit) })
	for _, r := range ranks {
		working.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					cancel(&Error{Code: CodeInternal, Subject: "halo", Text: fmt.Sprintf("rank %d: %v", r.rank, p)})
				}
			}()
			if err := r.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	working.Wait()
	if Now() < w.close {
		stopWatch()
	}
	watching.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, errOver) {
		return nil, connectError("halo", err)
	}
	o := h.outcome(w, ranks)
	_, o.Halo.Crowded = h.cores()
	o.see(seen)
	if h.port != nil {
		if o.Strangers = h.port.strangers(); o.Strangers > 0 {
			o.Warnings = append(o.Warnings, fmt.Sprintf("%d connections without the token were refused at %s; another program or host knocks there", o.Strangers, h.port.listener.Addr()))
		}
	}
	return o, nil
}

// polls says whether processes look for their halos without sleeping.
func (e *haloEnd) polls() bool { return e.setup.Tuning.Spin }

// processes makes the ranks of this host with their edges.
func (e *haloEnd) processes(w window, wires map[int]*wire) []*haloRank {
	type boxes struct{ there, back *box } // from the first end of an edge to its second, and the other way
	memory := map[int]boxes{}
	size := e.setup.Halo.message()
	var out []*haloRank
	for i, rank := range e.ranks {
		r := &haloRank{rank: rank, index: i, end: e, window: w, steps: stepsOf(e.setup.Halo.Exchange), trips: NewHistogram(), times: HaloTimes{Rank: rank, Core: -1}}
		for side := range sides {
			r.out[side], r.in[side], r.peers[side] = make([]byte, size), make([]byte, size), e.grid.neighbour(rank, side)
			number, first := e.grid.edge(rank, side)
			if c := wires[number]; c != nil {
				c.hold()
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

// cores are those that the processes of this end get, one each; nil: they are left to the system, because there are not as many, or it was
// asked for.
func (e *haloEnd) cores() (cores []int, crowded bool) {
	h, t := e.setup.Halo, e.setup.Tuning
	allowed := allowedCores()
	room := len(allowed)
	if room == 0 {
		room = runtime.NumCPU()
	}
	crowded = h.Together > room
	switch {
	case len(t.Cores) > 0:
		return t.Cores, crowded || len(t.Cores) < len(e.ranks)
	case t.Placement == PlaceOff || crowded || len(allowed) == 0:
		return nil, crowded
	case h.Together == len(e.ranks):
		allowed = e.setup.layout.prefer(allowed)
	}
	return allowed[h.First : h.First+len(e.ranks)], crowded
}

// run is the process: a first exchange of which every word is looked at, then one after the other until the time is over.
func (r *haloRank) run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() {
		for _, l := range r.links {
			l.done()
		}
	}()
	setup := r.end.setup
	setup.Tuning.Cores, _ = r.end.cores()
	r.seat = newSeat(setup, r.index)
	defer r.seat.leave()
	if r.seat.err != nil {
		return &Error{Code: CodeInput, Subject: "placement", Text: r.seat.err.Error()}
	}
	if n := len(r.seat.now); n > 0 {
		r.times.Core = r.seat.now[r.index%n]
	}
	h := setup.Halo
	var want [sides][]uint32
	for side := range sides {
		mine := haloPayload(setup.Seed, r.rank, side, h.Tile)
		for i, v := range mine {
			binary.LittleEndian.PutUint32(r.out[side][i*WordSize:], v)
		}
		want[side] = haloPayload(setup.Seed, r.peers[side], opposite(side), h.Tile)
	}
	ready := r.window.begin - int64(gather) - int64(h.Together)*int64(gatherEach)
	if !sleepUntil(ctx, ready) || !r.end.setup.sleepThread(ctx, r.window.begin) {
		return context.Cause(ctx)
	}
	r.left = Now()
	r.yielded = r.left
	for {
		start := Now()
		if r.exchange > 0 && start >= r.window.stop {
			return nil
		}
		err := r.swap()
		end := Now()
		if err == nil && r.exchange == 0 {
			err = r.check(want)
		} else if err == nil && h.Tile > 0 {
			err = r.same(want)
		}
		if err != nil {
			return r.cutOff(err, start)
		}
		r.exchange++
		if end >= r.window.open && end < r.window.close {
			if r.times.Exchanges++; r.times.FirstNS == 0 {
				r.times.FirstNS = end
			}
			r.times.LastNS = end
			r.trips.Record(time.Duration(end - start))
		}
		if end-start > sleptAfter {
			r.yielded = end
		}
		if end-r.yielded > yieldEvery {
			r.yielded = end
			runtime.Gosched()
		}
	}
}

// step is what is sent before halos are waited for, and which these are: what goes north comes as a south halo.
type step struct{ send, receive []int }

func stepsOf(exchange string) []step {
	switch exchange {
	case OnePhase:
		return []step{{[]int{north, south, west, east}, []int{north, south, west, east}}}
	case SendRecv:
		return []step{{[]int{north}, []int{south}}, {[]int{south}, []int{north}}, {[]int{west}, []int{east}}, {[]int{east}, []int{west}}}
	}
	return []step{{[]int{north, south}, []int{north, south}}, {[]int{west, east}, []int{west, east}}}
}

// swap is one exchange.
func (r *haloRank) swap() error {
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
func (r *haloRank) stamp(side int) {
	if r.exchange > 0 {
		binary.LittleEndian.PutUint32(r.out[side], binary.LittleEndian.Uint32(r.out[side])+1)
	}
}

// check looks at every word that came in the first exchange.
func (r *haloRank) check(want [sides][]uint32) error {
	for side := range sides {
		for i, w := range want[side] {
			if got := binary.LittleEndian.Uint32(r.in[side][i*WordSize:]); got != w {
				return r.wrong(side, i, got, w)
			}
			r.checked++
		}
	}
	return nil
}

// same looks at the first word of each halo, which tells of which exchange it is.
func (r *haloRank) same(want [sides][]uint32) error {
	for side := range sides {
		if got, w := binary.LittleEndian.Uint32(r.in[side]), want[side][0]+r.exchange; got != w {
			return r.wrong(side, 0, got, w)
		}
	}
	return nil
}

func (r *haloRank) wrong(side, word int, got, want uint32) error {
	return &Error{Code: CodeInternal, Subject: fmt.Sprintf("rank %d", r.rank), Text: fmt.Sprintf("exchange %d: word %d of the %s halo is %08x, and rank %d sent %08x: the data is not the neighbour's",
		r.exchange, word, sideName(side), got, r.peers[side], want)}
}

func sideName(side int) string { return [sides]string{"north", "south", "west", "east"}[side] }

// cutOff forgives an error behind the window. An exchange that was still under way at the deadline counts with its time so far: a stall at
// the end must not vanish.
func (r *haloRank) cutOff(err error, start int64) error {
	now := Now()
	if now >= r.window.close {
		if now >= r.window.deadline && start < r.window.close {
			r.trips.Record(time.Duration(now - start))
		}
		return nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		left := time.Duration(r.window.close - now).Round(time.Millisecond)
		return &Error{Code: CodeReset, Subject: fmt.Sprintf("rank %d", r.rank), Text: fmt.Sprintf("a neighbour ended %v before the end of the window, in exchange %d; look whether its agent still runs", left, r.exchange)}
	}
	return connectError(fmt.Sprintf("rank %d", r.rank), err)
}

// outcome puts together what the processes counted; who has cores says whether they were crowded.
func (e *haloEnd) outcome(w window, ranks []*haloRank) *Outcome {
	o := &Outcome{OpenNS: w.open, CloseNS: w.close, StartNS: w.open, EndNS: w.close, Slice: float64(w.step) / 1e9}
	seen := &HaloSeen{Exchange: e.setup.Halo.Exchange, Wait: "blocking"}
	if seen.Exchange == "" {
		seen.Exchange = TwoPhase
	}
	if e.polls() {
		seen.Wait = "polling"
	}
	all := NewHistogram()
	for _, r := range ranks {
		all.Merge(r.trips)
		r.times.Trips = r.trips.trips()
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
	if o.Trips = all.Count(); o.Trips > 0 {
		o.Histogram, _ = all.Encode() // numbers in range: it cannot fail
	}
	o.Halo = seen
	return o
}

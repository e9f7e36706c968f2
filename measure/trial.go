package measure

import (
	"fmt"
	"sync"
	"time"

	"linerate/unit"
)

// way is how a sender hands its bytes to the kernel.
type way uint8

const (
	wayWrite    way = iota // write: the kernel copies
	waySplice              // vmsplice of a buffer into a pipe, and on into the socket
	wayTee                 // tee of a filled pipe, and on into the socket
	waySendfile            // sendfile from memory
	wayZeroCopy            // send with MSG_ZEROCOPY
	ways
)

func (w way) String() string {
	return [...]string{"write", "vmsplice", "tee", "sendfile", "MSG_ZEROCOPY"}[w]
}

// smallestBuffer << sizes-1 is the largest buffer of a trial.
const sizes = 6

// candidate is one way to run a stream that the trial compares.
type candidate struct {
	way      way
	size     uint8 // of both ends' calls: smallestBuffer << size
	lowWater bool  // the receiver sleeps until much is there
	place    placement
}

func (c candidate) bytes() unit.Bytes { return smallestBuffer << c.size }

// order is a candidate on its way from the receiver, which measures and decides, to the sender: two bytes on the
// connection's own idle direction. A stranger's bytes are no order.
func (c candidate) order() [2]byte {
	return [2]byte{0x40 | byte(c.place), byte(c.way)<<4 | c.size}
}

func parseOrder(b [2]byte) (c candidate, ok bool) {
	c = candidate{way: way(b[1] >> 4), size: b[1] & 15, place: placement(b[0] & 15)}
	return c, b[0]>>4 == 4 && c.way < ways && c.size < sizes && c.place < placements
}

const (
	// trialTime is the most that a trial takes of the warm-up; of a short warm-up it takes two thirds.
	trialTime = 200 * time.Millisecond
	// shortestTrial is what it takes at least: slots shorter than the scheduler's ticks tell nothing.
	shortestTrial = 100 * time.Millisecond
	// slowStart is left out at the beginning.
	slowStart = 10 * time.Millisecond
	// guard is the share of a slot, one in so many, that is left out at its beginning: bytes that are on their way
	// were sent as the candidate before would.
	guard = 4
	// tie is the difference below which two candidates are equal; the earlier one in the list is then taken.
	tie = 1.02
)

// round is a list of candidates and the share of the trial's time in which each of them runs once.
type round struct {
	list  []candidate
	share float64
}

// trial compares candidates while a stream warms up. The receiver measures: it gives each candidate a slot, lets the
// better ones run again, and tells the sender by an order at every change. All methods may be called by several tasks.
type trial struct {
	mu         sync.Mutex
	begin, end int64 // stamps
	rest       []stage
	round      round
	final      bool // the second run of a stage
	at         int  // index in round.list
	slot       int64
	from       int64 // first stamp that counts in this slot, 0: none yet
	bytes      int64
	scores     map[candidate][]float64
	tried      int
	rate       float64 // bytes per nanosecond of the first slot
	current    candidate
	version    int // rises at every change of current
	over       bool
	note       string
}

// stage is a first look at all candidates of one kind and a second one at the best.
type stage struct {
	list  func(best candidate) []candidate
	share float64 // of the trial's time
}

// newTrial is nil with the reason when there is nothing to try or no time for it.
func newTrial(s Setup, w window) (*trial, string) {
	stages, first := trialStages(s)
	d := min(int64(trialTime), (w.open-w.begin)*2/3)
	switch {
	case !s.Tuning.Trial:
		return nil, "no trial"
	case s.Method != "stream" || len(stages) == 0:
		return nil, "nothing to try"
	case s.Pace > 0:
		return nil, "no trial: the rate is limited"
	case d < int64(shortestTrial):
		return nil, "no trial: the warm-up is too short"
	}
	t := &trial{begin: w.begin + int64(slowStart), end: w.begin + d, rest: stages, scores: map[candidate][]float64{}, current: first}
	t.nextStage()
	return t, ""
}

// first is what runs where no trial is made: the method's own choice.
func firstCandidate(s Setup) candidate {
	c := candidate{}
	want := streamSize(s.connections())
	for c.bytes() < want && c.size < sizes-1 {
		c.size++
	}
	c.lowWater = s.small() && s.Tuning.Trial
	if s.Tuning.label() == "B" || s.Tuning.label() == "C" {
		c = candidate{way: waySplice, size: 1}
	}
	return c
}

// trialStages is what is compared: where threads run, if that is free, and then buffers and the sender's way.
func trialStages(s Setup) ([]stage, candidate) {
	first := firstCandidate(s)
	var out []stage
	if s.Tuning.Placement == PlaceAuto && len(s.Tuning.Cores) == 0 {
		places := []placement{placeFree, placeSpread}
		if s.Tuning.Together {
			places = []placement{placeFree, placeApart, placeTogether}
		}
		out = append(out, stage{share: 1, list: func(best candidate) []candidate {
			var list []candidate
			for _, p := range places {
				best.place = p
				list = append(list, best)
			}
			return list
		}})
	}
	if s.small() {
		out = append(out, stage{share: 2, list: func(best candidate) []candidate {
			plain := best
			plain.lowWater = false
			return []candidate{best, plain}
		}})
	}
	if s.Size == 0 {
		out = append(out, stage{share: 2, list: func(best candidate) []candidate {
			list := []candidate{best}
			for _, c := range buffers(s) {
				if c.place = best.place; c != best {
					list = append(list, c)
				}
			}
			return list
		}})
	}
	return out, first
}

// buffers is the sizes and ways that a kind of copying allows.
func buffers(s Setup) []candidate {
	var list []candidate
	largest := s.largestBuffer()
	add := func(c candidate) {
		if c.bytes() <= largest {
			list = append(list, c)
		}
	}
	switch s.Tuning.label() {
	case "A":
		for i := range uint8(sizes) {
			add(candidate{size: i})
		}
	case "B":
		for _, i := range []uint8{0, 1, 2, 3} {
			add(candidate{way: waySplice, size: i})
		}
		add(candidate{way: wayTee, size: 1})
		add(candidate{way: waySendfile, size: 1})
		add(candidate{way: waySendfile, size: 3})
		add(candidate{way: wayZeroCopy, size: 1})
	case "C":
		add(candidate{way: waySplice, size: 1})
		add(candidate{way: waySplice, size: 1, lowWater: true})
		add(candidate{way: waySendfile, size: 3, lowWater: true})
		add(candidate{way: wayTee, size: 1, lowWater: true})
		add(candidate{way: wayZeroCopy, size: 1, lowWater: true})
	}
	return list
}

// read counts n bytes that a task has read at stamp and returns what is to run now, with its version.
func (t *trial) read(stamp int64, n int) (c candidate, version int, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return t.current, t.version, true
	}
	if stamp < t.begin {
		return t.current, t.version, false
	}
	length := t.slotLength()
	switch {
	case t.slot == 0:
		t.slot = stamp
	case t.from == 0 && stamp-t.slot >= length/guard:
		t.from, t.bytes = stamp, 0 // the bytes of this read came before it
	case t.from != 0:
		t.bytes += int64(n)
	}
	if t.slot != 0 && stamp-t.slot >= length {
		t.closeSlot(stamp)
	}
	if stamp >= t.end && !t.over {
		t.decide()
	}
	return t.current, t.version, t.over
}

// slotLength is that of one candidate in this round.
func (t *trial) slotLength() int64 {
	return int64(float64(t.end-t.begin)*t.round.share) / int64(max(1, len(t.round.list)))
}

func (t *trial) closeSlot(stamp int64) {
	c := t.round.list[t.at]
	if d := stamp - t.from; t.from != 0 && d > 0 {
		t.scores[c] = append(t.scores[c], float64(t.bytes)/float64(d))
	} else {
		t.scores[c] = append(t.scores[c], 0)
	}
	if t.tried++; t.tried == 1 {
		t.rate = t.scores[c][0]
		if t.dropLarge(); !t.fills(c) {
			t.rest, t.final, t.note = nil, true, "no trial: the path is too slow for buffers to matter"
		}
	}
	t.slot, t.from = stamp, 0
	if t.at++; t.at < len(t.round.list) {
		t.run(t.round.list[t.at])
		return
	}
	if !t.final && len(t.round.list) > 1 {
		t.final, t.at = true, 0
		t.round = round{t.best(t.round.list, (len(t.round.list)+1)/2), t.round.share}
		t.run(t.round.list[0])
		return
	}
	t.run(t.best(t.round.list, 1)[0])
	t.nextStage()
}

// fills says whether the path takes a candidate's buffer several times in a slot: on a slower one buffers cannot be
// told apart, and large ones would only fill its queues.
func (t *trial) fills(c candidate) bool {
	return float64(c.bytes())*4 <= t.rate*float64(t.slotLength())
}

// dropLarge takes out what comes after the first candidate and does not fill its slot.
func (t *trial) dropLarge() {
	kept := t.round.list[:1:1]
	for _, c := range t.round.list[1:] {
		if t.fills(c) {
			kept = append(kept, c)
		}
	}
	t.round.list = kept
}

func (t *trial) nextStage() {
	if len(t.rest) == 0 {
		t.decide()
		return
	}
	total := 0.0
	for _, s := range t.rest {
		total += s.share
	}
	s := t.rest[0]
	// What is left of the time, for what is left of the stages, half of it for each look.
	left := float64(t.end - t.begin)
	if t.slot != 0 {
		left = float64(t.end - t.slot)
	}
	t.rest = t.rest[1:]
	list := s.list(t.current)
	t.round = round{list, max(0, left/float64(t.end-t.begin)) * s.share / total / 2}
	t.final, t.at = false, 0
	if t.tried > 0 {
		t.dropLarge()
	}
	t.run(list[0])
}

// best is the n best of a list, best first. Scores of a candidate are averaged; of those that tie with the best the
// earliest in the list comes first.
func (t *trial) best(list []candidate, n int) []candidate {
	left := append([]candidate(nil), list...)
	var out []candidate
	for len(out) < n && len(left) > 0 {
		top := 0.0
		for _, c := range left {
			top = max(top, t.score(c))
		}
		for i, c := range left {
			if t.score(c)*tie >= top {
				out = append(out, c)
				left = append(left[:i:i], left[i+1:]...)
				break
			}
		}
	}
	return out
}

func (t *trial) score(c candidate) float64 {
	sum := 0.0
	for _, v := range t.scores[c] {
		sum += v
	}
	return sum / float64(max(1, len(t.scores[c])))
}

func (t *trial) run(c candidate) {
	if c != t.current || t.version == 0 {
		t.current = c
		t.version++
	}
}

// decide ends the trial with what is known.
func (t *trial) decide() {
	if t.over {
		return
	}
	t.over = true
	if t.note == "" && len(t.round.list) > 0 {
		tried := t.round.list[:0:0]
		for _, c := range t.round.list {
			if len(t.scores[c]) > 0 {
				tried = append(tried, c)
			}
		}
		if len(tried) > 0 {
			t.run(t.best(tried, 1)[0])
		}
	}
}

// choice says how the trial ended.
func (t *trial) choice() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.note != "":
		return t.note
	case !t.over:
		return "the trial was not finished"
	}
	return fmt.Sprintf("by a trial of %d candidates in %v", len(t.scores), time.Duration(t.end-t.begin).Round(time.Millisecond))
}

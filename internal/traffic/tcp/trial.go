package tcp

import (
	"fmt"
	"linerate/internal/base/xslices"
	"linerate/internal/traffic"
	"slices"
	"sync"
	"time"
)

const (
	// trialTime is the longest trial; of a short warm-up it takes two thirds.
	trialTime = 200 * time.Millisecond
	// shortestTrial is the shortest trial: slots shorter than the scheduler's ticks show nothing.
	shortestTrial = 100 * time.Millisecond
	// slowStart is left out at the beginning.
	slowStart = 10 * time.Millisecond
	// guard is the share of a slot, one in so many, that is left out at its beginning: bytes that are on their way
	// were sent as the candidate before would.
	guard = 4
	// tie is the ratio below which two candidates are equal; the earlier one in the list wins. A list begins with what
	// costs the least CPU time.
	tie = 1.03
	// finalists alternate in the last round of a stage, each finalTurns times: other load of the machine meets them
	// alike.
	finalists  = 2
	finalTurns = 2
)

// round is candidates that run one after the other, and the share of the trial's time that all of them take.
type round struct {
	list  []candidate
	share float64
}

// score is the sum of all slots of a candidate.
type score struct {
	bytes, ns int64
}

func (s score) rate() float64 { return float64(s.bytes) / float64(max(1, s.ns)) }

// trial compares candidates while a stream warms up. The receiver measures: it gives each candidate a slot, lets the
// better ones run again, and sends the sender an order at every change. All methods may be called by several tasks.
type trial struct {
	mu         sync.Mutex
	begin, end int64 // stamps
	rest       []stage
	round      round
	looks      int // that this stage still has after this one
	at         int // index in round.list
	slot       int64
	from       int64 // first stamp that counts in this slot, 0: none yet
	bytes      int64
	scores     map[candidate]score
	tried      int
	rate       float64 // bytes per nanosecond of the first slot
	current    candidate
	version    int // rises at every change of current
	over       bool
	note       string
}

// stage is several looks of the same length at the candidates of one kind: first at all of them, then at the better
// half, and so on down to the finalists.
type stage struct {
	list  func(best candidate) []candidate
	share float64 // of the trial's time
}

// newTrial returns nil and the reason when there is nothing to try or no time for it.
func newTrial(s traffic.Setup, w traffic.Interval) (*trial, string) {
	stages, first := trialStages(s)
	d := min(int64(trialTime), (w.Open-w.Begin)*2/3)
	switch {
	case !s.Tuning.Trial:
		return nil, "no trial"
	case len(stages) == 0:
		return nil, "nothing to try"
	case s.Pace > 0:
		return nil, "no trial: the rate is limited"
	case d < int64(shortestTrial):
		return nil, "no trial: the warm-up is too short"
	}
	t := &trial{begin: w.Begin + int64(slowStart), end: w.Begin + d, rest: stages, scores: map[candidate]score{},
		current: first}
	t.nextStage()
	return t, ""
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

// slotLength returns the length of one candidate's slot in this round.
func (t *trial) slotLength() int64 {
	return int64(float64(t.end-t.begin)*t.round.share) / int64(max(1, len(t.round.list)))
}

func (t *trial) closeSlot(stamp int64) {
	c := t.round.list[t.at]
	seen := t.scores[c]
	if t.from == 0 {
		t.from = t.slot // nothing came, which counts
	}
	seen.bytes, seen.ns = seen.bytes+t.bytes, seen.ns+max(1, stamp-t.from)
	t.scores[c] = seen
	if t.tried++; t.tried == 1 {
		t.rate = seen.rate()
		if t.dropLarge(); !t.fills(c) {
			t.rest, t.looks, t.note = nil, 0, "no trial: the path is too slow for buffers to matter"
		}
	}
	t.slot, t.from, t.bytes = stamp, 0, 0
	if t.at++; t.at < len(t.round.list) {
		t.run(t.round.list[t.at])
		return
	}
	if t.looks > 0 && len(t.round.list) > 1 {
		t.nextLook()
		return
	}
	t.run(t.best(t.round.list, 1)[0])
	t.nextStage()
}

// nextLook keeps the better half of the list in the order of its stage, and the finalists at last.
func (t *trial) nextLook() {
	t.looks--
	keep := max(finalists, (len(t.round.list)+1)/2)
	turns := 1
	if t.looks == 0 {
		keep, turns = finalists, finalTurns
	}
	kept := t.best(t.round.list, keep)
	list := slices.DeleteFunc(slices.Clone(t.round.list), func(c candidate) bool { return !slices.Contains(kept, c) })
	t.round.list, t.at = slices.Repeat(list, turns), 0
	t.run(t.round.list[0])
}

// looksAt returns the number of rounds for a list of n candidates.
func looksAt(n int) int {
	switch {
	case n < 2:
		return 1
	case n <= 2*finalists:
		return 2
	}
	return 3
}

// fills reports whether the path takes a candidate's buffer several times in a slot: on a slower one buffers cannot be
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
	total := xslices.Sum(t.rest, func(s stage) float64 { return s.share })
	s := t.rest[0]
	// What is left of the time, for what is left of the stages.
	left := float64(t.end - t.begin)
	if t.slot != 0 {
		left = float64(t.end - t.slot)
	}
	t.rest = t.rest[1:]
	list := s.list(t.current)
	looks := looksAt(len(list))
	t.round = round{list, max(0, left/float64(t.end-t.begin)) * s.share / total / float64(looks)}
	t.looks, t.at = looks-1, 0
	if t.tried > 0 {
		t.dropLarge()
	}
	t.run(t.round.list[0])
}

// best returns the n best of a list, best first. Of those that tie with the best the earliest in the list comes first.
func (t *trial) best(list []candidate, n int) []candidate {
	left := slices.Clone(list)
	var out []candidate
	for len(out) < n && len(left) > 0 {
		top := 0.0
		for _, c := range left {
			top = max(top, t.scores[c].rate())
		}
		at := slices.IndexFunc(left, func(c candidate) bool { return t.scores[c].rate()*tie >= top })
		c := left[at]
		out = append(out, c)
		left = slices.DeleteFunc(left, func(x candidate) bool { return x == c }) // a finalist is in it twice
	}
	return out
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
			if t.scores[c].ns > 0 {
				tried = append(tried, c)
			}
		}
		if len(tried) > 0 {
			t.run(t.best(tried, 1)[0])
		}
	}
}

// choice reports how the trial ended.
func (t *trial) choice() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.note != "":
		return t.note
	case !t.over:
		return "the trial was not finished"
	}
	return fmt.Sprintf("by a trial of %d candidates in %v", len(t.scores),
		time.Duration(t.end-t.begin).Round(time.Millisecond))
}

// shareTrial gives the tasks that receive one trial; the returned function reports afterwards how it ended.
func shareTrial(s traffic.Setup, w traffic.Interval, tasks []*task) (choice func() string) {
	trial, why := newTrial(s, w)
	if trial == nil {
		return func() string { return why }
	}
	for _, t := range tasks {
		if !t.Active() {
			t.trial = trial
		}
	}
	return trial.choice
}

package traffic

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// verbsPair is what the program said of one pair over the window, as far as lines came.
type verbsPair struct {
	VerbsSaid
	last        int64       // stamp of the program's clock of its last completion in the window; 0: there was none
	left        int64       // stamp of this process's clock at which it was released; 0: it is not known
	asked, came []int64     // bytes in each slice; nil: nothing
	trips       [10][]point // of each tenth of the window
	post, poll  int64
}

// point is a value of a histogram: the whole trip, and how many took it.
type point struct{ ns, count int64 }

// verbsReport is everything that the program says of a run.
type verbsReport struct {
	skew  int64
	pairs []verbsPair
	told  bool  // a line of each pair came
	err   error // of the program: what came before it still holds
}

// runVerbs is Run of verbs.
func (e *End) runVerbs(ctx, watchCtx context.Context, cancel context.CancelCauseFunc, w window, emit func([]Sample)) (*Outcome, error) {
	v := e.verbs
	if !v.isJoined() {
		return nil, &Error{Code: CodeInput, Subject: "verbs", Text: "the pairs are not connected: join comes before start"}
	}
	stop := context.AfterFunc(ctx, v.program.end) // its standard input closes, and it ends
	defer stop()
	shift := monotonic() - Now() // of the program's clock
	if err := v.program.send("run begin=%d open=%d close=%d slices=%d", w.begin+shift, w.open+shift, w.close+shift, w.slices()); err != nil {
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
	report := readVerbsReport(func() (verbsLine, error) { return v.program.next(ctx, limit) }, e.setup.Streams, w.slices(), shift)
	if Now() < w.close {
		stopWatch()
	}
	watching.Wait()
	if report.err != nil {
		if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, errOver) {
			return nil, connectError(e.setup.Method, cause)
		}
		if at, ok := brokeAt(report); ok {
			o := v.outcome(w, report)
			o.Verbs.broke(w, at-shift, report.last()-shift, v.said(report.err))
			o.see(seen)
			return o, nil
		}
		if errors.Is(report.err, errOver) {
			return nil, v.unanswered()
		}
		return nil, v.said(report.err)
	}
	o := v.outcome(w, report)
	o.see(seen)
	return o, nil
}

// mostVerbsLines bounds what is read of a run.
const mostVerbsLines = 1 << 20

// readVerbsReport reads what the program says of a run until it is done. shift is taken from its stamps.
func readVerbsReport(next func() (verbsLine, error), pairs, slices int, shift int64) verbsReport {
	r := verbsReport{pairs: make([]verbsPair, pairs)}
	fail := func(err error) verbsReport { r.err = err; return r }
	for range mostVerbsLines {
		l, err := next()
		if err != nil {
			return fail(err)
		}
		var p *verbsPair
		if ofAPair(l.Word) {
			n, err := l.number("n")
			if err != nil {
				return fail(err)
			}
			if n < 0 || n >= int64(pairs) {
				return fail(fmt.Errorf("%s: there is no pair %d", VerbsProgram, n))
			}
			p = &r.pairs[n]
		}
		switch l.Word {
		case "released":
			if r.skew, err = l.number("skew_ns"); err != nil {
				return fail(err)
			}
		case "pair":
			err := l.numbers(map[string]*int64{"core": &p.Core, "left": &p.left, "ops": &p.Operations, "bytes": &p.Asked, "in": &p.Came,
				"last": &p.last, "late": &p.Late, "post_ns": &p.post, "poll_ns": &p.poll})
			if err != nil {
				return fail(err)
			}
			if p.left != 0 {
				p.left -= shift
			}
			if p.Posted, err = l.mayBe("posted"); err == nil {
				p.Completed, err = l.mayBe("completed")
			}
			if err != nil {
				return fail(err)
			}
			r.told = r.told || p == &r.pairs[pairs-1]
		case "slices":
			if p.asked, err = counts(l, slices); err != nil {
				return fail(err)
			}
		case "slices-in":
			if p.came, err = counts(l, slices); err != nil {
				return fail(err)
			}
		case "hist":
			part, err := l.number("part")
			if err != nil || part < 0 || part >= int64(len(p.trips)) {
				return fail(fmt.Errorf("%s: part %.20q of a histogram is none of ten", VerbsProgram, l.Values["part"]))
			}
			if p.trips[part], err = points(l); err != nil {
				return fail(err)
			}
		case "done":
			return r
		}
	}
	return fail(fmt.Errorf("%s: more than %d lines", VerbsProgram, mostVerbsLines))
}

// ofAPair says whether a line is about one pair.
func ofAPair(word string) bool {
	return word == "pair" || word == "slices" || word == "slices-in" || word == "hist"
}

// counts reads the numbers of a line "slices n=0 1,2,3".
func counts(l verbsLine, want int) ([]int64, error) {
	words := strings.Split(strings.Join(l.Rest, ""), ",")
	if len(words) != want {
		return nil, fmt.Errorf("%s: %d slices in place of %d", VerbsProgram, len(words), want)
	}
	out := make([]int64, want)
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s: %.40q is no count", VerbsProgram, word)
		}
		out[i] = n
	}
	return out, nil
}

// points reads the values of a line "hist n=0 part=0 1500:3,1508:1".
func points(l verbsLine) ([]point, error) {
	text := strings.Join(l.Rest, "")
	if text == "" {
		return nil, nil
	}
	var out []point
	for word := range strings.SplitSeq(text, ",") {
		value, count, _ := strings.Cut(word, ":")
		ns, err1 := strconv.ParseInt(value, 10, 64)
		n, err2 := strconv.ParseInt(count, 10, 64)
		if err1 != nil || err2 != nil || ns < 0 || n < 0 {
			return nil, fmt.Errorf("%s: %.40q is no value of a histogram", l.program(), word)
		}
		out = append(out, point{ns, n})
	}
	return out, nil
}

// halved says whether a latency is half of what was timed: there and back. A READ's is the whole.
func (v VerbsOptions) halved() bool { return v.Op != OpRead }

// outcome puts together what the pairs did in the window that all of them filled.
func (v *verbsEnd) outcome(w window, r verbsReport) *Outcome {
	o := &Outcome{OpenNS: w.open, CloseNS: w.close, StartNS: w.open, EndNS: w.close, Size: v.setup.verbsSize(), Slice: float64(w.step) / 1e9}
	seen := v.seen
	seen.SkewNS = r.skew
	whole := wholeParts(w, r.pairs)
	for _, ok := range whole {
		if !ok {
			seen.LeftOut++
		}
	}
	seen.Seconds = float64(len(whole)-seen.LeftOut) / float64(len(whole)) * float64(w.close-w.open) / 1e9
	all := NewHistogram()
	var posts, polls []int64
	for i := range r.pairs {
		p := &r.pairs[i]
		if seen.LeftOut > 0 {
			p.Asked, p.Came = inParts(p.asked, whole), inParts(p.came, whole)
		}
		own := NewHistogram()
		for part, points := range p.trips {
			if !whole[part] {
				continue
			}
			for _, x := range points {
				if v.options.halved() {
					x.ns /= 2
				}
				own.RecordN(time.Duration(x.ns), x.count)
			}
		}
		if own.Count() > 0 {
			p.Trips = own.trips()
			all.Merge(own)
		}
		if p.left != 0 && (seen.ReleasedNS == 0 || p.left < seen.ReleasedNS) {
			seen.ReleasedNS = p.left
		}
		seen.Pairs = append(seen.Pairs, p.VerbsSaid)
		seen.AskedBytes, seen.CameBytes = seen.AskedBytes+p.Asked, seen.CameBytes+p.Came
		posts, polls = append(posts, p.post), append(polls, p.poll)
	}
	seen.PostNS, seen.PollNS = meanKnown(posts), meanKnown(polls)
	if v.options.Metric == MetricGoodput {
		o.Series = v.series(w, r.pairs)
	}
	if o.Trips = all.Count(); o.Trips > 0 {
		o.Histogram, _ = all.Encode() // numbers in range: it cannot fail
	}
	if seen.LeftOut > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%d tenths of the window are left out, which not every pair filled", seen.LeftOut))
	}
	if seen.Crowded {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%d pairs share fewer cores: their threads take turns, and latencies have the waiting in them; ask for fewer pairs, or give them cores (--placement)", v.setup.Streams))
	}
	o.Verbs = &seen
	return o
}

// wholeParts says of each tenth of the window whether every pair was at work in all of it: none was released late.
func wholeParts(w window, pairs []verbsPair) []bool {
	whole := make([]bool, 10)
	for k := range whole {
		from := w.open + (w.close-w.open)*int64(k)/10
		whole[k] = true
		for _, p := range pairs {
			if p.left > from {
				whole[k] = false
			}
		}
	}
	return whole
}

// inParts sums the slices that lie in tenths that count.
func inParts(slices []int64, whole []bool) (sum int64) {
	for i, n := range slices {
		if whole[i*len(whole)/len(slices)] {
			sum += n
		}
	}
	return sum
}

// series is what this end counted over time, in bits per second: messages that came in, else what it asked for.
func (v *verbsEnd) series(w window, pairs []verbsPair) []float64 {
	out := make([]float64, w.slices())
	width := float64(w.close-w.open) / float64(len(out)) / 1e9
	some := false
	for _, p := range pairs {
		list := p.asked
		if v.options.Op == OpSend {
			list = p.came
		}
		for i, n := range list {
			out[i] += float64(n) * 8 / width
			some = some || n > 0
		}
	}
	if !some {
		return nil
	}
	return out
}

// meanKnown is the mean of those above 0; 0: none.
func meanKnown(list []int64) float64 {
	sum, n := 0.0, 0
	for _, v := range list {
		if v > 0 {
			sum, n = sum+float64(v), n+1
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

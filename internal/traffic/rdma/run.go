package rdma

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// pairReport is what the program reported of one pair over the interval, as far as lines came.
type pairReport struct {
	traffic.VerbsSaid
	last        int64       // stamp of the program's clock of its last completion in the interval; 0: there was none
	left        int64       // stamp of this process's clock at which it was released; 0: it is unknown
	asked, came []int64     // bytes in each slice; nil: nothing
	rttSamples  [10][]Point // of each tenth of the interval
	post, poll  int64
}

// Point is a value of a histogram: the whole trip, and how many took it.
type Point struct{ Ns, Count int64 }

// Report is everything that the program reports of a run.
type Report struct {
	skew     int64
	pairs    []pairReport
	reported bool  // a line of each pair came
	shift    int64 // what the program's stamps are ahead of this process's clock
	Err      error // of the program: what came before it still holds
}

// Run makes the program do the requests of all pairs.
func (e *Engine) Run(ctx context.Context, x traffic.Execution) (*traffic.Outcome, error) {
	w := x.Interval
	if !e.isJoined() {
		return nil, &failure.Error{Code: failure.CodeInput, Subject: "rdma",
			Text: "the pairs are not connected: join comes before start"}
	}
	report, seen, err := e.Work(ctx, x, w.Slices(), func(next func() (Line, error), shift int64) Report {
		return readReport(next, e.setup.Streams, w.Slices(), shift)
	})
	if err != nil {
		return nil, err
	}
	if report.Err != nil {
		if cause := context.Cause(ctx); cause != nil && !traffic.IsOver(cause) {
			return nil, failure.Of(e.setup.Method, cause)
		}
		if at, ok := brokeAt(report); ok {
			o := e.outcome(w, report)
			broke(o.Verbs, w, at-report.shift, report.last()-report.shift, e.Said(report.Err))
			seen.Into(o)
			return o, nil
		}
		if traffic.IsOver(report.Err) {
			return nil, e.unanswered()
		}
		return nil, e.Said(report.Err)
	}
	o := e.outcome(w, report)
	seen.Into(o)
	return o, nil
}

// Work runs the program next to a watch of this host, and reads its report. shift is what its stamps are ahead of this
// process's clock.
func (e *Engine) Work(ctx context.Context, x traffic.Execution, slices int,
	read func(next func() (Line, error), shift int64) Report) (Report, watch.Sight, error) {
	w := x.Interval
	stop := context.AfterFunc(ctx, e.Program.End) // its standard input closes, and it ends
	defer stop()
	shift := monotonic() - traffic.Now()
	err := e.Program.Send("run begin=%d open=%d close=%d slices=%d", w.Begin+shift, w.Open+shift, w.Close+shift, slices)
	if err != nil {
		return Report{}, watch.Sight{}, err
	}
	o := watch.OptionsOf(e.setup)
	o.Child = e.Program.pid()
	look := watch.Start(x, o, nil)
	limit := time.Duration(w.Deadline-traffic.Now()) + AnswerLimit
	report := read(func() (Line, error) { return e.Program.Next(ctx, limit) }, shift)
	report.shift = shift
	return report, look.End(), nil
}

// mostVerbsLines is the most lines that are read of a run.
const mostVerbsLines = 1 << 20

// readReport reads the program's report of a run. shift is subtracted from its stamps.
func readReport(next func() (Line, error), pairs, slices int, shift int64) Report {
	r := Report{pairs: make([]pairReport, pairs)}
	fail := func(err error) Report { r.Err = err; return r }
	for range mostVerbsLines {
		l, err := next()
		if err != nil {
			return fail(err)
		}
		var p *pairReport
		if ofAPair(l.Word) {
			n, err := l.Number("n")
			if err != nil {
				return fail(err)
			}
			if n < 0 || n >= int64(pairs) {
				return fail(fmt.Errorf("%s: there is no pair %d", Program, n))
			}
			p = &r.pairs[n]
		}
		switch l.Word {
		case "released":
			if r.skew, err = l.Number("skew_ns"); err != nil {
				return fail(err)
			}
		case "pair":
			err := l.Numbers(map[string]*int64{"core": &p.Core, "left": &p.left, "ops": &p.Operations, "bytes": &p.Asked,
				"in": &p.Came, "last": &p.last, "late": &p.Late, "post_ns": &p.post, "poll_ns": &p.poll})
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
			r.reported = r.reported || p == &r.pairs[pairs-1]
		case "slices":
			if p.asked, err = counts(l, slices); err != nil {
				return fail(err)
			}
		case "slices-in":
			if p.came, err = counts(l, slices); err != nil {
				return fail(err)
			}
		case "hist":
			part, err := l.Number("part")
			if err != nil || part < 0 || part >= int64(len(p.rttSamples)) {
				return fail(fmt.Errorf("%s: part %.20q of a histogram is none of ten", Program, l.Values["part"]))
			}
			if p.rttSamples[part], err = Points(l); err != nil {
				return fail(err)
			}
		case "done":
			return r
		}
	}
	return fail(fmt.Errorf("%s: more than %d lines", Program, mostVerbsLines))
}

// ofAPair reports whether a line is about one pair.
func ofAPair(word string) bool {
	return word == "pair" || word == "slices" || word == "slices-in" || word == "hist"
}

// counts reads the numbers of a line "slices n=0 1,2,3".
func counts(l Line, want int) ([]int64, error) {
	words := strings.Split(strings.Join(l.Rest, ""), ",")
	if len(words) != want {
		return nil, fmt.Errorf("%s: %d slices in place of %d", Program, len(words), want)
	}
	out := make([]int64, want)
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("%s: %.40q is not a count", Program, word)
		}
		out[i] = n
	}
	return out, nil
}

// Points reads the values of a line "hist n=0 part=0 1500:3,1508:1".
func Points(l Line) ([]Point, error) {
	text := strings.Join(l.Rest, "")
	if text == "" {
		return nil, nil
	}
	var out []Point
	for word := range strings.SplitSeq(text, ",") {
		value, count, _ := strings.Cut(word, ":")
		ns, err1 := strconv.ParseInt(value, 10, 64)
		n, err2 := strconv.ParseInt(count, 10, 64)
		if err1 != nil || err2 != nil || ns < 0 || n < 0 {
			return nil, fmt.Errorf("%s: %.40q is not a value of a histogram", l.by(), word)
		}
		out = append(out, Point{ns, n})
	}
	return out, nil
}

// halved reports whether a latency is half of what was timed: there and back. A READ's is the whole.
func halved(v traffic.VerbsOptions) bool { return v.Op != traffic.OpRead }

// outcome sums up what the pairs did in the part of the interval that all of them filled.
func (v *Engine) outcome(w traffic.Interval, r Report) *traffic.Outcome {
	o := &traffic.Outcome{OpenNS: w.Open, CloseNS: w.Close, StartNS: w.Open, EndNS: w.Close, Size: sizeOf(v.setup.Setup),
		Slice: float64(w.Step) / 1e9}
	seen := v.Seen
	seen.SkewNS = r.skew
	whole := wholeParts(w, r.pairs)
	for _, ok := range whole {
		if !ok {
			seen.LeftOut++
		}
	}
	seen.Seconds = float64(len(whole)-seen.LeftOut) / float64(len(whole)) * float64(w.Close-w.Open) / 1e9
	all := traffic.NewHistogram()
	var posts, polls []int64
	for i := range r.pairs {
		p := &r.pairs[i]
		if seen.LeftOut > 0 {
			p.Asked, p.Came = inParts(p.asked, whole), inParts(p.came, whole)
		}
		own := traffic.NewHistogram()
		for part, points := range p.rttSamples {
			if !whole[part] {
				continue
			}
			for _, x := range points {
				if halved(v.options) {
					x.Ns /= 2
				}
				own.RecordN(time.Duration(x.Ns), x.Count)
			}
		}
		if own.Count() > 0 {
			p.RTTSamples = own.RTTSamples()
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
	if v.options.Metric == traffic.MetricGoodput {
		o.Series = v.series(w, r.pairs)
	}
	if o.RTTSamples = all.Count(); o.RTTSamples > 0 {
		o.Histogram, _ = all.Encode() // numbers in range: it cannot fail
	}
	if seen.LeftOut > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%d tenths of the interval are left out, which not every pair filled",
			seen.LeftOut))
	}
	if seen.Crowded {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%d pairs share fewer cores: their threads take turns, and latencies "+
			"have the waiting in them; ask for fewer pairs, or give them cores (--placement)", v.setup.Streams))
	}
	o.Verbs = &seen
	return o
}

// wholeParts reports for each tenth of the interval whether every pair was at work in all of it.
func wholeParts(w traffic.Interval, pairs []pairReport) []bool {
	whole := make([]bool, 10)
	for k := range whole {
		from := w.Open + (w.Close-w.Open)*int64(k)/10
		whole[k] = true
		for _, p := range pairs {
			if p.left > from {
				whole[k] = false
			}
		}
	}
	return whole
}

// inParts sums up the slices that lie in whole tenths.
func inParts(slices []int64, whole []bool) (sum int64) {
	for i, n := range slices {
		if whole[i*len(whole)/len(slices)] {
			sum += n
		}
	}
	return sum
}

// series returns what this end counted over time, in bits per second: messages that arrived, else its own requests.
func (v *Engine) series(w traffic.Interval, pairs []pairReport) []float64 {
	out := make([]float64, w.Slices())
	width := float64(w.Close-w.Open) / float64(len(out)) / 1e9
	some := false
	for _, p := range pairs {
		list := p.asked
		if v.options.Op == traffic.OpSend {
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

// meanKnown returns the mean of the values above 0; 0: there are none.
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

package traffic

import "linerate/internal/base/xslices"

// Mark is the number of bytes that one end had received in the interval up to and including a stamp of its clock, all
// streams together.
type Mark struct {
	NS    int64 `json:"ns"`
	Bytes int64 `json:"bytes"`
}

// marksApart is the least time between two marks, in nanoseconds. Of the reads in between the last one is kept. A cut
// at a mark is exact; a cut next to it is off by what arrived in this time, at one edge up and at the other down.
const marksApart = 50_000

// headSteps returns the reads at the beginning of the interval, footSteps those at its end.
func headSteps(counters []*Counter) []Mark {
	logs := xslices.Map(counters, func(c *Counter) []edge { return c.head })
	return steps(0, logs)
}

func footSteps(counters []*Counter) []Mark {
	var base int64
	var logs [][]edge
	for _, c := range counters {
		logs, base = append(logs, c.foot), base+c.beforeFoot()
	}
	return steps(base, logs)
}

// headMarks and footMarks return the same reads thinned out, with the bytes before them first and the last read of all
// last. With them ends that measure at once are cut at common edges.
func headMarks(counters []*Counter) []Mark { return thinned(headSteps(counters)) }

func footMarks(w Interval, counters []*Counter) []Mark {
	var base, last, total int64
	for _, c := range counters {
		last, total, base = max(last, c.Last), total+c.inside, base+c.beforeFoot()
	}
	out := append([]Mark{{w.Close - w.Zone(), base}}, thinned(footSteps(counters))...)
	if n := len(out) - 1; last > out[n].NS {
		out = append(out, Mark{last, total})
	}
	return out
}

// thinned keeps the last one of marks that are nearer to each other than marksApart.
func thinned(marks []Mark) []Mark {
	var out []Mark
	for _, m := range marks {
		if n := len(out); n > 0 && m.NS/marksApart == out[n-1].NS/marksApart {
			out[n-1] = m
			continue
		}
		out = append(out, m)
	}
	return out
}

// Between returns the goodput of this end, in bits per second, in an interval inside its own one: from start to end on
// its clock. What waited at the start and was read in the interval is left out, as in Goodput. Where the end kept no
// marks, it returns the goodput of the whole; of verbs that of the slices, each as even.
func (o *Outcome) Between(start, end int64) float64 {
	if o.Verbs != nil {
		return o.inSlices(start, end)
	}
	if len(o.Foot) == 0 || end <= start {
		return o.Goodput
	}
	at := func(marks []Mark, stamp int64) (bytes int64) {
		for _, m := range marks {
			if m.NS > stamp {
				break
			}
			bytes = m.Bytes
		}
		return bytes
	}
	until := max(at(o.Foot, end), o.Foot[0].Bytes)
	n := until - at(o.Head, start) - max(0, o.Backlog)
	return float64(max(0, n)) * 8e9 / float64(end-start)
}

// inSlices is the mean of the series between two stamps.
func (o *Outcome) inSlices(start, end int64) float64 {
	start, end = max(start, o.OpenNS), min(end, o.CloseNS)
	if end <= start {
		return 0
	}
	width := float64(o.CloseNS-o.OpenNS) / float64(max(1, len(o.Series)))
	sum := 0.0
	for i, rate := range o.Series {
		from := float64(o.OpenNS) + float64(i)*width
		sum += rate * max(0, min(from+width, float64(end))-max(from, float64(start)))
	}
	return sum / float64(end-start)
}

// firstByte is the stamp of the first read of any stream, 0 if there was none.
func firstByte(counters []*Counter) int64 {
	first := int64(0)
	for _, c := range counters {
		if c.arrived != 0 && (first == 0 || c.arrived < first) {
			first = c.arrived
		}
	}
	return first
}

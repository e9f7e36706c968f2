package traffic

// Mark is how many bytes one end had received in the window up to and including a stamp of its clock, all streams together.
type Mark struct {
	NS    int64 `json:"ns"`
	Bytes int64 `json:"bytes"`
}

// marksApart is how near marks stand at most, in nanoseconds. Of the reads in between the last one is kept: a cut at a
// mark is exact, one beside it is off by what came in this time, at one edge up and at the other down.
const marksApart = 50_000

// headSteps are the reads at the beginning of the window, footSteps those at its end.
func headSteps(counters []*counter) []Mark {
	var logs [][]edge
	for _, c := range counters {
		logs = append(logs, c.head)
	}
	return steps(0, logs)
}

func footSteps(counters []*counter) []Mark {
	var base int64
	var logs [][]edge
	for _, c := range counters {
		logs, base = append(logs, c.foot), base+c.beforeFoot()
	}
	return steps(base, logs)
}

// headMarks and footMarks are the same thinned out, with the bytes before them first and the last read of all last. With
// them several ends that measure at once can be cut at edges that are common to all.
func headMarks(counters []*counter) []Mark { return thinned(headSteps(counters)) }

func footMarks(w window, counters []*counter) []Mark {
	var base, last, total int64
	for _, c := range counters {
		last, total, base = max(last, c.last), total+c.inside, base+c.beforeFoot()
	}
	out := append([]Mark{{w.close - w.zone(), base}}, thinned(footSteps(counters))...)
	if n := len(out) - 1; last > out[n].NS {
		out = append(out, Mark{last, total})
	}
	return out
}

// thinned keeps the last one of the marks that stand nearer to each other than marksApart.
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

// Between is the goodput of this end, in bits per second, in a window inside its own one: from start to end on its
// clock. What waited at the start and was read in the window is left out, as in Goodput. Where the end kept no marks,
// its own goodput is the answer; of verbs that of the slices, each as even.
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
func firstByte(counters []*counter) int64 {
	first := int64(0)
	for _, c := range counters {
		if c.arrived != 0 && (first == 0 || c.arrived < first) {
			first = c.arrived
		}
	}
	return first
}

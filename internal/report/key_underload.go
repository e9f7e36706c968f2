package report

import (
	"fmt"
	"math"

	"linerate/internal/record"
)

// keyUnderLoad says what a load adds to a round trip: of each path what it adds to the median.
func keyUnderLoad(s *keySource) (out []keyFinding) {
	best := map[string]int{}
	for _, e := range s.run.Experiments {
		if e.Load == nil || e.Load.Idle == nil || e.Load.Idle.P50 <= 0 || e.Latency == nil || e.Load.Added == nil || e.Load.Added.P50 == nil || skipped(e) {
			continue
		}
		added, idle := e.Load.Added.P50, e.Load.Idle.P50
		if added.Repeats < keyRepeats || added.Low < (keyLeast-1)*idle {
			continue
		}
		text := fmt.Sprintf("With %s the round trip %s takes %s at the median, %s without: they add %s (%s of %d: %s .. %s).", loadText(e.Load), arrows(clean(e.Path())), seconds(e.Latency.P50), seconds(idle),
			seconds(added.Median), intervalName(added), added.Repeats, seconds(added.Low), seconds(added.High))
		f := keyFinding{KeyFinding: record.KeyFinding{Text: text, Metric: "latency.p50"}, strength: math.Log(1 + added.Low/idle), about: []*record.Experiment{e}}
		if i, ok := best[e.Path()]; ok {
			if f.strength > out[i].strength {
				out[i] = f
			}
			continue
		}
		best[e.Path()] = len(out)
		out = append(out, f)
	}
	return out
}

func loadText(l *record.Load) string {
	s := count(l.Streams, "stream")
	if l.Direction == "both" {
		s += " in each direction"
	}
	return s + " beside it"
}

func intervalName(e *record.Estimate) string {
	if e.Interval == "range" {
		return "range"
	}
	return clean(e.Interval) + " interval"
}

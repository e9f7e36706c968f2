package summary

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// other settings make an experiment another thing than what a row of the network says.
var other = []string{"pace", "pace_by", "amount", "source", "pattern", "fragment", "gather", "every", "service"}

// row is a row of the network: of the experiments that are what it says the one with the fewest settings of its own, of these the fastest.
func (s *sheet) row(x spec) Row {
	out := Row{Key: x.key}
	type candidate struct {
		e      *record.Experiment
		extras []string
	}
	var all []candidate
	why := ""
	for _, e := range s.all {
		if !s.fits(x, e) {
			continue
		}
		if !figures(x, e) {
			why = cmp.Or(why, e.Failed, e.NotRun)
			continue
		}
		all = append(all, candidate{e, extras(x, e)})
	}
	if len(all) == 0 {
		if why != "" && x.kind != partRow {
			s.note(Label(x.key), NotMeasured+": "+why)
		}
		return out
	}
	sort.SliceStable(all, func(a, b int) bool {
		p, q := all[a], all[b]
		if c := cmp.Compare(len(p.extras), len(q.extras)); c != 0 {
			return c < 0
		}
		if x.kind == rateRow || x.kind == partRow {
			return p.e.Goodput.Median > q.e.Goodput.Median
		}
		// The ping beside most load, with an idle one of its own; of the verbs the smallest message.
		if x.loaded {
			return p.e.Load.Streams > q.e.Load.Streams
		}
		return size(p.e) < size(q.e)
	})
	e := all[0].e
	out.Measured = true
	if !slices.Contains(s.chosen, e) {
		s.chosen = append(s.chosen, e)
	}
	if len(all[0].extras) > 0 && x.kind != partRow {
		s.note(Label(x.key), strings.Join(all[0].extras, ", "))
	}
	s.figure(x, e, &out)
	return out
}

func size(e *record.Experiment) unit.Bytes {
	n, err := unit.ParseBytes(e.Settings["size"])
	if err != nil {
		return 0
	}
	return n
}

// fits says whether an experiment is what a row says.
func (s *sheet) fits(x spec, e *record.Experiment) bool {
	if e.Method != x.method {
		return false
	}
	for _, k := range other {
		if v := e.Settings[k]; v != "" && v != "false" && (k != "gather" || v != "1") {
			return false
		}
	}
	if x.method != record.MethodVerbs {
		if t := e.Settings["transport"]; t != "" && t != "tcp" {
			return false
		}
	}
	switch x.method {
	case "stream":
		return cmp.Or(e.Settings["streams"], "1") == x.streams && s.seen(e.Direction, e) == x.direction
	case "ping":
		if n := e.Settings["streams"]; n != "" && n != "1" {
			return false
		}
		// A ping beside a load has the idle path's round trips, too.
		return x.loaded == (e.Settings["load_streams"] != "") || !x.loaded
	}
	goodput := e.Settings["metric"] == "goodput"
	return cmp.Or(e.Settings["op"], "write") == x.op && goodput == (x.kind == rateRow) && (!goodput || s.seen(e.Direction, e) == x.direction)
}

// seen is a direction of an experiment as seen from A.
func (s *sheet) seen(direction string, e *record.Experiment) string {
	direction = cmp.Or(direction, "out")
	if direction == "both" || e.From == s.hosts[0] {
		return direction
	}
	return map[string]string{"out": "in", "in": "out"}[direction]
}

// figures says whether an experiment has what a row shows.
func figures(x spec, e *record.Experiment) bool {
	switch {
	case x.kind == partRow:
		return e.Goodput != nil && e.Forward != nil && e.Backward != nil
	case x.kind == rateRow:
		return e.Goodput != nil
	case x.loaded:
		return e.Latency != nil && e.Load != nil
	case x.method == "ping" && e.Settings["load_streams"] != "":
		return e.Load != nil && e.Load.Idle != nil
	}
	return e.Latency != nil
}

// extras are the settings of an experiment that its row does not say. An MTU is in the card's link.
func extras(x spec, e *record.Experiment) (out []string) {
	for k, v := range e.Settings {
		switch {
		case v == "", k == "streams", k == "direction", k == "transport", k == "op", k == "metric", k == "via", k == "time":
		case k == "mtu" && v == e.InEffect["mtu"], k == "copies" && v == "both", k == "placement" && v == "auto", k == "pairs" && v == "1", x.kind == pingRow && k == "size" && (v == "64B" || v == "64"):
		case x.method == "ping" && (k == "load_direction" || k == "load_streams"):
			if x.loaded && k == "load_streams" {
				out = append(out, fmt.Sprintf("beside %s TCP streams, %s", v, ways(cmp.Or(e.Settings["load_direction"], "both"))))
			}
		case k == "size" && x.kind != rateRow && x.kind != partRow:
			out = append(out, "messages of "+v)
		default:
			out = append(out, strings.ReplaceAll(k, "_", " ")+" "+v)
		}
	}
	if x.kind == pingRow && e.Settings["load_streams"] != "" && !x.loaded {
		out = append(out, "just before the load")
	}
	sort.Strings(out)
	return out
}

func ways(direction string) string {
	switch direction {
	case "both":
		return "both ways"
	case "in":
		return "towards the end that asks"
	}
	return "from the end that asks"
}

// figure fills a row from the experiment that it is of.
func (s *sheet) figure(x spec, e *record.Experiment, out *Row) {
	switch {
	case x.kind == partRow:
		there, back := e.Forward, e.Backward
		if e.From != s.hosts[0] {
			there, back = back, there
		}
		if out.Goodput = ptr(there.Median); x.key == "tcp-8-both-ba" {
			out.Goodput = ptr(back.Median)
		}
		return
	case x.kind == rateRow:
		out.Goodput = ptr(e.Goodput.Median)
		out.Ceiling, out.Share = against(e.Ceiling, e.Goodput.Median)
	case x.method == "ping" && !x.loaded && e.Settings["load_streams"] != "":
		s.latency(x, out, e.Load.Idle)
		return // the processors' figures are of both parts
	default:
		s.latency(x, out, e.Latency)
		if x.loaded && e.Load.Goodput != nil {
			out.Load = ptr(e.Load.Goodput.Median)
		}
		if x.kind == pingRow && !x.loaded {
			out.Load = ptr(0)
		}
	}
	out.CoresA, out.CoresB = cores(e, s.hosts[0]), cores(e, s.hosts[1])
}

// latency fills the quantiles; those that too few round trips carry are 0 in a record, and not known.
func (s *sheet) latency(x spec, out *Row, l *record.Latency) {
	if l.P50 > 0 && l.P99 <= 0 && l.Count > 0 {
		s.note(Label(x.key), fmt.Sprintf("p99 and p99.9 are not known, because %d round trips are too few for them", l.Count))
	}
	for _, q := range []struct {
		v  float64
		to **float64
	}{{l.P50, &out.P50}, {l.P99, &out.P99}, {l.P999, &out.P999}} {
		if q.v > 0 {
			*q.to = ptr(q.v)
		}
	}
}

// against is the planned ceiling of a chain and the share of it that was reached; nil: not known.
func against(c *record.Chain, rate float64) (ceiling, share *float64) {
	if c == nil || c.Planned() <= 0 {
		return nil, nil
	}
	v := float64(c.Planned())
	return &v, ptr(rate / v)
}

// cores is how many of a host were busy, whatever for; nil: not known.
func cores(e *record.Experiment, host string) *float64 {
	sum, any := 0.0, false
	for _, c := range e.CPU {
		if c.Host == host && c.Core >= 0 {
			sum, any = sum+c.Busy()+c.Steal, true
		}
	}
	if !any {
		return nil
	}
	return &sum
}

package summary

import (
	"cmp"
	"fmt"
	"sort"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

// other are the settings with which an experiment does not match a row of the network.
var other = []string{"pace", "pace_by", "amount", "source", "traffic", "fragment", "batch", "every", "service"}

// row returns a row of the network from the matching experiment with the fewest settings of its own, among these the
// fastest.
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
		if !measures(x, e) {
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
		// For latency under load it takes the ping with the most load that has an idle one of its own; for RDMA the smallest
		// message.
		if x.loaded {
			return p.e.Load.Streams > q.e.Load.Streams
		}
		return size(p.e) < size(q.e)
	})
	e := all[0].e
	out.Measured = true
	s.chosen = xslices.AppendNew(s.chosen, e)
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

// fits reports whether an experiment matches a row.
func (s *sheet) fits(x spec, e *record.Experiment) bool {
	if e.Method != x.method {
		return false
	}
	for _, k := range other {
		if v := e.Settings[k]; v != "" && v != "false" && (k != "batch" || v != "1") {
			return false
		}
	}
	if !method.Named(x.method).UsesRDMA {
		if t := e.Settings["transport"]; t != "" && t != "tcp" {
			return false
		}
	}
	switch m := method.Named(x.method); {
	case m.Bulk:
		return cmp.Or(e.Settings["streams"], "1") == x.streams && s.seen(e.Direction, e) == x.direction
	case m.RoundTrips:
		if n := e.Settings["streams"]; n != "" && n != "1" {
			return false
		}
		// A ping during a load has the idle path's round trips, too.
		return x.loaded == (e.Settings["load_streams"] != "") || !x.loaded
	}
	goodput := e.Settings["metric"] == "goodput"
	return cmp.Or(e.Settings["op"], "write") == x.op && goodput == (x.kind == rateRow) &&
		(!goodput || s.seen(e.Direction, e) == x.direction)
}

// seen converts a direction of an experiment to that seen from A.
func (s *sheet) seen(direction string, e *record.Experiment) string {
	direction = cmp.Or(direction, "out")
	if direction == "both" || e.From == s.hosts[0] {
		return direction
	}
	return map[string]string{"out": "in", "in": "out"}[direction]
}

// measures reports whether an experiment has the figures of a row.
func measures(x spec, e *record.Experiment) bool {
	switch {
	case x.kind == partRow:
		return e.Goodput != nil && e.Forward != nil && e.Backward != nil
	case x.kind == rateRow:
		return e.Goodput != nil
	case x.loaded:
		return e.Latency != nil && e.Load != nil
	case method.Named(x.method).RoundTrips && e.Settings["load_streams"] != "":
		return e.Load != nil && e.Load.Idle != nil
	}
	return e.Latency != nil
}

// extras returns the settings of an experiment that its row does not name. An MTU is in the summary's link.
func extras(x spec, e *record.Experiment) (out []string) {
	for k, v := range e.Settings {
		switch {
		case v == "",
			k == "streams",
			k == "direction",
			k == "transport",
			k == "op",
			k == "metric",
			k == "via",
			k == "time":
		case k == "mtu" && v == e.InEffect["mtu"],
			k == "copy_mode" && v == "both",
			k == "placement" && v == "auto",
			k == "threads" && v == "1",
			x.kind == pingRow && k == "size" && (v == "64B" || v == "64"):
		case method.Named(x.method).RoundTrips && (k == "load_direction" || k == "load_streams"):
			if x.loaded && k == "load_streams" {
				out = append(out, fmt.Sprintf("next to %s TCP streams, %s", v, ways(cmp.Or(e.Settings["load_direction"], "both"))))
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

// figure fills a row from its experiment.
func (s *sheet) figure(x spec, e *record.Experiment, out *Row) {
	switch {
	case x.kind == partRow:
		there, back := e.Forward, e.Backward
		if e.From != s.hosts[0] {
			there, back = back, there
		}
		if out.Goodput = new(there.Median); x.key == "tcp-8-both-ba" {
			out.Goodput = new(back.Median)
		}
		return
	case x.kind == rateRow:
		out.Goodput = new(e.Goodput.Median)
		out.Ceiling, out.Share = against(e.Ceiling, e.Goodput.Median)
	case method.Named(x.method).RoundTrips && !x.loaded && e.Settings["load_streams"] != "":
		s.latency(x, out, e.Load.Idle)
		return // the CPU figures are of both parts
	default:
		s.latency(x, out, e.Latency)
		if x.loaded && e.Load.Goodput != nil {
			out.Load = new(e.Load.Goodput.Median)
		}
		if x.kind == pingRow && !x.loaded {
			out.Load = new(0.0)
		}
	}
	out.CoresA, out.CoresB = cores(e, s.hosts[0]), cores(e, s.hosts[1])
}

// latency fills the quantiles. Those with too few round trips are 0 in a record, and not known.
func (s *sheet) latency(x spec, out *Row, l *record.Latency) {
	if l.P50 > 0 && l.P99 <= 0 && l.Count > 0 {
		s.note(Label(x.key), fmt.Sprintf("p99 and p99.9 are not known, because %d round trips are too few for them", l.Count))
	}
	for _, q := range []struct {
		v  float64
		to **float64
	}{{l.P50, &out.P50}, {l.P99, &out.P99}, {l.P999, &out.P999}} {
		if q.v > 0 {
			*q.to = new(q.v)
		}
	}
}

// against returns the planned ceiling of a chain and the rate's share of it; nil: not known.
func against(c *record.Chain, rate float64) (ceiling, share *float64) {
	if c == nil || c.Planned() <= 0 {
		return nil, nil
	}
	v := float64(c.Planned())
	return &v, new(rate / v)
}

// cores returns the busy cores of a host, for any work; nil: not known.
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

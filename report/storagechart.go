package report

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"linerate/fabric"
	"linerate/result"
	"linerate/unit"
)

// blockCharts draws what an experiment of block gave over the size of its blocks, where it had three or more: bytes a second, requests a second, and these for each percent of
// the asking hosts' processors, a line for every combination of its other axes, as comparisons of initiators are published.
func blockCharts(title string, all []*result.Experiment, keys []string) (out []template.HTML) {
	s := &sweep{Key: "block", decades: true}
	var p sweepPanel
	of := map[string]int{}
	for _, e := range all {
		x, name := blockPlace(e, keys)
		if x == "" {
			continue
		}
		if !slices.Contains(s.xs, x) {
			s.xs = append(s.xs, x)
		}
		i, ok := of[name]
		if !ok {
			i = len(p.systems)
			of[name] = i
			p.systems = append(p.systems, system{name: name, short: name, cells: map[string]cell{}})
		}
		if _, taken := p.systems[i].cells[x]; !taken {
			p.systems[i].cells[x] = cell{E: e}
		}
		p.row = row{Name: e.Name, From: e.From, To: e.To, Variant: e.Variant}
	}
	if len(s.xs) < 3 {
		return nil
	}
	slices.SortFunc(s.xs, func(a, b string) int { return int(min(max(place(a)-place(b), -1), 1)) })
	note := "The table has every figure."
	if n := len(p.drawn()); n < len(p.systems) {
		note = "The first " + strconv.Itoa(n) + " of " + strconv.Itoa(len(p.systems)) + " lines; the table has every figure."
	}
	for _, f := range []struct {
		what, unit string
		of         func(*result.Experiment) *result.Estimate
	}{
		{"Throughput", "B/s", func(e *result.Experiment) *result.Estimate { return e.Bytes }},
		{"Requests a second", "IOPS", func(e *result.Experiment) *result.Estimate { return e.IOPS }},
		{"Requests a second for each percent of processor", "IOPS a percent", workEstimate},
	} {
		figure := func(c cell) (float64, float64, float64, []float64, bool) {
			v := f.of(c.E)
			if v == nil {
				return 0, 0, 0, nil, false
			}
			return v.Median, v.Low, v.High, nil, true
		}
		name := func(top float64) string {
			return strings.TrimSuffix(rateUnit(top), "b/s") + f.unit + ", logarithmic, more is better"
		}
		out = append(out, s.figures(p, title+": "+strings.ToLower(f.what[:1])+f.what[1:], f.what+" of all workers together. More is better. "+note, figure, func(string) float64 { return 0 }, name, rateTick))
	}
	return slices.DeleteFunc(out, func(h template.HTML) bool { return h == "" })
}

// blockPlace is where a cell stands in a chart over the block: the block, and the line, named by all else that varies.
func blockPlace(e *result.Experiment, keys []string) (x, line string) {
	var words []string
	for _, k := range keys {
		v := clean(e.Settings[k])
		switch l, ok := fabric.ParseBlockLoad(e.Settings["load"]); {
		case k == "size":
			x = v
		case k == "load" && ok:
			x = l.Size.String()
			words = append(words, l.Order+" Q"+strconv.Itoa(l.Depth)+"T"+strconv.Itoa(l.Threads))
		case k == "read":
			words = append(words, v+" read")
		case k == "depth" || k == "threads":
			words = append(words, v+" "+k)
		default:
			words = append(words, v)
		}
	}
	if b, err := unit.ParseBytes(x); err == nil {
		x = b.String()
	}
	return x, strings.Join(words, ", ")
}

// workEstimate is work for each percent of processor, of an experiment's last repeat; nil: not known.
func workEstimate(e *result.Experiment) *result.Estimate {
	w := e.Block.PerPercentAsking
	if w == nil {
		return nil
	}
	return &result.Estimate{Median: w.IOPS, Low: w.IOPS, High: w.IOPS, Repeats: 1}
}

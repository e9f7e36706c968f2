package highlight

import (
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
	"linerate/internal/report/compare"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// Contest is a pair of experiments that differ only in the system.
type Contest struct {
	A, B        *record.Experiment
	la, lb      string // names of the sides
	group       string // the same for contests of the same two systems in one experiment
	combination string // "4 KiB, 50 % read"
	Turns       bool   // the repeats alternated
	work        Metric
	main        *stat.Comparison // of work, b to a; nil: a side has no figure
}

// contestParameters are the settings that distinguish two systems in one experiment. Sizes, shares of reads, patterns
// and depths are part of the load, not of the system.
var contestParameters = []string{"via", "transport", "mtu", "streams", "threads", "tool", "cache", "copy_mode",
	"direction"}

// orderedParameters are those of them whose values are numbers: the least is compared with the greatest.
var orderedParameters = []string{"mtu", "streams", "threads"}

// contests returns all comparisons within a run.
func contests(r *record.Run) []Contest {
	varying := result.VaryingKeys(r.Experiments)
	several := map[string]map[string]bool{} // paths of an experiment's name
	var fit []*record.Experiment
	for _, e := range r.Experiments {
		if len(e.Repeats) == 0 || Skipped(e) {
			continue
		}
		fit = append(fit, e)
		if several[e.Name] == nil {
			several[e.Name] = map[string]bool{}
		}
		several[e.Name][record.Path(e.Pattern, e.From, e.To, false)] = true
	}
	var out []Contest
	add := func(a, b *record.Experiment, parameter, la, lb string) {
		without := []string{parameter}
		if parameter == "name" {
			without = nil
		}
		c := Contest{A: a, B: b, la: la, lb: lb, group: strings.Join([]string{a.Name, b.Name, parameter, la, lb}, "\x00"),
			combination: CombinationWords(a, varying[a.Name], without, len(several[a.Name]) > 1 && parameter != "direction"),
			Turns:       compare.Interleaved(a.Repeats, b.Repeats)}
		c.work = WorkMetric(a)
		c.main = c.Against(c.work)
		out = append(out, c)
	}
	for _, parameter := range append([]string{"variant"}, contestParameters...) {
		if slices.Contains(orderedParameters, parameter) {
			ends(fit, parameter, add)
			continue
		}
		first := map[string][]*record.Experiment{}
		for _, e := range fit {
			v := ParameterValue(e, parameter)
			if v == "" && parameter != "variant" {
				continue
			}
			key := compare.CombinationKey(e, parameter, unit.If(parameter == "variant", "", e.Variant))
			for _, o := range first[key] {
				if ParameterValue(o, parameter) != v {
					add(o, e, parameter, SystemName(o, parameter), SystemName(e, parameter))
				}
			}
			if n := len(first[key]); n < 3 { // only the first few: with many values there would be too many pairs
				first[key] = append(first[key], e)
			}
		}
	}
	sameLoads(fit, add)
	return out
}

// ends adds the experiments with the least and the greatest value of a parameter that are otherwise equal.
func ends(fit []*record.Experiment, parameter string, add func(a, b *record.Experiment, parameter, la, lb string)) {
	var order []string
	of := map[string][2]*record.Experiment{}
	for _, e := range fit {
		if ParameterValue(e, parameter) == "" {
			continue
		}
		key := compare.CombinationKey(e, parameter, e.Variant)
		two, ok := of[key]
		if !ok {
			order, two = append(order, key), [2]*record.Experiment{e, e}
		}
		if result.Place(ParameterValue(e, parameter)) < result.Place(ParameterValue(two[0], parameter)) {
			two[0] = e
		}
		if result.Place(ParameterValue(e, parameter)) > result.Place(ParameterValue(two[1], parameter)) {
			two[1] = e
		}
		of[key] = two
	}
	for _, key := range order {
		if a, b := of[key][0], of[key][1]; ParameterValue(a, parameter) != ParameterValue(b, parameter) {
			add(a, b, parameter, SystemName(a, parameter), SystemName(b, parameter))
		}
	}
}

// sameLoads adds the experiments of different names with the same named loads of storage.
func sameLoads(fit []*record.Experiment, add func(a, b *record.Experiment, parameter, la, lb string)) {
	first := map[string][]*record.Experiment{}
	for _, e := range fit {
		load := e.Settings["load"]
		if e.Block == nil || load == "" {
			continue
		}
		key := e.Variant + "\x00" + load
		for _, k := range []string{"read", "limit", "think", "sync", "verify", "cache", "steady", "span",
			"amount"} { // other settings that affect the result of a load
			key += "\x00" + e.Settings[k]
		}
		for _, o := range first[key] {
			if o.Name != e.Name {
				add(o, e, "name", format.Clean(o.Name), format.Clean(e.Name))
			}
		}
		if len(first[key]) < 4 {
			first[key] = append(first[key], e)
		}
	}
}

// Skipped reports whether an experiment's figures do not show the system's speed: a machine is emulated, or the
// protocol is a substitute.
func Skipped(e *record.Experiment) bool {
	if e.Emulated {
		return true
	}
	_, instead := compare.Substitute(e)
	return instead != ""
}

func skippedContests(r *record.Run) (n int) {
	for _, e := range r.Experiments {
		if len(e.Repeats) > 0 && Skipped(e) {
			n++
		}
	}
	return n
}

// ParameterValue returns an experiment's value of a parameter, which may be its variant or direction.
func ParameterValue(e *record.Experiment, parameter string) string {
	switch parameter {
	case "variant":
		return e.Variant
	case "direction":
		if e.Direction == "both" { // a sum of two does not have one direction
			return ""
		}
		return e.Direction
	}
	return e.Settings[parameter]
}

// SystemName names a side in a sentence.
func SystemName(e *record.Experiment, parameter string) string {
	v := format.Clean(ParameterValue(e, parameter))
	switch parameter {
	case "variant":
		if v == "" {
			return "the fabric as written"
		}
		return "variant " + v
	case "direction":
		from, to := e.From, e.To
		if e.Direction == "in" {
			from, to = to, from
		}
		return format.Clean(from) + " → " + format.Clean(to)
	case "streams":
		return result.Streams(v)
	case "threads":
		return result.Pairs(v)
	case "pace":
		return "pace " + result.ValueOf(parameter, v)
	case "mtu":
		return "MTU " + v
	case "copy_mode":
		return v + " copies"
	}
	return v
}

// CombinationWords describes a combination for a sentence, after "for": the settings that vary in the experiment,
// without those that distinguish the sides.
func CombinationWords(e *record.Experiment, varying, without []string, path bool) string {
	var words []string
	add := func(s string) {
		if s != "" {
			words = append(words, s)
		}
	}
	for _, k := range []string{"load", "size", "access", "read"} {
		if v := e.Settings[k]; v != "" && (slices.Contains(varying, k) || k == "read" && e.Block != nil) &&
			!slices.Contains(without, k) {
			add(result.SettingWord(k, v))
		}
	}
	for _, k := range varying {
		if v := e.Settings[k]; v != "" && !slices.Contains(without, k) &&
			!slices.Contains([]string{"load", "size", "access", "read"}, k) {
			add(result.SettingWord(k, v))
		}
	}
	if e.Direction == "both" && e.Block == nil {
		add("both directions at once")
	}
	if path {
		add(format.Arrows(format.Clean(e.Path())))
	}
	return strings.Join(words, ", ")
}

// Metric is a figure that is compared, read off a repeat; 0: the repeat does not have it.
type Metric struct {
	Name  string // as in goals
	words string // after "1.66 times the"
	less  bool   // is better
	Of    func(record.Repeat) float64
	text  func(float64) string
}

// small is the size of a block below which requests are compared, not bytes.
const small = 64 << 10

// WorkMetric is what an experiment is about.
func WorkMetric(e *record.Experiment) Metric {
	switch {
	case e.Block != nil && blockSize(e) < small:
		return Metric{Name: "iops", words: "IOPS", Of: result.RepeatIOPS,
			text: func(v float64) string { return unit.Count(v) + " IOPS" }}
	case e.Block != nil:
		return Metric{Name: "goodput", words: "throughput", Of: result.RepeatBytes, text: unit.BytesPerSecond}
	case method.Named(e.Method).CopiesFiles:
		return Metric{Name: "goodput", words: "throughput", Of: func(p record.Repeat) float64 { return p.Goodput / 8 },
			text: unit.BytesPerSecond}
	case method.Named(e.Method).Exchanges:
		return Metric{Name: "seconds", words: "time of an exchange", less: true, Of: result.Exchange, text: format.Seconds}
	case e.Latencies():
		return Metric{Name: "latency.p50", words: "median latency", less: true,
			Of: func(p record.Repeat) float64 { return p.P50 }, text: format.Seconds}
	case e.Goodput != nil:
		return Metric{Name: "goodput", words: "goodput", Of: func(p record.Repeat) float64 { return p.Goodput },
			text: format.Rate}
	}
	return Metric{Of: func(record.Repeat) float64 { return 0 }}
}

// cpuMetric returns the CPU time of the work: of the clients of storage, or of the processes at both ends of a stream.
func cpuMetric(e *record.Experiment) Metric {
	m := Metric{Name: "cpu", words: "CPU", less: true, text: unit.Percent}
	if e.Block != nil {
		m.Of = func(p record.Repeat) float64 { return result.AskingPercent(p) / 100 }
		return m
	}
	m.Of = func(p record.Repeat) float64 { return result.Cost(p) * p.Goodput / 1e9 }
	return m
}

// blockSize returns the size of the requests, in bytes; 0: not known.
func blockSize(e *record.Experiment) unit.Bytes {
	if l, ok := fabric.ParseBlockLoad(e.Settings["load"]); ok {
		return l.Size
	}
	b, err := unit.ParseBytes(e.Settings["size"])
	if err != nil {
		return 0
	}
	return b
}

// Against compares the sides of a contest, b to a. It is nil where a side has no figure, or not of every repeat.
func (c Contest) Against(m Metric) *stat.Comparison {
	read := func(e *record.Experiment) []float64 {
		return compare.Values(compare.Compared{Metric: m.Name, Of: m.Of}, e)
	}
	a, b := read(c.A), read(c.B)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	compare := stat.Unpaired
	if n := min(len(a), len(b)); c.Turns && len(a) == len(c.A.Repeats) && len(b) == len(c.B.Repeats) {
		compare, a, b = stat.Paired, a[:n], b[:n]
	}
	s, err := compare(a, b)
	if err != nil {
		return nil
	}
	return &s
}

// inverted returns a comparison with the sides swapped.
func inverted(c stat.Comparison) stat.Comparison {
	c.Ratio, c.Low, c.High = 1/c.Ratio, 1/c.High, 1/c.Low
	c.N[0], c.N[1] = c.N[1], c.N[0]
	return c
}

package report

import (
	"slices"
	"strings"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// contest is two experiments that are one but for the system.
type contest struct {
	a, b   *record.Experiment
	la, lb string // what the sides are called
	group  string // contests of the same two systems in one experiment have the same
	cell   string // "4 KiB, 50 % read"
	turns  bool   // the repeats alternated
	work   keyMetric
	main   *stat.Comparison // of work, b to a; nil: a side has no figure
}

// contestAxes are the settings that make two systems of one experiment. Sizes, shares of reads, patterns and depths are what is asked of a system and none of it.
var contestAxes = []string{"via", "transport", "mtu", "streams", "pairs", "tool", "cache", "copies", "direction"}

// orderedAxes are those of them whose values are numbers: the least is held against the greatest.
var orderedAxes = []string{"mtu", "streams", "pairs"}

// contests are all comparisons that a run has in it.
func contests(r *record.Run) []contest {
	varying := varyingKeys(r.Experiments)
	several := map[string]map[string]bool{} // paths of an experiment's name
	var fit []*record.Experiment
	for _, e := range r.Experiments {
		if len(e.Repeats) == 0 || skipped(e) {
			continue
		}
		fit = append(fit, e)
		if several[e.Name] == nil {
			several[e.Name] = map[string]bool{}
		}
		several[e.Name][record.Path(e.Pattern, e.From, e.To, false)] = true
	}
	var out []contest
	add := func(a, b *record.Experiment, axis, la, lb string) {
		without := []string{axis}
		if axis == "name" {
			without = nil
		}
		c := contest{a: a, b: b, la: la, lb: lb, group: strings.Join([]string{a.Name, b.Name, axis, la, lb}, "\x00"),
			cell: cellWords(a, varying[a.Name], without, len(several[a.Name]) > 1 && axis != "direction"), turns: interleaved(a.Repeats, b.Repeats)}
		c.work = workMetric(a)
		c.main = c.against(c.work)
		out = append(out, c)
	}
	for _, axis := range append([]string{"variant"}, contestAxes...) {
		if slices.Contains(orderedAxes, axis) {
			ends(fit, axis, add)
			continue
		}
		first := map[string][]*record.Experiment{}
		for _, e := range fit {
			v := axisValue(e, axis)
			if v == "" && axis != "variant" {
				continue
			}
			key := cellKey(e, axis, map[bool]string{true: "", false: e.Variant}[axis == "variant"])
			for _, o := range first[key] {
				if axisValue(o, axis) != v {
					add(o, e, axis, systemName(o, axis), systemName(e, axis))
				}
			}
			if n := len(first[key]); n < 3 { // the first few: of many values every pair would be too much
				first[key] = append(first[key], e)
			}
		}
	}
	sameLoads(fit, add)
	return out
}

// ends adds the experiments with the least and the greatest value of an axis that are otherwise one.
func ends(fit []*record.Experiment, axis string, add func(a, b *record.Experiment, axis, la, lb string)) {
	var order []string
	of := map[string][2]*record.Experiment{}
	for _, e := range fit {
		if axisValue(e, axis) == "" {
			continue
		}
		key := cellKey(e, axis, e.Variant)
		two, ok := of[key]
		if !ok {
			order, two = append(order, key), [2]*record.Experiment{e, e}
		}
		if place(axisValue(e, axis)) < place(axisValue(two[0], axis)) {
			two[0] = e
		}
		if place(axisValue(e, axis)) > place(axisValue(two[1], axis)) {
			two[1] = e
		}
		of[key] = two
	}
	for _, key := range order {
		if a, b := of[key][0], of[key][1]; axisValue(a, axis) != axisValue(b, axis) {
			add(a, b, axis, systemName(a, axis), systemName(b, axis))
		}
	}
}

// sameLoads adds the experiments of different names that asked the same named loads of storage.
func sameLoads(fit []*record.Experiment, add func(a, b *record.Experiment, axis, la, lb string)) {
	first := map[string][]*record.Experiment{}
	for _, e := range fit {
		load := e.Settings["load"]
		if e.Block == nil || load == "" {
			continue
		}
		key := e.Variant + "\x00" + load
		for _, k := range []string{"read", "rate", "think", "sync", "verify", "cache", "steady", "span", "amount"} { // what else decides what a load can reach
			key += "\x00" + e.Settings[k]
		}
		for _, o := range first[key] {
			if o.Name != e.Name {
				add(o, e, "name", clean(o.Name), clean(e.Name))
			}
		}
		if len(first[key]) < 4 {
			first[key] = append(first[key], e)
		}
	}
}

// skipped says that an experiment's figures say nothing of the system: a machine of it is emulated, or another protocol stands in.
func skipped(e *record.Experiment) bool {
	if e.Emulated {
		return true
	}
	_, instead := standIn(e)
	return instead != ""
}

func skippedContests(r *record.Run) (n int) {
	for _, e := range r.Experiments {
		if len(e.Repeats) > 0 && skipped(e) {
			n++
		}
	}
	return n
}

func axisValue(e *record.Experiment, axis string) string {
	switch axis {
	case "variant":
		return e.Variant
	case "direction":
		if e.Direction == "both" { // a sum of two is no direction
			return ""
		}
		return e.Direction
	}
	return e.Settings[axis]
}

// systemName is what a side is called in a sentence.
func systemName(e *record.Experiment, axis string) string {
	v := clean(axisValue(e, axis))
	switch axis {
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
		return clean(from) + " → " + clean(to)
	case "streams":
		return streams(v)
	case "pairs":
		return pairs(v)
	case "pace":
		return "pace " + valueOf(axis, v)
	case "mtu":
		return "MTU " + v
	case "copies":
		return v + " copies"
	}
	return v
}

func pairs(v string) string {
	if v == "1" {
		return "1 pair"
	}
	return v + " pairs"
}

// cellWords says what was asked, as a sentence has it after "for": the settings that vary in the experiment, without those that make the sides.
func cellWords(e *record.Experiment, varying, without []string, path bool) string {
	var words []string
	add := func(s string) {
		if s != "" {
			words = append(words, s)
		}
	}
	for _, k := range []string{"load", "size", "pattern", "read"} {
		if v := e.Settings[k]; v != "" && (slices.Contains(varying, k) || k == "read" && e.Block != nil) && !slices.Contains(without, k) {
			add(cellWord(k, v))
		}
	}
	for _, k := range varying {
		if v := e.Settings[k]; v != "" && !slices.Contains(without, k) && !slices.Contains([]string{"load", "size", "pattern", "read"}, k) {
			add(cellWord(k, v))
		}
	}
	if e.Direction == "both" && e.Block == nil {
		add("both directions at once")
	}
	if path {
		add(arrows(clean(e.Path())))
	}
	return strings.Join(words, ", ")
}

func cellWord(key, v string) string {
	switch key {
	case "size":
		return value(v)
	case "read":
		switch p, err := unit.ParsePercent(v); {
		case err != nil:
		case p >= 1:
			return "reads"
		case p <= 0:
			return "writes"
		default:
			return trimZeros(p*100) + " % read"
		}
		return clean(v) + " read"
	case "load", "pattern", "via", "transport", "tool":
		return clean(v)
	case "streams":
		return streams(v)
	case "pairs":
		return pairs(v)
	case "pace":
		return "pace " + valueOf(key, v)
	case "mtu":
		return "MTU " + clean(v)
	}
	return strings.ReplaceAll(clean(key), "_", " ") + " " + clean(v)
}

// keyMetric is a figure that is compared, read off a repeat; 0: the repeat does not have it.
type keyMetric struct {
	name  string // as goals call it
	words string // after "1.66 times the"
	less  bool   // is better
	of    func(record.Repeat) float64
	text  func(float64) string
}

// small is the size of a block below which requests are counted, and not bytes.
const small = 64 << 10

// workMetric is what an experiment is about.
func workMetric(e *record.Experiment) keyMetric {
	switch {
	case e.Block != nil && blockSize(e) < small:
		return keyMetric{name: "iops", words: "IOPS", of: repeatIOPS, text: func(v float64) string { return unit.Count(v) + " IOPS" }}
	case e.Block != nil:
		return keyMetric{name: "goodput", words: "throughput", of: repeatBytes, text: unit.BytesPerSecond}
	case e.Method == record.MethodCopy:
		return keyMetric{name: "goodput", words: "throughput", of: func(p record.Repeat) float64 { return p.Goodput / 8 }, text: unit.BytesPerSecond}
	case e.Method == record.MethodHalo:
		return keyMetric{name: "seconds", words: "time of an exchange", less: true, of: exchange, text: seconds}
	case e.Latencies():
		return keyMetric{name: "latency.p50", words: "median latency", less: true, of: func(p record.Repeat) float64 { return p.P50 }, text: seconds}
	case e.Goodput != nil:
		return keyMetric{name: "goodput", words: "goodput", of: func(p record.Repeat) float64 { return p.Goodput }, text: rate}
	}
	return keyMetric{of: func(record.Repeat) float64 { return 0 }}
}

// processorMetric is how much processor the work took: of the hosts that ask of storage, of the processes of both ends of a stream.
func processorMetric(e *record.Experiment) keyMetric {
	m := keyMetric{name: "cpu", words: "processor", less: true, text: unit.Percent}
	if e.Block != nil {
		m.of = func(p record.Repeat) float64 {
			if p.Block == nil || p.Block.PerPercentAsking == nil {
				return 0
			}
			return p.Block.PerPercentAsking.Percent / 100
		}
		return m
	}
	m.of = func(p record.Repeat) float64 { return cost(p) * p.Goodput / 1e9 }
	return m
}

func repeatIOPS(p record.Repeat) (sum float64) {
	if p.Block == nil {
		return 0
	}
	for _, c := range []*record.BlockCount{p.Block.Read, p.Block.Write} {
		if c != nil {
			sum += c.IOPS
		}
	}
	return sum
}

func repeatBytes(p record.Repeat) (sum float64) {
	if p.Block == nil {
		return 0
	}
	for _, c := range []*record.BlockCount{p.Block.Read, p.Block.Write} {
		if c != nil {
			sum += c.BytesPerSecond
		}
	}
	return sum
}

// blockSize is that of the requests, in bytes; 0: not known.
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

// against holds the sides of a contest against each other, b to a; nil: a side has no figure, or not of every repeat.
func (c contest) against(m keyMetric) *stat.Comparison {
	read := func(e *record.Experiment) []float64 {
		return values(compared{m.name, m.of}, e)
	}
	a, b := read(c.a), read(c.b)
	if len(a) == 0 || len(b) == 0 {
		return nil
	}
	compare := stat.Unpaired
	if n := min(len(a), len(b)); c.turns && len(a) == len(c.a.Repeats) && len(b) == len(c.b.Repeats) {
		compare, a, b = stat.Paired, a[:n], b[:n]
	}
	s, err := compare(a, b)
	if err != nil {
		return nil
	}
	return &s
}

// inverted is a comparison the other way round.
func inverted(c stat.Comparison) stat.Comparison {
	c.Ratio, c.Low, c.High = 1/c.Ratio, 1/c.High, 1/c.Low
	c.N[0], c.N[1] = c.N[1], c.N[0]
	return c
}

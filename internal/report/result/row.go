package result

import (
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
)

// Row is one path in one direction of the data, with a combination for every setting that was measured on it.
type Row struct {
	Name         string // the experiment's
	Variant      string
	Pattern      string // of a group: pairs, incast, all-to-all
	From         string // sends
	To           string // receives
	Links        []string
	Both         bool // both directions at once: goodput and ceiling are their sum
	Combinations []Combination
	Ping         *record.Experiment // of the same path, nil if none
	Several      bool               // hosts have more than one path
	Among        bool               // an exchange among the hosts of From
}

// Combination is one experiment with the figures for a row.
type Combination struct {
	E       *record.Experiment
	Goodput *record.Estimate // nil: not known
	Streams string
	Rest    string // the other settings that vary in the experiment
	Back    bool   // data flow from E.To to E.From
}

// Share returns goodput as a share of the ceiling.
func (c Combination) Share() (float64, bool) {
	if c.Goodput != nil && c.E.Ceiling != nil && c.E.Ceiling.Planned() > 0 {
		return c.Goodput.Median / float64(c.E.Ceiling.Planned()), true
	}
	if v := c.E.Verdict; v != nil && v.ShareOfCeiling != nil && c.Goodput != nil {
		return *v.ShareOfCeiling, true
	}
	return 0, false
}

// Main returns the combination by which a row is judged: the measured one with most streams, or, if other settings
// vary, too, the one with most goodput.
func (r Row) Main() Combination {
	best, rest := -1, false
	for i, c := range r.Combinations {
		rest = rest || c.Rest != ""
		if c.Goodput != nil && (best < 0 || c.Goodput.Median > r.Combinations[best].Goodput.Median) {
			best = i
		}
	}
	if rest && best >= 0 {
		return r.Combinations[best]
	}
	for i := len(r.Combinations) - 1; i >= 0; i-- {
		if r.Combinations[i].Goodput != nil {
			return r.Combinations[i]
		}
	}
	return r.Combinations[len(r.Combinations)-1]
}

// Path returns the row's first column: "desktop -> nas".
func (r Row) Path() string {
	s := format.Clean(record.Path(r.Pattern, r.From, r.To, r.Both))
	if r.Among {
		s = format.Clean("among " + r.From)
	}
	if r.Several && r.Pattern == "" {
		s += " via " + strings.Join(format.Cleaned(r.Links), ", ")
	}
	if r.Variant != "" {
		s += " [" + format.Clean(r.Variant) + "]"
	}
	return s
}

// Rows groups the throughput experiments of a run by path and direction, in the order of the run.
func Rows(r *record.Run) []Row {
	varying := VaryingKeys(r.Experiments)
	index := map[string]int{}
	var out []Row
	for _, e := range r.Experiments {
		if !method.Named(e.Method).Bulk && !method.Named(e.Method).BoundsErrors &&
			!method.Named(e.Method).ProvesClasses || e.NotRun != "" || Pending(e) {
			continue
		}
		c := CombinationOf(e, varying[e.Name])
		from, to := e.From, e.To
		if c.Back {
			from, to = to, from
		}
		both := e.Direction == "both"
		key := strings.Join(append([]string{e.Name, e.Variant, e.Pattern, from, to, strconv.FormatBool(both)}, e.Links...),
			"\x00")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out,
				Row{Name: e.Name, Variant: e.Variant, Pattern: e.Pattern, From: from, To: to, Links: e.Links, Both: both})
		}
		out[i].Combinations = append(out[i].Combinations, c)
	}
	paths := map[[2]string]map[string]bool{}
	for i := range out {
		sort.SliceStable(out[i].Combinations, func(a, b int) bool {
			return Less(out[i].Combinations[a].Streams, out[i].Combinations[b].Streams)
		})
		out[i].Ping = ping(r, out[i])
		p := Pair(out[i].From, out[i].To)
		if paths[p] == nil {
			paths[p] = map[string]bool{}
		}
		paths[p][strings.Join(slices.Sorted(slices.Values(out[i].Links)), "\x00")] = true
	}
	for i := range out {
		out[i].Several = len(paths[Pair(out[i].From, out[i].To)]) > 1
	}
	return out
}

// Pending reports whether a run ended before an experiment.
func Pending(e *record.Experiment) bool {
	return e.NotRun == "" && e.Failed == "" && e.Goodput == nil && e.Latency == nil && e.Figure == nil &&
		len(e.Repeats) == 0 && e.Verdict == nil
}

// CombinationOf converts an experiment to a combination of its row.
func CombinationOf(e *record.Experiment, varying []string) Combination {
	var rest []string
	for _, k := range varying {
		if k != "streams" && k != "traffic" && e.Settings[k] != "" {
			rest = append(rest, format.Clean(k)+" "+format.Clean(e.Settings[k]))
		}
	}
	return Combination{E: e, Goodput: e.Goodput, Streams: e.Settings["streams"], Rest: strings.Join(rest, ", "),
		Back: e.Direction == "in"}
}

// VaryingKeys returns, for each experiment's name, the settings with more than one value. To have none is a value, too.
func VaryingKeys(all []*record.Experiment) map[string][]string {
	values := map[string]map[string]map[string]bool{}
	for _, e := range all {
		if values[e.Name] == nil {
			values[e.Name] = map[string]map[string]bool{}
		}
		for k, v := range e.Settings {
			if values[e.Name][k] == nil {
				values[e.Name][k] = map[string]bool{}
			}
			values[e.Name][k][v] = true
		}
	}
	for _, e := range all {
		for k, vs := range values[e.Name] {
			if _, has := e.Settings[k]; !has {
				vs[""] = true
			}
		}
	}
	out := map[string][]string{}
	for name, keys := range values {
		for k, vs := range keys {
			if len(vs) > 1 && k != "direction" {
				out[name] = append(out[name], k)
			}
		}
		sort.Strings(out[name])
	}
	return out
}

// ping finds the round trips of a row's path: those in its direction if there
// are any, else those measured from the other end.
func ping(r *record.Run, w Row) *record.Experiment {
	var other *record.Experiment
	for _, e := range r.Experiments {
		if !method.Named(e.Method).RoundTrips || e.Latency == nil || !PlainPing(e) || e.Variant != w.Variant ||
			strings.Join(e.Links, "\x00") != strings.Join(w.Links, "\x00") && !reversed(e.Links, w.Links) {
			continue
		}
		if e.From == w.From && e.To == w.To && e.Direction != "in" {
			return e
		}
		if other == nil && Pair(e.From, e.To) == Pair(w.From, w.To) {
			other = e
		}
	}
	return other
}

func reversed(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[len(b)-1-i] {
			return false
		}
	}
	return true
}

// Pair returns two names in order, as a key.
func Pair(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

// Healthy reports whether a verdict needs no explanation besides its sentence.
func Healthy(v *record.Verdict) bool { return v != nil && v.Limiter == record.LimiterLink }

// Cost returns the median over the repeats of a combination, in CPU seconds per gigabit.
func (c Combination) Cost() (float64, bool) {
	var each []float64
	for _, r := range c.E.Repeats {
		if v := Cost(r); v > 0 {
			each = append(each, v)
		}
	}
	v, err := stat.Median(each)
	return v, err == nil
}

// IsBlock reports whether an experiment has figures of storage.
func IsBlock(e *record.Experiment) bool { return e.Block != nil && e.Bytes != nil }

// Repeats returns the goodputs of the repeats of a combination.
func (c Combination) Repeats() []float64 {
	var out []float64
	for _, p := range c.E.Repeats {
		v := p.Goodput
		if c.E.Direction == "both" && p.Forward > 0 && p.Backward > 0 {
			v = p.Forward + p.Backward
		}
		if v > 0 && !math.IsInf(v, 0) {
			out = append(out, v)
		}
	}
	return out
}

// System names the line of a sweep over key that a combination belongs to.
func (c Combination) System(key string) (name, short string) {
	var parts, shorts []string
	if key != "streams" && c.Streams != "" {
		parts, shorts = append(parts, Streams(c.Streams)), append(shorts, format.Clean(c.Streams))
	}
	for _, p := range strings.Split(c.Rest, ", ") {
		if p != "" && !strings.HasPrefix(p, format.Clean(key)+" ") {
			parts, shorts = append(parts, p), append(shorts, shortSetting(p))
		}
	}
	return strings.Join(parts, ", "), strings.Join(shorts, ", ")
}

// Figure returns the goodput of a row's combination with a number of streams.
func (w Row) Figure(value string) string {
	for _, c := range w.Combinations {
		if c.Streams != value {
			continue
		}
		if c.Goodput != nil {
			return format.Rate(c.Goodput.Median)
		}
		return unit.If(c.E.Failed != "", "failed", format.NotKnown)
	}
	return "not run"
}

// CeilingText prints the planned ceiling of an experiment.
func CeilingText(e *record.Experiment) string {
	if e.Ceiling == nil || e.Ceiling.Planned() <= 0 {
		return format.NotKnown
	}
	if e.Ceiling.AtMost {
		return "at most " + e.Ceiling.Planned().String()
	}
	return e.Ceiling.Planned().String()
}

// Label names a combination within its row: "1 stream", "8 streams, size 2 KiB".
func (c Combination) Label() string {
	if c.Streams == "" {
		return c.Rest
	}
	if c.Rest == "" {
		return Streams(c.Streams)
	}
	return Streams(c.Streams) + ", " + c.Rest
}

// PlainPing reports whether a ping is a closed loop on the idle path. Such pings are shown next to goodput.
func PlainPing(e *record.Experiment) bool { return e.Open == nil && e.Load == nil && e.PathMTU == nil }

// StreamColumns returns the numbers of streams over all rows, and whether another setting varies, so that one column
// for each number is not enough.
func StreamColumns(rows []Row) (values []string, rest bool) {
	for _, w := range rows {
		seen := map[string]bool{}
		for _, c := range w.Combinations {
			values = xslices.AppendNew(values, c.Streams)
			rest = rest || c.Rest != "" || seen[c.Streams]
			seen[c.Streams] = true
		}
	}
	sort.SliceStable(values, func(a, b int) bool { return Less(values[a], values[b]) })
	return values, rest
}

// Extremes returns the lowest and the highest goodput of a row.
func (r Row) Extremes() (low, high string) {
	low, high = format.NotKnown, format.NotKnown
	var a, b float64
	found := false
	for _, c := range r.Combinations {
		if c.Goodput == nil {
			continue
		}
		m := c.Goodput.Median
		if !found || m < a {
			a, low = m, format.Rate(m)
		}
		if !found || m > b {
			b, high = m, format.Rate(m)
		}
		found = true
	}
	return low, high
}

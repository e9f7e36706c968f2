package report

import (
	"sort"
	"strconv"
	"strings"

	"linerate/internal/record"
)

// row is one path in one direction of the data, with a cell for every setting
// that was measured on it.
type row struct {
	Name    string // the experiment's
	Variant string
	Pattern string // of a group: pairs, incast, all-to-all
	From    string // sends
	To      string // receives
	Links   []string
	Both    bool // both directions at once: goodput and ceiling are their sum
	Cells   []cell
	Ping    *record.Experiment // of the same path, nil if none
	several bool               // hosts have more than one path
	among   bool               // an exchange among the hosts of From
}

// cell is one experiment with the figures that a row shows of it.
type cell struct {
	E       *record.Experiment
	Goodput *record.Estimate // nil: not known
	Streams string
	Rest    string // the other settings that vary in the experiment
	Back    bool   // data flow from E.To to E.From
}

// share is the part of the ceiling that was reached.
func (c cell) share() (float64, bool) {
	if c.Goodput != nil && c.E.Ceiling != nil && c.E.Ceiling.Planned() > 0 {
		return c.Goodput.Median / float64(c.E.Ceiling.Planned()), true
	}
	if v := c.E.Verdict; v != nil && v.ShareOfCeiling != nil && c.Goodput != nil {
		return *v.ShareOfCeiling, true
	}
	return 0, false
}

// main is the cell that a row is judged by: the one with most streams that was
// measured; where more than the streams varies, the one with most goodput.
func (r row) main() cell {
	best, rest := -1, false
	for i, c := range r.Cells {
		rest = rest || c.Rest != ""
		if c.Goodput != nil && (best < 0 || c.Goodput.Median > r.Cells[best].Goodput.Median) {
			best = i
		}
	}
	if rest && best >= 0 {
		return r.Cells[best]
	}
	for i := len(r.Cells) - 1; i >= 0; i-- {
		if r.Cells[i].Goodput != nil {
			return r.Cells[i]
		}
	}
	return r.Cells[len(r.Cells)-1]
}

// path is the row's first column: "desktop -> nas".
func (r row) path() string {
	s := clean(record.Path(r.Pattern, r.From, r.To, r.Both))
	if r.among {
		s = clean("among " + r.From)
	}
	if r.several && r.Pattern == "" {
		s += " via " + strings.Join(cleaned(r.Links), ", ")
	}
	if r.Variant != "" {
		s += " [" + clean(r.Variant) + "]"
	}
	return s
}

func cleaned(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = clean(s)
	}
	return out
}

// rows sorts the stream experiments of a run by path and direction, in the order
// of the run.
func rows(r *record.Run) []row {
	varying := varyingKeys(r.Experiments)
	index := map[string]int{}
	var out []row
	for _, e := range r.Experiments {
		if e.Method != "stream" && e.Method != record.MethodAcceptance && e.Method != record.MethodProof || e.NotRun != "" || pending(e) {
			continue
		}
		c := cellFor(e, varying[e.Name])
		from, to := e.From, e.To
		if c.Back {
			from, to = to, from
		}
		both := e.Direction == "both"
		key := strings.Join(append([]string{e.Name, e.Variant, e.Pattern, from, to, strconv.FormatBool(both)}, e.Links...), "\x00")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, row{Name: e.Name, Variant: e.Variant, Pattern: e.Pattern, From: from, To: to, Links: e.Links, Both: both})
		}
		out[i].Cells = append(out[i].Cells, c)
	}
	paths := map[[2]string]map[string]bool{}
	for i := range out {
		sort.SliceStable(out[i].Cells, func(a, b int) bool {
			return less(out[i].Cells[a].Streams, out[i].Cells[b].Streams)
		})
		out[i].Ping = ping(r, out[i])
		p := pair(out[i].From, out[i].To)
		if paths[p] == nil {
			paths[p] = map[string]bool{}
		}
		paths[p][strings.Join(out[i].Links, "\x00")] = true
	}
	for i := range out {
		out[i].several = len(paths[pair(out[i].From, out[i].To)]) > 1
	}
	return out
}

// pending says that a run ended before it came to an experiment.
func pending(e *record.Experiment) bool {
	return e.NotRun == "" && e.Failed == "" && e.Goodput == nil && e.Latency == nil && e.Figure == nil && len(e.Repeats) == 0 && e.Verdict == nil
}

// cellFor is an experiment as a cell of its row.
func cellFor(e *record.Experiment, varying []string) cell {
	var rest []string
	for _, k := range varying {
		if k != "streams" && k != "pattern" && e.Settings[k] != "" {
			rest = append(rest, clean(k)+" "+clean(e.Settings[k]))
		}
	}
	return cell{E: e, Goodput: e.Goodput, Streams: e.Settings["streams"], Rest: strings.Join(rest, ", "), Back: e.Direction == "in"}
}

// varyingKeys are, for each experiment's name, the settings of which there is
// more than one value.
func varyingKeys(all []*record.Experiment) map[string][]string {
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
func ping(r *record.Run, w row) *record.Experiment {
	var other *record.Experiment
	for _, e := range r.Experiments {
		if e.Method != "ping" || e.Latency == nil || !plainPing(e) || e.Variant != w.Variant || strings.Join(e.Links, "\x00") != strings.Join(w.Links, "\x00") && !reversed(e.Links, w.Links) {
			continue
		}
		if e.From == w.From && e.To == w.To && e.Direction != "in" {
			return e
		}
		if other == nil && pair(e.From, e.To) == pair(w.From, w.To) {
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

func pair(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

// less orders settings as numbers where both are numbers.
func less(a, b string) bool {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	if errA == nil && errB == nil {
		return x < y
	}
	return false
}

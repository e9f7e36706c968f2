package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/result"
)

// mostFacts is the number of differences that are printed. Further ones are counted.
const mostFacts = 24

// runFacts returns the differences between the first run and another one: machines, links and settings in effect. A
// reader must know them before the ratios. Hosts, NICs and links are compared with those of the same name. A difference
// that several have in common is printed once.
func runFacts(a, b *record.Run, pairs []aligned) []string {
	f := runDifferences{of: map[string][]string{}}
	f.reported("MTU", "", sideValues(pairs, mtuOf, 0), sideValues(pairs, mtuOf, 1))
	f.links(a, b)
	f.nics(a, b)
	f.hosts(a, b)
	f.inEffect(pairs)
	f.lab(a, b)
	f.one("variant", "", asWrittenOr(a.Variant), asWrittenOr(b.Variant))
	f.one("linerate", "", a.Version, b.Version)
	out := f.lines()
	if n := len(out) - mostFacts; n > 0 {
		out = append(out[:mostFacts], fmt.Sprintf("and %d more; --json has all", n))
	}
	return out
}

func asWrittenOr(v string) string { return cmp.Or(v, asWritten) }

// runDifferences collects differences of two runs ("what: x -> y") with their subjects.
type runDifferences struct {
	order []string
	of    map[string][]string
}

// one adds a difference of single values. What is not known on either side is not a difference.
func (f *runDifferences) one(what, subject, x, y string) {
	x, y = format.Clean(strings.TrimSpace(x)), format.Clean(strings.TrimSpace(y))
	if x == y {
		return
	}
	key := what + "\x00" + cmp.Or(x, format.NotKnown) + " -> " + cmp.Or(y, format.NotKnown)
	if f.of[key] == nil {
		f.order = append(f.order, key)
		f.of[key] = []string{}
	}
	if subject != "" {
		f.of[key] = append(f.of[key], format.Clean(subject))
	}
}

// reported adds a difference of sets of values.
func (f *runDifferences) reported(what, subject string, x, y []string) {
	if len(x) > 0 && len(y) > 0 {
		f.one(what, subject, strings.Join(x, ", "), strings.Join(y, ", "))
	}
}

func (f *runDifferences) lines() []string {
	var out []string
	for _, key := range f.order {
		what, change, _ := strings.Cut(key, "\x00")
		if on := f.of[key]; len(on) > 0 {
			text := strings.Join(on[:min(len(on), 4)], ", ")
			if n := len(on) - 4; n > 0 {
				text += fmt.Sprintf(" and %d more", n)
			}
			what += " of " + text
		}
		out = append(out, what+": "+change)
	}
	return out
}

func (f *runDifferences) links(a, b *record.Run) {
	other := xslices.By(b.Plan.Links, func(l record.PictureLink) string { return l.Name })
	for _, l := range a.Plan.Links {
		m, ok := other[l.Name]
		if !ok {
			continue
		}
		if l.Rate != m.Rate && l.Rate > 0 && m.Rate > 0 {
			f.one("rate", l.Name, l.Rate.String(), m.Rate.String())
		}
		f.one("cable", l.Name, l.Cable, m.Cable)
	}
	if len(a.Plan.Links) == 1 && len(b.Plan.Links) == 1 && a.Plan.Links[0].Name != b.Plan.Links[0].Name {
		f.one("rate of the link", "", a.Plan.Links[0].Rate.String(), b.Plan.Links[0].Rate.String())
	}
}

func (f *runDifferences) nics(a, b *record.Run) {
	of := func(r *record.Run) map[string]record.PictureNIC {
		out := map[string]record.PictureNIC{}
		for _, h := range r.Plan.Hosts {
			for _, c := range h.NICs {
				out[h.Name+"."+c.Name] = c
			}
		}
		return out
	}
	x, y := of(a), of(b)
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if d, ok := y[name]; ok {
			f.one("NIC", name, x[name].Part, d.Part)
			f.one("slot", name, x[name].Slot, d.Slot)
			f.one("SR-IOV functions", name, strconv.Itoa(x[name].Functions), strconv.Itoa(d.Functions))
		}
	}
}

func (f *runDifferences) hosts(a, b *record.Run) {
	other := xslices.By(b.Hosts, func(h record.HostState) string { return h.Name })
	cores := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	for _, h := range a.Hosts {
		o, ok := other[h.Name]
		if !ok || h.Error != "" || o.Error != "" {
			continue
		}
		f.one("system", h.Name, h.OS, o.OS)
		f.one("kernel", h.Name, h.Kernel, o.Kernel)
		f.one("CPU", h.Name, h.CPU, o.CPU)
		f.one("cores", h.Name, cores(h.Cores), cores(o.Cores))
		have := map[string]string{}
		for _, s := range o.Settings {
			have[s.Subject] = s.Have
		}
		for _, s := range h.Settings {
			if v, ok := have[s.Subject]; ok && s.Have != "" && v != "" &&
				!strings.HasSuffix(s.Subject, " mtu") { // MTUs are those of the experiments
				f.one("setting "+s.Subject, h.Name, s.Have, v)
			}
		}
	}
	var only [2][]string
	for i, r := range []*record.Run{a, b} {
		names := map[string]bool{}
		for _, h := range []*record.Run{b, a}[i].Hosts {
			names[h.Name] = true
		}
		for _, h := range r.Hosts {
			if !names[h.Name] {
				only[i] = append(only[i], h.Name)
			}
		}
	}
	f.reported("hosts", "", only[0], only[1])
}

// inEffect adds the settings in effect in the compared experiments, where it has one value throughout each run.
func (f *runDifferences) inEffect(pairs []aligned) {
	keys := map[string]bool{}
	for _, p := range pairs {
		for _, e := range []*record.Experiment{p.base, p.other} {
			for k := range e.InEffect {
				keys[k] = true
			}
			for k := range e.Settings {
				keys[k] = true
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if k == "mtu" || k == "direction" || strings.HasSuffix(k, "_why") {
			continue
		}
		of := func(e *record.Experiment) string { return cmp.Or(e.InEffect[k], e.Settings[k]) }
		x, y := sideValues(pairs, of, 0), sideValues(pairs, of, 1)
		if len(x) == 1 && len(y) == 1 && !result.SameValue(x[0], y[0]) {
			f.reported(strings.ReplaceAll(k, "_", " "), "", x, y)
		}
	}
}

func (f *runDifferences) lab(a, b *record.Run) {
	f.one("measured on", "", result.MeasuredOn(a), result.MeasuredOn(b))
	if a.Lab != nil && b.Lab != nil {
		f.one("offloads of the lab", "", cmp.Or(a.Lab.Offloads, "as the file has them"),
			cmp.Or(b.Lab.Offloads, "as the file has them"))
		f.reported("emulated machines", "", a.Lab.Guests, b.Lab.Guests)
	}
}

// sideValues returns the values of one side of the pairs, in order, each once, without unknown ones.
func sideValues(pairs []aligned, of func(*record.Experiment) string, side int) []string {
	seen := map[string]bool{}
	var out []string
	for _, p := range pairs {
		e := p.base
		if side == 1 {
			e = p.other
		}
		if v := of(e); v != "" && !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	slices.SortStableFunc(out, func(x, y string) int { return cmp.Compare(result.Place(x), result.Place(y)) })
	if len(out) > 4 {
		return append(out[:4], fmt.Sprintf("%d more", len(out)-4))
	}
	return out
}

// mtuOf returns the MTU of an experiment: the requested one, the one in effect, or that of its ceiling's formula.
// Empty: not known.
func mtuOf(e *record.Experiment) string {
	if v := cmp.Or(e.Settings["mtu"], e.InEffect["mtu"]); v != "" {
		return v
	}
	if e.Ceiling == nil {
		return ""
	}
	for _, h := range e.Ceiling.Hops {
		for _, in := range h.Inputs {
			if in.Name == "mtu" {
				return strconv.Itoa(int(in.Value))
			}
		}
	}
	return ""
}

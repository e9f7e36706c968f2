package summary

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/cause"
	"linerate/internal/record"
	"linerate/internal/report/headline"
)

// sheet is a summary in the making: the measurements between its hosts, or on its one host.
type sheet struct {
	summary *Summary
	run     *record.Run
	hosts   []string // A, B
	variant string
	links   []string // in the order from A to B
	all     []*record.Experiment
	chosen  []*record.Experiment // the experiments of its rows
	notes   map[string][]string  // labels of rows by the text of their note
	order   []string             // of notes
}

// Of makes the summaries of a run: one for each pair of hosts with figures, path and variant, in the order of the run.
// Experiments among many hosts at once are omitted.
func Of(r *record.Run) []*Summary {
	var sheets []*sheet
	for _, e := range r.Experiments {
		if s := between(r, &sheets, e); s != nil {
			s.all = append(s.all, e)
		}
	}
	for _, e := range r.Experiments {
		if s := storing(r, &sheets, e); s != nil {
			s.all = append(s.all, e)
		}
	}
	var out []*Summary
	for _, s := range sheets {
		if s.fill(len(sheets) == 1) {
			out = append(out, s.summary)
		}
	}
	return out
}

// between finds or makes the sheet of an experiment of the network; nil: it has none.
func between(r *record.Run, sheets *[]*sheet, e *record.Experiment) *sheet {
	switch {
	case e.FollowedUp != nil,
		e.Pattern != "",
		!method.Named(e.Method).Bulk && !method.Named(e.Method).RoundTrips && !method.Named(e.Method).UsesRDMA,
		several(e.From),
		several(e.To),
		e.From == "",
		e.To == "":
		return nil
	}
	for _, s := range *sheets {
		if len(s.hosts) == 2 && s.variant == e.Variant &&
			(s.hosts[0] == e.From && s.hosts[1] == e.To && slices.Equal(s.links, e.Links) ||
				s.hosts[0] == e.To && s.hosts[1] == e.From && slices.Equal(s.links, reversed(e.Links))) {
			return s
		}
	}
	s := &sheet{run: r, hosts: []string{e.From, e.To}, variant: e.Variant, links: e.Links}
	*sheets = append(*sheets, s)
	return s
}

// storing finds the sheet of a storage experiment: one with the same path, or else with the same pair, or else with its
// single host.
func storing(r *record.Run, sheets *[]*sheet, e *record.Experiment) *sheet {
	if !method.Named(e.Method).Stores || e.FollowedUp != nil || e.Pattern != "" || several(e.From) || several(e.To) ||
		e.From == "" || !summaryLoad(e) {
		return nil
	}
	owner := hostOf(e.To)
	var same, one *sheet
	for _, s := range *sheets {
		if s.variant != e.Variant || !slices.Contains(s.hosts, e.From) {
			continue
		}
		one = cmp.Or(one, s)
		if owner == e.From || !slices.Contains(s.hosts, owner) {
			continue
		}
		if same == nil || len(e.Links) > 0 && (slices.Equal(s.links, e.Links) || slices.Equal(s.links, reversed(e.Links))) {
			same = s
		}
	}
	switch {
	case same != nil:
		return same
	case owner == e.From && one != nil:
		return one
	}
	hosts := []string{e.From, owner}
	if owner == e.From {
		hosts = hosts[:1]
	}
	s := &sheet{run: r, hosts: hosts, variant: e.Variant, links: e.Links}
	*sheets = append(*sheets, s)
	return s
}

// several reports whether a name stands for several hosts.
func several(name string) bool { return manyHosts.MatchString(name) }

var manyHosts = regexp.MustCompile(`\[\d+-\d+\]|, `)

// hostOf returns the host of a drive; hosts' names have no dots.
func hostOf(drive string) string {
	host, _, _ := strings.Cut(drive, ".")
	return host
}

func reversed(links []string) []string {
	out := slices.Clone(links)
	slices.Reverse(out)
	return out
}

// fill makes the summary from the sheet; false: there is no figure. alone is set if the run's sentence is only about
// it.
func (s *sheet) fill(alone bool) bool {
	c := &Summary{Version: Version, Program: s.run.Version, Run: s.run.ID, Variant: s.variant,
		Lab: labText(s.run, s.all), Rows: []Row{}, Storage: []Storage{}, Notes: []string{}}
	if !s.run.Started.IsZero() {
		c.Date = s.run.Started.UTC().Format("2006-01-02")
	}
	s.summary, s.notes = c, map[string][]string{}
	measured := false
	if len(s.hosts) == 2 {
		for _, x := range table {
			row := s.row(x)
			if row.Measured || !x.rdma {
				c.Rows = append(c.Rows, row)
			}
			measured = measured || row.Measured
		}
	}
	c.Storage = s.storages()
	if !measured && len(c.Storage) == 0 {
		return false
	}
	for i, host := range s.hosts {
		c.Ends = append(c.Ends, s.end(i, host))
	}
	c.Link = s.link()
	for _, n := range s.run.Notes {
		c.Notes = append(c.Notes, n.About+": "+n.Text)
	}
	c.Notes = append(c.Notes, s.wrong()...)
	c.Notes = append(c.Notes, s.said()...)
	c.Verdict = s.verdict(alone)
	s.bottleneck()
	return true
}

// mostWrong is the number of findings of checks in a summary.
const mostWrong = 2

// wrong returns notes on the errors that checks found on the hosts of a summary.
func (s *sheet) wrong() (out []string) {
	for _, f := range s.run.Findings {
		if f.Severity == record.Error && slices.Contains(s.hosts, f.Subject.Host) && len(out) < mostWrong {
			out = append(out, "linerate check: "+f.Short())
		}
	}
	return out
}

// note adds a note on a row; rows with the same words share a line.
func (s *sheet) note(label, text string) {
	if len(s.notes[text]) == 0 {
		s.order = append(s.order, text)
	}
	s.notes[text] = xslices.AppendNew(s.notes[text], label)
}

// The most notes of a summary, and the most rows that one of them names.
const (
	mostNotes = 8
	mostNamed = 4
)

// said returns the notes: of the rows first, then of the machines.
func (s *sheet) said() (out []string) {
	for _, text := range s.order {
		labels := s.notes[text]
		if first, _, _ := strings.Cut(labels[0], " "); len(labels) > mostNamed &&
			!slices.ContainsFunc(labels, func(l string) bool { return !strings.HasPrefix(l, first+" ") }) {
			labels = []string{first}
		} else if n := len(labels) - mostNamed; n > 0 {
			labels = append(slices.Clone(labels[:mostNamed]), fmt.Sprintf("and %d more", n))
		}
		out = append(out, strings.Join(labels, ", ")+": "+text)
	}
	if n := len(out) - mostNotes; n > 0 {
		out = append(out[:mostNotes], fmt.Sprintf("and %d more of this kind", n))
	}
	noisy, all, shared, most := 0, 0, false, 0.0
	for _, e := range s.chosen {
		for _, r := range e.Repeats {
			all++
			if r.Noisy {
				noisy++
			}
			most = max(most, r.OtherProcesses)
		}
		for _, p := range e.CPU {
			shared = shared || p.Core == -1 && strings.Contains(p.Host, "+")
		}
	}
	if noisy > 0 {
		out = append(out,
			fmt.Sprintf("other work took CPU time in %d of %d repeats; on quiet machines figures are higher", noisy, all))
	}
	if most >= 0.1 {
		out = append(out,
			fmt.Sprintf("the cores count all that a host did, other work too: that had up to %.1f of them", most))
	}
	if shared {
		out = append(out, "A and B are on one machine: the cores of both are all that were busy on it")
	}
	return out
}

// verdict returns what every report of the run begins with if the summary covers the whole run, or else the verdicts of
// the experiments with the lowest share of their ceiling, for the network and for storage.
func (s *sheet) verdict(alone bool) string {
	if alone && s.run.Sentence != "" {
		h := headline.Of(s.run)
		return strings.TrimSpace(h.First() + " " + h.Rest())
	}
	var network, storage []*record.Experiment
	for _, e := range s.chosen {
		switch {
		case e.Verdict == nil || e.Verdict.Sentence == "":
		case method.Named(e.Method).Stores:
			storage = append(storage, e)
		default:
			network = append(network, e)
		}
	}
	var out []string
	for _, all := range [][]*record.Experiment{network, storage} {
		sort.SliceStable(all, func(a, b int) bool { return shareOf(all[a]) < shareOf(all[b]) })
		if len(all) > 0 {
			out = append(out, all[0].Verdict.Sentence)
		}
	}
	return strings.Join(out, " ")
}

// bottleneck sets what limits the direction with the lowest share of its ceiling, and how to fix it. A full link is not
// a bottleneck.
func (s *sheet) bottleneck() {
	var worst *record.Experiment
	for _, e := range s.chosen {
		if e.Verdict == nil || !method.Named(e.Method).Bulk || e.Verdict.Limiter == "" ||
			e.Verdict.Limiter == record.LimiterLink || e.Verdict.Limiter == record.LimiterUnknown {
			continue
		}
		if worst == nil || shareOf(e) < shareOf(worst) {
			worst = e
		}
	}
	if worst == nil {
		return
	}
	v := worst.Verdict
	by := cmp.Or(cause.Label(v.Limiter), strings.ReplaceAll(v.Limiter, "-", " "))
	if v.Limiter == record.LimiterUnexplained {
		by = "not found"
	}
	if host, _, _ := strings.Cut(v.Component, ": "); slices.Contains(s.hosts, host) {
		by += " of " + host
	}
	if v.Confidence == "likely" {
		by += " (likely)"
	}
	from, to := worst.From, worst.To
	if worst.Direction == "in" {
		from, to = to, from
	}
	join := unit.If(worst.Direction == "both", " <-> ", " -> ")
	s.summary.Bottleneck = from + join + to + ": " + by
	s.summary.Fix = v.FixLine()
}

// shareOf returns the share of what the plan allows; 1 where it is not known, so that others precede it.
func shareOf(e *record.Experiment) float64 {
	if of, known := e.Share(); known {
		return of
	}
	return 1
}

// end describes a host and its NIC. What a run does not have is empty.
func (s *sheet) end(i int, host string) End {
	out := End{Host: host}
	port := ""
	for _, e := range s.all {
		for _, x := range e.Ends {
			if x.Host == host && port == "" {
				port = x.Port
			}
		}
	}
	for _, h := range s.run.Hosts {
		if h.Name != host && h.Name != host+" ["+s.variant+"]" || out.System != "" {
			continue
		}
		out.System = strings.TrimSpace(h.OS + " " + h.Kernel)
		if h.CPU != "" && h.CPU != NotKnown {
			out.CPU = h.CPU
		}
		if h.Cores > 0 {
			out.CPU = fmt.Sprintf("%s, %s", cmp.Or(out.CPU, "CPU "+NotKnown), unit.Counted(h.Cores, "core"))
		}
	}
	for _, h := range s.run.Plan.Hosts {
		if h.Name != host {
			continue
		}
		for _, p := range h.Ports {
			if p.ID != port {
				continue
			}
			out.NIC = p.Part
			name := strings.TrimPrefix(p.ID, host+".")
			for _, c := range h.NICs {
				if c.Name == name || strings.HasPrefix(name, c.Name+".") {
					out.NIC, out.Slot = cmp.Or(c.Part, out.NIC), c.Slot
				}
			}
		}
	}
	return out
}

// link describes the path between the hosts.
func (s *sheet) link() string {
	var words, via []string
	for _, name := range s.links {
		for _, l := range s.run.Plan.Links {
			if l.Name != name {
				continue
			}
			text := "rate " + NotKnown
			if l.Rate > 0 {
				text = l.Rate.String()
			}
			if l.Cable != "" {
				text += " " + l.Cable
			}
			words = xslices.AppendNew(words, text)
			for _, end := range l.Ends {
				if at, _, ok := strings.Cut(end, "."); ok && slices.Contains(s.run.Plan.Switches, at) && !slices.Contains(via, at) {
					via = append(via, at)
				}
			}
		}
	}
	if len(words) == 0 {
		return ""
	}
	text := strings.Join(words, ", ")
	if len(via) > 0 {
		text += ", through " + strings.Join(via, ", ")
	}
	mtu := ""
	for _, e := range slices.Concat(s.chosen, s.all) {
		if mtu = e.InEffect["mtu"]; mtu != "" {
			break
		}
	}
	return text + ", MTU " + cmp.Or(mtu, NotKnown)
}

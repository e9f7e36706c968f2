package summary

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// sheet is a card that is being made: what was measured between its hosts, or on its one host.
type sheet struct {
	card    *Card
	run     *record.Run
	hosts   []string // A, B
	variant string
	links   []string // in the order from A to B
	all     []*record.Experiment
	chosen  []*record.Experiment // that its rows are of
	notes   map[string][]string  // labels of rows by what is to be said of them
	order   []string             // of notes
}

// Of makes the cards of a run: one for each pair of hosts with figures, of these for each path and variant, in the order of the run. Experiments among many hosts at once are in none.
func Of(r *record.Run) []*Card {
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
	var out []*Card
	for _, s := range sheets {
		if s.fill(len(sheets) == 1) {
			out = append(out, s.card)
		}
	}
	return out
}

// between finds or makes the sheet of an experiment of the network; nil: it is of none.
func between(r *record.Run, sheets *[]*sheet, e *record.Experiment) *sheet {
	switch {
	case e.Chased != nil, e.Pattern != "", e.Method != "stream" && e.Method != "ping" && e.Method != record.MethodVerbs, several(e.From), several(e.To), e.From == "", e.To == "":
		return nil
	}
	for _, s := range *sheets {
		if len(s.hosts) == 2 && s.variant == e.Variant && (s.hosts[0] == e.From && s.hosts[1] == e.To && slices.Equal(s.links, e.Links) ||
			s.hosts[0] == e.To && s.hosts[1] == e.From && slices.Equal(s.links, reversed(e.Links))) {
			return s
		}
	}
	s := &sheet{run: r, hosts: []string{e.From, e.To}, variant: e.Variant, links: e.Links}
	*sheets = append(*sheets, s)
	return s
}

// storing finds the sheet of an experiment of block: of the same path, else of the same pair, else one that its one host is of.
func storing(r *record.Run, sheets *[]*sheet, e *record.Experiment) *sheet {
	if e.Method != record.MethodBlock || e.Chased != nil || e.Pattern != "" || several(e.From) || several(e.To) || e.From == "" || !cardLoad(e) {
		return nil
	}
	owner := hostOf(e.To)
	var same, one *sheet
	for _, s := range *sheets {
		if s.variant != e.Variant || !slices.Contains(s.hosts, e.From) {
			continue
		}
		if one == nil {
			one = s
		}
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

// several says whether a name is of several hosts at once.
func several(name string) bool { return manyHosts.MatchString(name) }

var manyHosts = regexp.MustCompile(`\[\d+-\d+\]|, `)

// hostOf is the host that has a drive; hosts' names have no dots.
func hostOf(drive string) string {
	host, _, _ := strings.Cut(drive, ".")
	return host
}

func reversed(links []string) []string {
	out := slices.Clone(links)
	slices.Reverse(out)
	return out
}

// fill makes the card out of the sheet; false: there is no figure. alone: the run's sentence is about nothing else.
func (s *sheet) fill(alone bool) bool {
	c := &Card{Version: Version, Program: s.run.Version, Run: s.run.ID, Variant: s.variant, Lab: labText(s.run, s.all), Rows: []Row{}, Storage: []Storage{}, Notes: []string{}}
	if !s.run.Started.IsZero() {
		c.Date = s.run.Started.UTC().Format("2006-01-02")
	}
	s.card, s.notes = c, map[string][]string{}
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
	c.Notes = append(c.Notes, s.said()...)
	c.Verdict = s.verdict(alone)
	return true
}

// note says something of a row; rows with the same words share a line.
func (s *sheet) note(label, text string) {
	if len(s.notes[text]) == 0 {
		s.order = append(s.order, text)
	}
	if !slices.Contains(s.notes[text], label) {
		s.notes[text] = append(s.notes[text], label)
	}
}

// most notes that a card has, and rows that one of them names.
const (
	mostNotes = 8
	mostNamed = 4
)

// said are the notes: of the rows first, then of the machines.
func (s *sheet) said() (out []string) {
	for _, text := range s.order {
		labels := s.notes[text]
		if first, _, _ := strings.Cut(labels[0], " "); len(labels) > mostNamed && !slices.ContainsFunc(labels, func(l string) bool { return !strings.HasPrefix(l, first+" ") }) {
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
			most = max(most, r.Foreign)
		}
		for _, p := range e.CPU {
			shared = shared || p.Core == -1 && strings.Contains(p.Host, "+")
		}
	}
	if noisy > 0 {
		out = append(out, fmt.Sprintf("other work took processor time in %d of %d repeats; on quiet machines figures are higher", noisy, all))
	}
	if most >= 0.1 {
		out = append(out, fmt.Sprintf("the cores count all that a host did, other work too: that had up to %.1f of them", most))
	}
	if shared {
		out = append(out, "A and B are on one machine: the cores of both are all that were busy on it")
	}
	return out
}

// verdict is the run's sentence where the card is all of the run, else that of the experiment with the least share of its ceiling: of the network, and of its storage.
func (s *sheet) verdict(alone bool) string {
	if alone && s.run.Sentence != "" {
		return s.run.Sentence
	}
	var network, storage []*record.Experiment
	for _, e := range s.chosen {
		switch {
		case e.Verdict == nil || e.Verdict.Sentence == "":
		case e.Method == record.MethodBlock:
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

// shareOf is the share of the ceiling that a verdict is about; 1 where it is not known, so that others go first.
func shareOf(e *record.Experiment) float64 {
	if v := e.Verdict.ShareOfCeiling; v != nil {
		return *v
	}
	return 1
}

// labText says what stood in for hosts and links; empty: nothing did.
func labText(r *record.Run, all []*record.Experiment) string {
	emulated := slices.ContainsFunc(all, func(e *record.Experiment) bool { return e.Emulated })
	text := ""
	switch {
	case emulated || r.Lab != nil && len(r.Lab.Guests) > 0:
		text = emulatedLab
	case r.Lab == nil && !slices.ContainsFunc(r.Hosts, func(h record.HostState) bool { return strings.HasPrefix(h.Reach, "lab ") }):
		return ""
	default:
		text = "on one machine"
	}
	if r.Lab != nil && r.Lab.Scale > 0 && r.Lab.Scale < 1 {
		text += ratesAt + unit.Scale(r.Lab.Scale)
	}
	return text
}

// ratesAt is before the scale of a lab.
const ratesAt = ", rates at "

// emulatedLab begins what is said of a lab with guests: its figures say what works, and nothing of speed.
const emulatedLab = "emulated machines"

// Emulated says whether the card's figures are of emulated machines.
func (c *Card) Emulated() bool { return strings.HasPrefix(c.Lab, emulatedLab) }

// end describes a host and its card. What a run does not say is empty.
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
			out.Processor = h.CPU
		}
		if h.Cores > 0 {
			out.Processor = fmt.Sprintf("%s, %s", cmp.Or(out.Processor, "processor "+NotKnown), counted(h.Cores, "core"))
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
			out.Card = p.Part
			name := strings.TrimPrefix(p.ID, host+".")
			for _, c := range h.Cards {
				if c.Name == name || strings.HasPrefix(name, c.Name+".") {
					out.Card, out.Slot = cmp.Or(c.Part, out.Card), c.Slot
				}
			}
		}
	}
	return out
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// link describes the way between the hosts.
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
			if !slices.Contains(words, text) {
				words = append(words, text)
			}
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

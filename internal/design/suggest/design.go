package suggest

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
)

// Design is one way to fulfil a requirement, or one that fails, with the reason.
type Design struct {
	Name       string
	Technology Technology
	Line       string // the kind of cable
	plug       catalog.Cage
	Switch     *catalog.Part // nil: a cable between every two hosts
	YAML       []byte        // the fabric file; nil if there is none to write
	Plan       *plan.Plan    // nil with YAML
	NICs       int
	Ports      int // of NICs that are used
	Cables     int
	Rate       unit.BitRate // of its slowest link; 0: not known
	Power      plan.Power
	Hosts      []Host
	Unpriced   int // pieces without a known price, fibres between transceivers too
	// Estimates are the estimated prices of the unpriced pieces.
	Estimates []Estimate
	// Unestimated is how many pieces have neither a price nor an estimate, plus one for each currency without a rough
	// rate.
	Unestimated int
	rough       float64  // known prices and weighted estimates in rough US dollars
	plain       float64  // known prices and estimates, each once, in rough US dollars
	faster      bool     // its links do not have the speed of the requirement, but a higher or an unknown one
	longer      bool     // its cables are much longer than needed
	Fails       []string // why it does not fulfil the requirement
	Unknown     []string // parts of the requirement that are not known
	Notes       []string
}

// Host is one host of a design, with its NICs.
type Host struct {
	Name   string
	System System
	NIC    *catalog.Part
	Count  int
}

// OK reports whether the design fulfils the requirement as far as is known.
func (d *Design) OK() bool { return len(d.Fails) == 0 }

// Topology returns mesh, direct (two hosts) or switch.
func (d *Design) Topology() string {
	switch {
	case d.Switch != nil:
		return "switch"
	case len(d.Hosts) == 2:
		return "direct"
	}
	return "mesh"
}

// maker makes the designs of one requirement.
type maker struct {
	requirements Requirements
	catalog      *catalog.Catalog
	chosen       map[question]answer
	takes        map[socket][]int
	estimates    map[estimateKey]Estimate
}

// question is a choice of NICs that several designs share.
type question struct {
	tech   Technology
	plug   catalog.Cage
	system System
	ports  int
}

type answer struct {
	pick pick
	why  string
}

type socket struct {
	tech Technology
	plug catalog.Cage
	part *catalog.Part
}

func newMaker(w Requirements, c *catalog.Catalog) *maker {
	return &maker{requirements: w, catalog: c, chosen: map[question]answer{}, takes: map[socket][]int{},
		estimates: map[estimateKey]Estimate{}}
}

// choose caches the results of find.
func (m *maker) choose(l line, s System, ports int) (pick, string) {
	q := question{l.tech, l.plug, s, ports}
	a, ok := m.chosen[q]
	if !ok {
		a.pick, a.why = m.find(l, s, ports)
		m.chosen[q] = a
	}
	return a.pick, a.why
}

// ports returns the indices of a part's ports that support the line at the required rate.
func (m *maker) ports(l line, p *catalog.Part) []int {
	key := socket{l.tech, l.plug, p}
	takes, ok := m.takes[key]
	if !ok {
		takes = l.ports(p, m.requirements.Rate)
		m.takes[key] = takes
	}
	return takes
}

// design builds the fabric of a line with a switch, or without one.
func (m *maker) design(l line, sw *catalog.Part) *Design {
	w := m.requirements
	d := &Design{Technology: l.tech, Line: l.name, Switch: sw, plug: l.plug}
	need := w.Hosts - 1
	var at []int // the switch's ports
	if sw != nil {
		need = 1
		at = m.ports(l, sw)
	}
	d.Name = name(w, l, sw)
	for i := range w.Hosts {
		s := w.system(i)
		p, why := m.choose(l, s, need)
		if p.part == nil {
			d.fail(why)
			continue
		}
		d.Hosts = append(d.Hosts, Host{Name: hostName(i), System: s, NIC: p.part, Count: p.count})
		d.NICs += p.count
		for _, u := range p.unknown {
			d.doubt(u)
		}
		if len(p.others) > 0 {
			d.note(fmt.Sprintf("instead of %s, of which no price is known either: %s", p.part.Name, some(p.others, 5)))
		}
		if p.noBus {
			d.note(fmt.Sprintf("how wide the bus of %s is is not known", p.part.Name))
		}
	}
	if sw != nil && len(at) < w.Hosts {
		d.fail(fmt.Sprintf("%s has %s for %s, and there are %d hosts", sw.Name, unit.Counted(len(at), "port"), l.plug,
			w.Hosts))
	}
	if l.fails != "" {
		d.fail(l.fails)
	}
	if l.doubt != "" {
		d.note(l.doubt)
	}
	if len(d.Hosts) < w.Hosts || sw != nil && len(at) < w.Hosts {
		d.Hosts = nil
		return d
	}
	d.YAML = m.file(d, l, at)
	f, problems := fabric.Parse("suggested.yaml", d.YAML, fabric.Options{Catalog: m.catalog})
	if len(problems) > 0 {
		d.YAML = nil
		d.fail("it cannot be built: " + problems[0].Words())
		return d
	}
	d.Plan = plan.Build(f)
	m.judge(d, l)
	return d
}

func hostName(i int) string { return fmt.Sprintf("h%d", i+1) }

func name(w Requirements, l line, sw *catalog.Part) string {
	kind := l.name
	if l.tech == InfiniBand {
		kind += ", InfiniBand"
	}
	switch {
	case sw != nil:
		return kind + ", " + sw.Name
	case w.Hosts == 2:
		return kind + ", direct"
	}
	return kind + ", mesh"
}

func (d *Design) fail(why string)   { d.Fails = xslices.AppendNew(d.Fails, why) }
func (d *Design) doubt(what string) { d.Unknown = xslices.AppendNew(d.Unknown, what) }
func (d *Design) note(text string)  { d.Notes = xslices.AppendNew(d.Notes, text) }

// file writes the fabric file of a design. at are the ports of its switch, in their order.
func (m *maker) file(d *Design, l line, at []int) []byte {
	w := m.requirements
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# Suggested for %s.\n", d.Name, w)
	fmt.Fprintf(&b, "fabric: %s\n", fabricName(w, l))
	roce := w.RDMA == "rocev1" || w.RDMA == "rocev2"
	if roce {
		b.WriteString("mtu: 9000\n")
	}
	b.WriteString("\nhosts:\n")
	for _, h := range d.Hosts {
		fmt.Fprintf(&b, "  %s:\n    os: %s\n", h.Name, h.System.OS)
		if h.System.Version != "" {
			fmt.Fprintf(&b, "    version: %s\n", h.System.Version)
		}
		b.WriteString("    nics:\n")
		more := ""
		if l.tech == InfiniBand {
			more = ", mode: ib"
		} else if len(h.NIC.InfiniBand) > 0 {
			more = ", mode: eth"
		}
		if w.RDMA != "" {
			more += ", rdma: " + w.RDMA
		}
		for i := range h.Count {
			fmt.Fprintf(&b, "      c%d: {part: %q%s}\n", i+1, h.NIC.ID, more)
		}
	}
	if d.Switch != nil {
		fmt.Fprintf(&b, "\nswitches:\n  sw1: {part: %q%s}\n", d.Switch.ID, switchOS(d.Switch))
	}
	b.WriteString("\nlinks:\n")
	m.links(&b, d, l, at)
	if roce {
		b.WriteString("\n# RoCE wants a network that drops nothing; 26 is the DSCP that RoCE traffic is usually marked " +
			"with.\n")
		b.WriteString("classes:\n  roce: {priority: 3, dscp: 26, lossless: true, ecn: true}\ntrust: dscp\n")
	}
	return []byte(b.String())
}

// links writes the cables: from each host to the switch, or between every two hosts.
func (m *maker) links(b *strings.Builder, d *Design, l line, at []int) {
	if d.Switch != nil {
		for i, h := range d.Hosts {
			fmt.Fprintf(b, "  - {ends: [%s.c1.%d, sw1.%d], cable: {part: %s}, length: %gm}\n", h.Name, m.ports(l, h.NIC)[0],
				at[i], l.text, m.requirements.Distance)
		}
		return
	}
	used := make([]int, len(d.Hosts))
	end := func(i int) string {
		h := d.Hosts[i]
		usable := m.ports(l, h.NIC)
		n := used[i]
		used[i]++
		return fmt.Sprintf("%s.c%d.%d", h.Name, n/len(usable)+1, usable[n%len(usable)])
	}
	for i := range d.Hosts {
		for j := i + 1; j < len(d.Hosts); j++ {
			fmt.Fprintf(b, "  - {ends: [%s, %s], cable: {part: %s}, length: %gm}\n", end(i), end(j), l.text,
				m.requirements.Distance)
		}
	}
}

func some(names []string, n int) string {
	if len(names) > n {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
	}
	return strings.Join(names, ", ")
}

// fabricName makes the name of the fabric, of characters that a name may have.
func fabricName(w Requirements, l line) string {
	n := fmt.Sprintf("%d-hosts-%gg", w.Hosts, float64(w.Rate/unit.GigabitPerSecond))
	if l.tech == InfiniBand {
		n += "-ib"
	}
	return strings.ReplaceAll(n, ".", "-")
}

// switchOS returns the key os if the catalogue's switch has one system that linerate configures.
func switchOS(p *catalog.Part) string {
	if p.Switch != nil && p.Switch.OS == "RouterOS" {
		return ", os: routeros"
	}
	return ""
}

// String returns the requirement in words.
func (w Requirements) String() string {
	systems := xslices.Map(w.kinds(), System.String)
	all := []string{fmt.Sprintf("%d hosts (%s)", w.Hosts, strings.Join(systems, ", ")), short(w.Rate),
		fmt.Sprintf("%g m", w.Distance)}
	if w.RDMA != "" {
		all = append(all, w.RDMA)
	}
	if w.Watts > 0 {
		all = append(all, fmt.Sprintf("at most %g W", w.Watts))
	}
	if w.Price.Currency != "" {
		all = append(all, "at most "+w.Price.String())
	}
	return strings.Join(all, ", ")
}

// short prints a rate as 10G.
func short(r unit.BitRate) string {
	if r < unit.GigabitPerSecond {
		return fmt.Sprintf("%gM", float64(r/unit.MegabitPerSecond))
	}
	return fmt.Sprintf("%gG", float64(r/unit.GigabitPerSecond))
}

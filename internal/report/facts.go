package report

import (
	"fmt"
	"strings"

	"linerate/internal/record"
)

// Machine is what a machine says of itself, in the words in which it is drawn. What is not known is said in them, with the reason.
type Machine struct {
	Name, When string
	Sentence   string // the answer, behind the name
	Rows       []Named
	Cards      []MachineCard
	More       []Named // interfaces that are no port of a card
	Checked    bool    // Findings is what the checks say; false: they were not asked
	Findings   []record.Finding
	Unknown    []Named
	Next       string // where there is more
}

// Named is a text with what it is about.
type Named struct{ Name, Text string }

// MachineCard is a card with its way to the processor and its ports.
type MachineCard struct {
	Title  string
	Rows   []Named
	Bus    []MachineHop
	NoBus  string // why Bus is empty
	Shared string // what its ports have together, where that is less than the sum of their links
	Ports  []MachinePort
}

// MachineHop is a link of PCI Express: what it runs at, what both of its ends can, what it carries of a port's data.
type MachineHop struct {
	Where, Now, Can, Carries string
	Narrowest                bool // of a port with a link
}

// MachinePort is a port of a card. Its worth is the last that is said of it.
type MachinePort struct {
	Name, Link    string
	NarrowestLink bool // its link is its narrowest place
	Rows          []Named
	Worth         string
}

// mostFindings is how many findings are told beside a machine's facts; linerate check has all, with their evidence.
const mostFindings = 8

// Machine prints what a machine says of itself: the answer, the machine, each card with its way to the processor and its ports.
func (t Terminal) Machine(m Machine) error {
	l := t.lines()
	l.split(m.Name+": "+m.Sentence, m.When)
	for _, r := range m.Rows {
		l.item(0, 9, r.Name, normal, r.Text)
	}
	for _, c := range m.Cards {
		l.machineCard(c)
	}
	if len(m.More) > 0 {
		l.gap()
		l.line(l.ink(bold, "other interfaces"))
		for _, r := range m.More {
			l.item(2, max(9, min(width(clean(r.Name)), 15)), r.Name, normal, r.Text)
		}
	}
	l.machineFindings(m)
	if len(m.Unknown) > 0 {
		l.gap()
		l.line(l.ink(bold, "not known"))
		for _, u := range m.Unknown {
			l.text(normal, 2, u.Name+": "+u.Text)
		}
	}
	if m.Next != "" {
		l.gap()
		l.text(faint, 0, m.Next)
	}
	return l.flush()
}

func (l *lines) machineCard(c MachineCard) {
	l.gap()
	l.text(bold, 0, c.Title)
	for _, r := range c.Rows {
		l.item(2, 7, r.Name, normal, r.Text)
	}
	if len(c.Bus) == 0 && c.NoBus != "" {
		l.item(2, 7, "bus", normal, c.NoBus)
	}
	l.machineBus(c.Bus)
	if c.Shared != "" {
		l.item(2, 7, "ports", normal, c.Shared)
	}
	for _, p := range c.Ports {
		l.line("  ", l.ink(bold, clean(p.Name)))
		mark, s := "", normal
		if p.NarrowestLink {
			mark, s = "; the lowest", accent
		}
		l.item(4, 7, "link", s, p.Link+mark)
		for _, r := range p.Rows {
			l.item(4, 7, r.Name, normal, r.Text)
		}
		l.item(4, 7, "worth", normal, p.Worth)
	}
}

// machineBus prints the hops as a table, the card's own first: the way goes on to the processor.
func (l *lines) machineBus(hops []MachineHop) {
	if len(hops) == 0 {
		return
	}
	head := MachineHop{Now: "runs at", Can: "could", Carries: "carries", Where: "between"}
	var now, can, carries int
	rows := append([]MachineHop{head}, hops...)
	for _, h := range rows {
		now, can, carries = max(now, width(h.Now)), max(can, width(h.Can)), max(carries, width(h.Carries))
	}
	at := 11 + now + can + carries + 6
	for i, h := range rows {
		label, labelled, s := "", faint, normal
		if i == 0 {
			label, s = "bus", faint
		}
		where := clean(h.Where)
		if h.Narrowest {
			label, labelled, s = "lowest", accent, accent
		}
		parts := wrap(where, l.Width-at)
		l.line("  ", l.ink(labelled, pad(label, 7)), "  ", l.ink(s, pad(h.Now, now)+"  "+pad(h.Can, can)+"  "+padLeft(h.Carries, carries)+"  "+parts[0]))
		for _, more := range parts[1:] {
			l.line(strings.Repeat(" ", at), l.ink(s, more))
		}
	}
}

// machineFindings prints what the checks say, a line or two each.
func (l *lines) machineFindings(m Machine) {
	if !m.Checked {
		return
	}
	l.gap()
	if len(m.Findings) == 0 {
		l.line(l.ink(bold, "the checks find nothing that holds it back"))
		return
	}
	l.line(l.ink(bold, "found by the checks"))
	for i, f := range m.Findings {
		if i == mostFindings {
			l.text(normal, 2, fmt.Sprintf("and %d more", len(m.Findings)-i))
			break
		}
		s := normal
		if f.Severity == record.Error {
			s = accent
		}
		l.item(2, 7, string(f.Severity), s, fmt.Sprintf("%s: %s; costs: %s (%s)", strings.TrimPrefix(f.Subject, m.Name+": "), f.Have, f.Consequence, f.ID))
	}
}

package report

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// Machine has the facts of a machine as texts for printing. Unknown facts are replaced by the reason.
type Machine struct {
	Name, When string
	Sentence   string // the answer, after the name
	Rows       []Named
	NICs       []MachineNIC
	More       []Named // interfaces that are not a port of a NIC
	Checked    bool    // Findings is what the checks found; false: they were not run
	Findings   []record.Finding
	Unknown    []Named
	Next       string // where to find more
}

// Named is a text with its subject.
type Named struct{ Name, Text string }

// MachineNIC is a NIC with its path to the CPU and its ports.
type MachineNIC struct {
	Title  string
	Rows   []Named
	Bus    []MachineHop
	NoBus  string // why Bus is empty
	Shared string // rate of its ports together, where that is less than the sum of their links
	Ports  []MachinePort
}

// MachineHop is a link of PCI Express: its present speed, the best that both ends support, and its rate for a port's
// data.
type MachineHop struct {
	Where, Now, Can, Carries string
	Narrowest                bool // of a port with a link
}

// MachinePort is a port of a NIC. Its maximum speed is the last text.
type MachinePort struct {
	Name, Link    string
	NarrowestLink bool // its link is its narrowest place
	Rows          []Named
	MaximumSpeed  string
}

// mostFindings is the number of findings that are printed with a machine's facts. linerate check has all, with their
// evidence.
const mostFindings = 8

// PrintMachine prints the facts of a machine: the answer, the machine, each NIC with its path to the CPU and its ports.
func PrintMachine(t terminal.Terminal, m Machine) error {
	l := t.Lines()
	l.Split(m.Name+": "+m.Sentence, m.When)
	for _, r := range m.Rows {
		l.Item(0, 9, r.Name, terminal.Normal, r.Text)
	}
	for _, c := range m.NICs {
		printMachineNIC(l, c)
	}
	if len(m.More) > 0 {
		l.Heading("other interfaces")
		for _, r := range m.More {
			l.Item(2, max(9, min(format.Width(format.Clean(r.Name)), 15)), r.Name, terminal.Normal, r.Text)
		}
	}
	printMachineFindings(l, m)
	if len(m.Unknown) > 0 {
		l.Heading("not known")
		for _, u := range m.Unknown {
			l.Text(terminal.Normal, 2, u.Name+": "+u.Text)
		}
	}
	if m.Next != "" {
		l.Gap()
		l.Text(terminal.Faint, 0, m.Next)
	}
	return l.Flush()
}

func printMachineNIC(l *terminal.Lines, c MachineNIC) {
	l.Gap()
	l.Text(terminal.Bold, 0, c.Title)
	for _, r := range c.Rows {
		l.Item(2, 7, r.Name, terminal.Normal, r.Text)
	}
	if len(c.Bus) == 0 && c.NoBus != "" {
		l.Item(2, 7, "bus", terminal.Normal, c.NoBus)
	}
	printMachineBus(l, c.Bus)
	if c.Shared != "" {
		l.Item(2, 7, "ports", terminal.Normal, c.Shared)
	}
	for _, p := range c.Ports {
		l.Line("  ", l.Ink(terminal.Bold, format.Clean(p.Name)))
		mark, s := "", terminal.Normal
		if p.NarrowestLink {
			mark, s = "; the lowest", terminal.Accent
		}
		l.Item(4, 7, "link", s, p.Link+mark)
		for _, r := range p.Rows {
			l.Item(4, 7, r.Name, terminal.Normal, r.Text)
		}
		l.Item(4, 7, "worth", terminal.Normal, p.MaximumSpeed)
	}
}

// printMachineBus prints the hops as a table, from the NIC's own to the CPU.
func printMachineBus(l *terminal.Lines, hops []MachineHop) {
	if len(hops) == 0 {
		return
	}
	head := MachineHop{Now: "runs at", Can: "could", Carries: "carries", Where: "between"}
	var now, can, carries int
	rows := append([]MachineHop{head}, hops...)
	for _, h := range rows {
		now, can, carries = max(now, format.Width(h.Now)), max(can, format.Width(h.Can)),
			max(carries, format.Width(h.Carries))
	}
	at := 11 + now + can + carries + 6
	for i, h := range rows {
		label, labelled, s := "", terminal.Faint, terminal.Normal
		if i == 0 {
			label, s = "bus", terminal.Faint
		}
		where := format.Clean(h.Where)
		if h.Narrowest {
			label, labelled, s = "lowest", terminal.Accent, terminal.Accent
		}
		parts := format.Wrap(where, l.Width-at)
		l.Line("  ", l.Ink(labelled, format.Pad(label, 7)), "  ",
			l.Ink(s, format.Pad(h.Now, now)+"  "+format.Pad(h.Can, can)+"  "+format.PadLeft(h.Carries, carries)+"  "+parts[0]))
		for _, more := range parts[1:] {
			l.Line(strings.Repeat(" ", at), l.Ink(s, more))
		}
	}
}

// printMachineFindings prints what the checks found, a line or two each.
func printMachineFindings(l *terminal.Lines, m Machine) {
	if !m.Checked {
		return
	}
	l.Gap()
	if len(m.Findings) == 0 {
		l.Line(l.Ink(terminal.Bold, "the checks find nothing that holds it back"))
		return
	}
	l.Line(l.Ink(terminal.Bold, "found by the checks"))
	for i, f := range m.Findings {
		if i == mostFindings {
			l.Text(terminal.Normal, 2, fmt.Sprintf("and %d more", len(m.Findings)-i))
			break
		}
		s := unit.If(f.Severity == record.Error, terminal.Accent, terminal.Normal)
		l.Item(2, 7, string(f.Severity), s,
			fmt.Sprintf("%s: %s; costs: %s (%s)", f.Subject.Within(m.Name), f.Have, f.Consequence, f.ID))
	}
}

// PrintList prints names with their texts.
func PrintList(t terminal.Terminal, all []Named) error {
	l := t.Lines()
	wide := 0
	for _, n := range all {
		wide = max(wide, format.Width(format.Clean(n.Name)))
	}
	for _, n := range all {
		l.Item(0, wide, n.Name, terminal.Bold, format.Clean(n.Text))
	}
	return l.Flush()
}

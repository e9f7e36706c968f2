package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// readmeName is the name of a device's README in its folder.
const readmeName = "README.md"

// readme describes the steps with a device's folder, their order, and what stops working meanwhile.
func readme(s sheet) []config.Line {
	f, d := config.File{}, &s.device
	say := func(format string, args ...any) { f.Form(config.Plain(fmt.Sprintf(format, args...))) }
	say("# %s", s.title)
	say("")
	say("%s", s.intro)
	changes(s.applies, s.changes, say)
	for i, rows := range s.values {
		if i == 0 {
			say("")
			say("## Values of each host")
		}
		say("")
		for _, t := range config.Columns(rows) {
			say("    %s", t)
		}
	}
	if len(d.Manual) > 0 {
		say("")
		say("## First, by hand")
		for i, l := range d.Manual {
			say("%d. %s", i+1, l.Text)
			if l.Why != "" {
				say("   (%s)", l.Why)
			}
		}
	}
	say("")
	say("## Steps")
	for i, s := range d.Steps {
		first, more, _ := strings.Cut(s.Do, "\n")
		say("%d. %s", i+1, first)
		for more != "" {
			first, more, _ = strings.Cut(more, "\n")
			say("   %s", first)
		}
		if s.Interrupts != "" {
			say("   Downtime: %s", s.Interrupts)
		}
	}
	section := func(title string, list []string) {
		if len(list) == 0 {
			return
		}
		say("")
		say("## %s", title)
		for _, t := range list {
			say("- %s", t)
		}
	}
	section("Not set by these files", d.Missing)
	section("Not tested", d.Unverified)
	section("Notes", d.Notes)
	var rows [][]string
	for i := range d.Files {
		if x := &d.Files[i]; x.Name != readmeName && x.Path != "" {
			rows = append(rows, []string{x.Name, x.Path})
		}
	}
	if len(rows) > 0 {
		say("")
		say("## Files and where they belong")
		say("")
		for _, t := range config.Columns(rows) {
			say("    %s", t)
		}
	}
	section("Addresses and cables", s.addresses)
	return f.Lines
}

// mostChanges is the number of commands at the top of a README. An administrator reads them before the script.
const mostChanges = 10

// widest is the longest command, in bytes, that leaves room for the reason behind it.
const widest = 70

// changes lists the first commands that change settings, with their reasons.
func changes(file string, list []config.Changed, say func(string, ...any)) {
	if file == "" {
		return
	}
	if len(list) == 0 {
		say("")
		say("## What %s changes", file)
		say("")
		say("No setting: the plan has none for this device.")
		return
	}
	say("")
	say("## What %s changes", file)
	say("")
	left := len(list) - mostChanges
	list = list[:min(len(list), mostChanges)]
	wide := slices.ContainsFunc(list, func(c config.Changed) bool { return len(c.Command) > widest })
	var rows [][]string
	for i, c := range list {
		switch {
		case !wide:
			rows = append(rows, []string{c.Command, "# " + c.Why})
		case i == 0 || list[i-1].Why != c.Why:
			rows = append(rows, []string{"# " + c.Why}, []string{c.Command})
		default:
			rows = append(rows, []string{c.Command})
		}
	}
	for _, t := range config.Columns(rows) {
		say("    %s", t)
	}
	if left > 0 {
		say("")
		say("And %d more: see %s.", left, file)
	}
}

// addresses lists the ports of a host with an address.
func addresses(p *plan.Plan, name string) []string {
	h := p.Host(name)
	if h == nil {
		return nil
	}
	var out []string
	for _, port := range h.Ports {
		if !port.Address.IsValid() {
			continue
		}
		out = append(out, fmt.Sprintf("%s: %s, MTU %d%s", port.ID, port.Address, port.MTU, cables(p, port)))
	}
	return out
}

// cables describes the cable of a port, or each of those that its bond joins.
func cables(p *plan.Plan, port *plan.Port) string {
	b := p.Bundle(port)
	if b == nil {
		return cable(p.Link(port.Link), port.ID)
	}
	text := ""
	for _, l := range b.Links {
		for _, e := range l.Ends {
			if e.Host == port.Host {
				text += strings.Replace(cable(l, e.ID), ", cable", ", "+e.ID+" by cable", 1)
			}
		}
	}
	return text
}

// cable describes the cable of a port and its other end. A virtual port shares that of its NIC.
func cable(l *plan.Link, port string) string {
	if l == nil {
		return ""
	}
	for i, e := range l.Ends {
		if e.ID != port {
			continue
		}
		length := ""
		if m, ok := l.LengthM.Get(); ok {
			length = fmt.Sprintf(" (%g m)", m)
		}
		return fmt.Sprintf(", cable %s%s to %s", l.Label, length, l.Ends[1-i].ID)
	}
	return ", link " + l.Name
}

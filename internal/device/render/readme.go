package render

import (
	"fmt"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// readme describes the steps with a device's folder, their order, and what stops working meanwhile.
func readme(p *plan.Plan, d *config.Device) []config.Line {
	f := config.File{}
	say := func(format string, args ...any) { f.Form(config.Plain(fmt.Sprintf(format, args...))) }
	say("# %s: %s", d.Name, d.What)
	say("")
	say("Of the fabric %s (%s). These files make the device follow the plan; ../README.md says when it is this one's "+
		"turn, and `linerate config %s --explain %s` why each line is there.", p.Name, p.File(), p.Arguments(), d.Name)
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
	say("## In this order")
	for i, s := range d.Steps {
		first, more, _ := strings.Cut(s.Do, "\n")
		say("%d. %s", i+1, first)
		for more != "" {
			first, more, _ = strings.Cut(more, "\n")
			say("   %s", first)
		}
		if s.Interrupts != "" {
			say("   Interrupts: %s", s.Interrupts)
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
	section("Not in these files", d.Missing)
	section("Not verified", d.Unverified)
	var rows [][]string
	for i := range d.Files {
		if x := &d.Files[i]; x.Name != "README.md" && x.Path != "" {
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
	section("Addresses and cables", addresses(p, d.Name))
	return f.Lines
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
		out = append(out, fmt.Sprintf("%s: %s, MTU %d%s", port.ID, port.Address, port.MTU, cable(p.Link(port.Link), port.ID)))
	}
	return out
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

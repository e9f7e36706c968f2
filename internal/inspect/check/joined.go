package check

import (
	"fmt"
	"iter"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// end is one end of a link of the plan: a port as it is on its machine.
type end struct {
	host *Host
	id   string // nas.cx3.1, sw1.19
	nic  *facts.Interface
}

// subject names the end as the user sees it on the machine.
func (e *end) subject() string { return e.host.Name + ": " + e.nic.Name }

// classes is what the end does with traffic classes; nil: not known.
func (e *end) classes() *facts.Classes { return classesOf(e.nic) }

// shown is the line that proves an aspect of the end's classes, or says what is known of it.
func (e *end) shown(aspect, is string) record.EvidenceLine {
	if p, ok := e.classes().Proofs[aspect]; ok {
		return record.EvidenceLine{Host: e.host.Name, Source: p.Source, Line: p.Line}
	}
	return record.EvidenceLine{Host: e.host.Name, Source: "what is known of " + e.nic.Name, Line: is}
}

// line is the line that proves something of the port itself, or says what is known of it.
func (e *end) line(aspect, is string) record.EvidenceLine {
	if p, ok := e.nic.Proofs[aspect]; ok {
		return record.EvidenceLine{Host: e.host.Name, Source: p.Source, Line: p.Line}
	}
	return record.EvidenceLine{Host: e.host.Name, Source: "what is known of " + e.nic.Name, Line: is}
}

// joined is a link of the plan with its two ends; one is nil if nothing is known of it.
type joined struct {
	link *plan.Link
	ends [2]*end
}

// subject names the link.
func (j joined) subject() string { return "link " + j.link.Name }

// there are the ends of which something is known.
func (j joined) there() (out []*end) {
	for _, e := range j.ends {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// known are the ends of which classes are known.
func (j joined) known() (out []*end) {
	for _, e := range j.there() {
		if e.classes() != nil {
			out = append(out, e)
		}
	}
	return out
}

// links are the plan's, each with what is known of its ends.
func (w *World) links() iter.Seq[joined] {
	return func(yield func(joined) bool) {
		if w.Plan == nil {
			return
		}
		at := map[string]*end{}
		for _, h := range w.Hosts {
			for _, e := range w.endsOf(h) {
				at[e.id] = e
			}
		}
		for _, l := range w.Plan.Links {
			if !yield(joined{l, [2]*end{at[l.Ends[0].ID], at[l.Ends[1].ID]}}) {
				return
			}
		}
	}
}

// endsOf are the ports of a machine that carry links of the plan, and are there.
func (w *World) endsOf(h *Host) (out []*end) {
	for _, p := range w.plugged(h) {
		out = append(out, &end{h, p.port.ID, p.nic})
	}
	if h.Switch == nil {
		return out
	}
	byName := map[string]*facts.Interface{}
	for i := range h.Facts.NICs {
		byName[facts.PlainPort(h.Facts.NICs[i].Name)] = &h.Facts.NICs[i]
	}
	for _, sp := range h.Switch.Ports {
		name := h.Switch.PortName(sp)
		if name == "" || sp.Link == "" {
			continue
		}
		if nic := byName[facts.PlainPort(name)]; nic != nil {
			out = append(out, &end{h, sp.ID, nic})
		}
	}
	return out
}

// follow says how a machine is made to follow the plan, and how that is taken back.
func (w *World) follow(h *Host) (fix, undo string) {
	file := "FABRIC.yaml"
	if w.Plan != nil && w.Plan.Fabric != nil && w.Plan.Fabric.Path != "" {
		file = w.Plan.Fabric.Path
	}
	if h.Plan != nil && (h.Plan.OS == "" || h.Plan.OS == "linux") {
		return fmt.Sprintf("linerate apply %s %s", file, h.Name), "linerate apply says where it keeps the undo"
	}
	return fmt.Sprintf("linerate config %s -o out, then as out/%s/README.md says", file, h.Name), fmt.Sprintf("out/%s/undo", h.Name)
}

// followBoth is follow for several machines.
func (w *World) followBoth(ends []*end) (fix, undo string) {
	var fixes, undos []string
	for _, e := range ends {
		f, u := w.follow(e.host)
		fixes, undos = append(fixes, e.host.Name+": "+f), append(undos, e.host.Name+": "+u)
	}
	return strings.Join(fixes, "; "), strings.Join(undos, "; ")
}

// foundOn adds a finding about a port; what is the same of several ports of one machine is one finding, with the first one's lines.
func (r *report) foundOn(e *end, f record.Finding) {
	key := strings.Join([]string{e.host.Name, string(f.Severity), f.Have, f.Want, f.Consequence, f.Fix}, "\x00")
	if at, ok := r.on[key]; ok {
		g := &r.alikes[at]
		g.ports = append(g.ports, e.nic)
		first := &r.findings[g.finding]
		first.Subject = g.subject()
		first.About = append(first.About, e.subject())
		return
	}
	if r.on == nil {
		r.on = map[string]int{}
	}
	r.on[key] = len(r.alikes)
	r.alikes = append(r.alikes, grouped{alike{e.host, []*facts.Interface{e.nic}}, len(r.findings)})
	f.Subject = e.subject()
	r.found(f, e.subject())
}

// grouped are ports with the finding that is about all of them.
type grouped struct {
	alike
	finding int
}

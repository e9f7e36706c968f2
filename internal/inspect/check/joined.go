package check

import (
	"fmt"
	"iter"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// End is one end of a link of the plan: a port with its machine and interface.
type End struct {
	Host *Host
	id   string // nas.cx3.1, sw1.19
	Nic  *facts.Interface
}

// Subject names the end as the user sees it on the machine.
func (e *End) Subject() record.Subject { return e.Host.Subject(e.Nic.Name) }

// Classes returns the end's traffic classes; nil: not known.
func (e *End) Classes() *facts.Classes { return ClassesOf(e.Nic) }

// Shown returns the line that proves an aspect of the end's classes, or else is.
func (e *End) Shown(aspect, is string) record.EvidenceLine {
	if p, ok := e.Classes().Proofs[aspect]; ok {
		return record.EvidenceLine{Host: e.Host.Name, Source: p.Source, Line: p.Line}
	}
	return record.EvidenceLine{Host: e.Host.Name, Source: "what is known of " + e.Nic.Name, Line: is}
}

// Line returns the line that proves an aspect of the port itself, or else is.
func (e *End) Line(aspect, is string) record.EvidenceLine {
	if p, ok := e.Nic.Proofs[aspect]; ok {
		return record.EvidenceLine{Host: e.Host.Name, Source: p.Source, Line: p.Line}
	}
	return record.EvidenceLine{Host: e.Host.Name, Source: "what is known of " + e.Nic.Name, Line: is}
}

// Joined is a link of the plan with its two ends; one is nil if nothing is known of it.
type Joined struct {
	Link *plan.Link
	Ends [2]*End
}

// Subject names the link.
func (j Joined) Subject() record.Subject { return record.Subject{Link: j.Link.Name} }

// There returns the ends that are known.
func (j Joined) There() (out []*End) {
	for _, e := range j.Ends {
		if e != nil {
			out = append(out, e)
		}
	}
	return out
}

// Known returns the ends whose classes are known.
func (j Joined) Known() (out []*End) {
	for _, e := range j.There() {
		if e.Classes() != nil {
			out = append(out, e)
		}
	}
	return out
}

// Links returns the plan's links, each with its known ends.
func (w *World) Links() iter.Seq[Joined] {
	return func(yield func(Joined) bool) {
		if w.Plan == nil {
			return
		}
		at := map[string]*End{}
		for _, h := range w.Hosts {
			for _, e := range w.EndsOf(h) {
				at[e.id] = e
			}
		}
		for _, l := range w.Plan.Links {
			if !yield(Joined{l, [2]*End{at[l.Ends[0].ID], at[l.Ends[1].ID]}}) {
				return
			}
		}
	}
}

// EndsOf returns the ports of a machine that carry links of the plan, and exist.
func (w *World) EndsOf(h *Host) (out []*End) {
	for _, p := range w.Plugged(h) {
		out = append(out, &End{h, p.Port.ID, p.Nic})
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
			out = append(out, &End{h, sp.ID, nic})
		}
	}
	return out
}

// Follow returns the commands that configure a machine as planned, and their undo.
func (w *World) Follow(h *Host) (fix, undo string) {
	file := "FABRIC.yaml"
	if w.Plan != nil && w.Plan.Fabric != nil && w.Plan.Fabric.Path != "" {
		file = w.Plan.Fabric.Path
	}
	if h.Plan != nil && (h.Plan.OS == "" || families.Traits(h.Plan.OS).ApplySuggested) {
		return fmt.Sprintf("linerate apply %s %s", file, h.Name), "linerate apply says where it keeps the undo"
	}
	return fmt.Sprintf("linerate config %s -o out, then as out/%s/README.md says", file, h.Name),
		fmt.Sprintf("out/%s/undo", h.Name)
}

// FollowBoth is Follow for several machines.
func (w *World) FollowBoth(ends []*End) (fix, undo string) {
	var fixes, undos []string
	for _, e := range ends {
		f, u := w.Follow(e.Host)
		fixes, undos = append(fixes, e.Host.Name+": "+f), append(undos, e.Host.Name+": "+u)
	}
	return strings.Join(fixes, "; "), strings.Join(undos, "; ")
}

// FoundOn adds a finding about a port; equal findings on several ports of one machine become one, with the first one's
// lines.
func (r *Report) FoundOn(e *End, f record.Finding) {
	key := strings.Join([]string{e.Host.Name, string(f.Severity), f.Have, f.Want, f.Consequence, f.Fix}, "\x00")
	if at, ok := r.on[key]; ok {
		g := &r.alikes[at]
		g.Ports = append(g.Ports, e.Nic)
		first := &r.Findings[g.finding]
		first.Subject = g.Subject()
		first.About = append(first.About, e.Subject())
		return
	}
	if r.on == nil {
		r.on = map[string]int{}
	}
	r.on[key] = len(r.alikes)
	r.alikes = append(r.alikes, grouped{Alike{e.Host, []*facts.Interface{e.Nic}}, len(r.Findings)})
	f.Subject = e.Subject()
	r.Found(f, e.Subject())
}

// grouped are ports with their common finding.
type grouped struct {
	Alike
	finding int
}

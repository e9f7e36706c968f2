package check

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkMiscabled = Check{
	ID:     "miscabled",
	Title:  "each cable where the plan has it",
	Why:    "a cable in the wrong port joins other subnets than planned, or measures another path under the planned one's name",
	Worst:  record.Error,
	Source: "IEEE 802.1AB: a port tells its neighbour which it is; no bridge forwards that",
	look: func(w *World, r *report) {
		var all []facts.NamedFacts
		for _, h := range w.Hosts {
			all = append(all, facts.NamedFacts{Name: h.Name, Facts: h.Facts})
		}
		heard := map[facts.CableEnd][]facts.HeardAt{}
		for _, e := range facts.Cables(all) {
			heard[e.At] = append(heard[e.At], e)
		}
		for j := range w.links() {
			if !j.link.InfiniBand {
				miscabled(w, j, heard, r)
			}
		}
	},
}

// miscabled holds what both ends of a link heard against the plan. An end of which nothing is known of its neighbours says nothing.
func miscabled(w *World, j joined, heard map[facts.CableEnd][]facts.HeardAt, r *report) {
	f := record.Finding{Severity: record.Warning, Subject: j.subject(), Consequence: "the link is set up and measured as one that it is not: its figures are another path's, and its subnet may have nobody else in it"}
	var have, want, about []string
	for i, e := range j.ends {
		if e == nil || e.host.Facts.Lab != 0 {
			continue
		}
		if e.nic.LLDP == nil {
			if why := e.host.Facts.LLDPWhy; why != "" {
				r.notKnown(e.host.Name+": where its cables go", "%s", why)
			}
			continue
		}
		if carrier, known := e.nic.Carrier.Get(); known && !carrier {
			continue // what it heard was of before
		}
		planned := w.plannedEnd(j.link.Ends[1-i])
		list := heard[facts.CableEnd{Machine: e.host.Name, Port: e.nic.Name}]
		if len(list) == 0 || slices.ContainsFunc(list, func(h facts.HeardAt) bool { return planned.is(h.To) }) {
			continue
		}
		if len(list) > 1 {
			r.notKnown(e.subject()+": where its cable goes", "%d neighbours are heard there, so that a bridge between forwards what they say", len(list))
			continue
		}
		h := list[0]
		goes, sure := h.To.String(), h.To.Port != ""
		switch {
		case h.To.Machine == "" && !h.Several && j.ends[1-i] != nil && j.ends[1-i].host.Plan != nil && h.Neighbour.System != "":
			goes = neighbourWords(h.Neighbour) // neither its name nor its addresses are those of the planned host
		case h.To.Machine == "":
			r.notKnown(e.subject()+": where its cable goes", "its neighbour is %s: %s", neighbourWords(h.Neighbour), h.Why)
			continue
		case !sure && h.To.Machine == planned.Machine, sure && planned.Port == "" && h.To.Machine == planned.Machine:
			r.notKnown(e.subject()+": where its cable goes", "to %s, as planned, but to which port is not known: it says %s", planned.Machine, neighbourWords(h.Neighbour))
			continue
		case !sure:
			goes = h.To.Machine + ", " + neighbourWords(h.Neighbour)
		}
		if !h.Both && h.To.Port != "" { // who hears it says another one: what is heard is of before, or one of the two does not listen
			if back := heard[h.To]; len(back) == 1 && back[0].To.Port != "" {
				r.notKnown(j.subject()+": where its cable goes", "%s hears %s, and that hears %s", e.subject(), h.To, back[0].To)
				continue
			}
		}
		if h.To.Machine != "" {
			f.Severity = record.Error
		}
		have, want = append(have, fmt.Sprintf("the cable of %s goes to %s", e.subject(), goes)), append(want, fmt.Sprintf("%s to %s", e.subject(), planned.words()))
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: e.host.Name, Source: h.Neighbour.Source, Line: h.Neighbour.Line})
		about = append(about, e.subject())
	}
	if len(have) == 0 {
		return
	}
	if len(have) == 2 { // each says where the other one should be
		want = want[:1]
	}
	f.Have, f.Want = strings.Join(have, "; "), strings.Join(want, "; ")
	f.Fix = fmt.Sprintf("plug the cable as planned (its label: %s), or write where it goes into ends: of the link", strings.Join(j.link.EndLabel[:], "; "))
	r.found(f, about...)
}

// plannedPort is the end of a link as the plan has it, in the words of its machine.
type plannedPort struct {
	facts.CableEnd
	id string // sw1.19
}

// plannedEnd is an end of a link; its port is empty where the plan does not know how its machine calls it.
func (w *World) plannedEnd(e plan.End) plannedPort {
	out := plannedPort{facts.CableEnd{Machine: e.Host + e.Switch}, e.ID}
	if h := w.Plan.Host(e.Host); e.Host != "" && h != nil {
		if p := w.Plan.Port(e.ID); p != nil && (p.Declared || w.Host(e.Host) != nil) {
			out.Port = p.Interface
		}
		return out
	}
	if s := w.Plan.Switch(e.Switch); s != nil {
		for _, p := range s.Ports {
			if p.ID == e.ID {
				out.Port = s.PortName(p)
			}
		}
	}
	return out
}

func (p plannedPort) is(e facts.CableEnd) bool {
	return p.Port != "" && e.Machine == p.Machine && facts.PlainPort(e.Port) == facts.PlainPort(p.Port)
}

func (p plannedPort) words() string {
	if p.Port == "" {
		return p.id
	}
	return p.String()
}

// neighbourWords is a neighbour by what it says of itself.
func neighbourWords(n facts.LLDPNeighbour) string {
	name := n.System
	if name == "" {
		name = n.Chassis.Value
	}
	port := n.Port.Value
	if n.PortDescription != "" && n.Port.Kind != facts.LLDPInterface {
		port = n.PortDescription
	}
	if port == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q, port %q", name, port)
}

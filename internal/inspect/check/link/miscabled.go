package link

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Miscabled checks that each cable is plugged as planned.
var Miscabled = check.Check{
	ID:    "miscabled",
	Title: "each cable where the plan has it",
	Why: "a cable in the wrong port joins other subnets than planned, or measures another path under the planned " +
		"one's name",
	Worst:  record.Error,
	Source: "IEEE 802.1AB: a port sends its name to its neighbour; no bridge forwards that",
	Look: func(w *check.World, r *check.Report) {
		var all []facts.NamedFacts
		for _, h := range w.Hosts {
			all = append(all, facts.NamedFacts{Name: h.Name, Facts: h.Facts,
				BridgeInPortID: families.Traits(h.Facts.OS).BridgeInPortID})
		}
		heard := map[facts.CableEnd][]facts.HeardAt{}
		for _, e := range facts.Cables(all) {
			heard[e.At] = append(heard[e.At], e)
		}
		for j := range w.Links() {
			if !j.Link.InfiniBand {
				miscabled(w, j, heard, r)
			}
		}
	},
}

// miscabled compares the LLDP neighbours of both ends of a link with the plan. An end without known neighbours is
// skipped.
func miscabled(w *check.World, j check.Joined, heard map[facts.CableEnd][]facts.HeardAt, r *check.Report) {
	f := record.Finding{Severity: record.Warning, Subject: j.Subject(), Consequence: "the link is set up and measured " +
		"as one that it is not: its figures are another path's, and its subnet may have no other host in it"}
	var have, want []string
	var about []record.Subject
	for i, e := range j.Ends {
		if e == nil || e.Host.Facts.Lab != 0 {
			continue
		}
		if e.Nic.LLDP == nil {
			if why := e.Host.Facts.LLDPWhy; why != "" {
				r.NotKnown(e.Host.Name+": LLDP (what its cables are plugged into)", "%s", why)
			}
			continue
		}
		if carrier, known := e.Nic.Carrier.Get(); known && !carrier {
			continue // its neighbour is out of date
		}
		planned := plannedEnd(w, j.Link.Ends[1-i])
		list := heard[facts.CableEnd{Machine: e.Host.Name, Port: e.Nic.Name}]
		if len(list) == 0 || slices.ContainsFunc(list, func(h facts.HeardAt) bool { return planned.is(h.To) }) {
			continue
		}
		if len(list) > 1 {
			r.NotKnownOf(e.Subject(), "where its cable goes", "%d neighbours are heard there, so that a bridge between "+
				"forwards what they say", len(list))
			continue
		}
		h := list[0]
		goes, sure := h.To.String(), h.To.Port != ""
		switch {
		case h.To.Machine == "" && !h.Several && j.Ends[1-i] != nil && j.Ends[1-i].Host.Plan != nil &&
			h.Neighbour.System != "":
			goes = neighbourWords(h.Neighbour) // neither the name nor the addresses match the planned host
		case h.To.Machine == "":
			r.NotKnownOf(e.Subject(), "where its cable goes", "its neighbour is %s: %s", neighbourWords(h.Neighbour), h.Why)
			continue
		case !sure && h.To.Machine == planned.Machine, sure && planned.Port == "" && h.To.Machine == planned.Machine:
			r.NotKnownOf(e.Subject(), "where its cable goes", "to %s, as planned, but to which port is not known: it says %s",
				planned.Machine, neighbourWords(h.Neighbour))
			continue
		case !sure:
			goes = h.To.Machine + ", " + neighbourWords(h.Neighbour)
		}
		// the neighbour reports a different one: an entry is out of date, or one of the two does not listen
		if !h.Both && h.To.Port != "" {
			if back := heard[h.To]; len(back) == 1 && back[0].To.Port != "" {
				r.NotKnownOf(j.Subject(), "where its cable goes", "%s hears %s, and that hears %s", e.Subject(), h.To, back[0].To)
				continue
			}
		}
		if h.To.Machine != "" {
			f.Severity = record.Error
		}
		have, want = append(have, fmt.Sprintf("the cable of %s goes to %s", e.Subject(), goes)),
			append(want, fmt.Sprintf("%s to %s", e.Subject(), planned.words()))
		f.Evidence = append(f.Evidence, record.EvidenceLine{Host: e.Host.Name, Source: h.Neighbour.Source,
			Line: h.Neighbour.Line})
		about = append(about, e.Subject())
	}
	if len(have) == 0 {
		return
	}
	if len(have) == 2 { // each of the two proves the other
		want = want[:1]
	}
	f.Have, f.Want = strings.Join(have, "; "), strings.Join(want, "; ")
	f.Fix = fmt.Sprintf("plug the cable as planned (its label: %s), or write where it goes into ends: of the link",
		strings.Join(j.Link.EndLabel[:], "; "))
	r.Found(f, about...)
}

// plannedPort is the planned end of a link, named as on its machine.
type plannedPort struct {
	facts.CableEnd
	id string // sw1.19
}

// plannedEnd returns the planned end of a link. Its port is empty where the plan does not know its name on the machine.
func plannedEnd(w *check.World, e plan.End) plannedPort {
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

// neighbourWords names a neighbour by its own announcement.
func neighbourWords(n facts.LLDPNeighbour) string {
	name := cmp.Or(n.System, n.Chassis.Value)
	port := n.Port.Value
	if n.PortDescription != "" && n.Port.Kind != facts.LLDPInterface {
		port = n.PortDescription
	}
	if port == "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q, port %q", name, port)
}

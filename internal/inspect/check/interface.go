package check

import (
	"fmt"

	"linerate/internal/record"
)

var checkInterface = Check{
	ID:      "no-interface",
	Title:   "an interface for every port in use",
	Why:     "a port that the system does not show carries nothing: no driver, another name, or a card that is not seated",
	Worst:   record.Error,
	Source:  "the fabric file",
	Because: []string{"port-type"},
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			if h.Plan == nil {
				continue
			}
			for _, p := range h.Plan.Ports {
				if p.Link == "" || h.Facts.NIC(p.Interface) != nil {
					continue
				}
				if h.Facts.NICs == nil {
					r.notKnown(h.Name, "its interfaces are not in the capture")
					break
				}
				if !p.Declared {
					r.notKnown("port "+p.ID, "the file does not say which interface it is, and %s has no %s; write ports: [..] on the card %s.%s", h.Name, p.Interface, h.Name, p.Card)
					continue
				}
				r.found(record.Finding{
					Severity: record.Error, Subject: h.Name + ": " + p.Interface,
					Have: "no such interface", Want: fmt.Sprintf("the port %s, which carries the link %s", p.ID, p.Link),
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: sourceOf(h, "ip link", "ifconfig"), Line: fmt.Sprintf("%d interfaces, none of that name", len(h.Facts.NICs))}},
					Consequence: "the link " + p.Link + " carries nothing",
					Fix:         "look which name the card has (" + showNames.on(h) + "), or whether it is seen at all (" + showCards.on(h) + "); then write the name into ports: of " + h.Name + "." + p.Card,
				}, h.Name+": "+p.Interface)
			}
		}
	},
}

var checkLinkDown = Check{
	ID:      "link-down",
	Title:   "a carrier on every port in use",
	Why:     "without a carrier nothing is sent; a cable, a module, the other end, or FEC that differs",
	Worst:   record.Error,
	Source:  "sysfs-class-net: carrier",
	Because: []string{"module-refused", "port-errdisabled", "no-link", "fec-mismatch", "laser-off"},
	look: func(w *World, r *report) {
		for p := range w.ports() {
			h := p.host
			f := record.Finding{Severity: record.Error, Subject: p.subject(), Want: "a carrier: it has the link " + p.port.Link,
				Consequence: "the link " + p.port.Link + " carries nothing"}
			far := w.far(p)
			about := []string{p.subject()}
			switch carrier, known := p.nic.Carrier.Get(); {
			case !p.nic.UpKnown && !known: // named by another output than that of its state
				r.notKnown(p.subject()+": state", "it is not in the capture")
				continue
			case p.nic.UpKnown && !p.nic.Up:
				f.Have, f.Fix, f.Undo = "switched off", interfaceUp.on(h, "nic", p.nic.Name), interfaceDown.on(h, "nic", p.nic.Name)
				f.Evidence = []record.EvidenceLine{seen(h, p.nic, "flags", "ip link", p.nic.Name+": not UP")}
				if far != nil && far.nic.Up && !far.nic.Carrier.Or(true) {
					f.Explains = append(f.Explains, record.Explained{ID: "link-down", Subject: far.subject(), Have: "no carrier"})
					about = append(about, far.subject())
				}
			case !known:
				r.notKnown(p.subject()+": carrier", "%s", p.nic.Carrier.Why())
				continue
			case !carrier && far != nil && !far.nic.Up:
				continue // told with the end that is switched off
			case !carrier:
				f.Have, f.Fix = "no carrier", "look at the cable and both of its ends ("+showLink.on(h, "nic", p.nic.Name)+"); the same speed and the same FEC at both"+showLinkCodes.on(h, "nic", p.nic.Name)
				f.Evidence = []record.EvidenceLine{seen(h, p.nic, "carrier", "ip link", p.nic.Name+": NO-CARRIER")}
			default:
				continue
			}
			r.found(f, about...)
		}
	},
}

// far is the other end of a link between two hosts, if its interface is known.
func (w *World) far(p plugged) *plugged {
	port := w.peer(p)
	if port == nil {
		return nil
	}
	h := w.Host(port.Host)
	if h == nil {
		return nil
	}
	for _, q := range w.plugged(h) {
		if q.port.ID == port.ID {
			return &q
		}
	}
	return nil
}

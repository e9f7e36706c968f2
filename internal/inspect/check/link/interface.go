package link

import (
	"fmt"

	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// Interface checks that every port in use has an interface.
var Interface = check.Check{
	ID:      "no-interface",
	Title:   "an interface for every port in use",
	Why:     "a port that the system does not show carries nothing: no driver, another name, or a NIC that is not seated",
	Worst:   record.Error,
	Source:  "the fabric file",
	Because: []string{"port-type"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Plan == nil {
				continue
			}
			for _, p := range h.Plan.Ports {
				if p.Link == "" || h.Facts.NIC(p.Interface) != nil {
					continue
				}
				if h.Facts.NICs == nil {
					r.NotKnown(h.Name, "its interfaces are not in the snapshot")
					break
				}
				if !p.Declared {
					r.NotKnown("port "+p.ID, "the file does not say which interface it is, and %s has no %s; write ports: [..] on "+
						"the NIC %s.%s", h.Name, p.Interface, h.Name, p.NIC)
					continue
				}
				r.Found(record.Finding{
					Severity: record.Error, Subject: h.Subject(p.Interface),
					Have: "no such interface", Want: fmt.Sprintf("the port %s, which carries the link %s", p.ID, p.Link),
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: check.SourceOf(h, "ip link", "ifconfig"),
						Line: fmt.Sprintf("%d interfaces, none of that name", len(h.Facts.NICs))}},
					Consequence: "the link " + p.Link + " carries nothing",
					Fix: "look which name the NIC has (" + check.ShowNames.On(h) + "), or whether it is seen at all (" +
						check.ShowNICs.On(h) + "); then write the name into ports: of " + h.Name + "." + p.NIC,
				}, h.Subject(p.Interface))
			}
		}
	},
}

// LinkDown checks that every port in use has a carrier.
var LinkDown = check.Check{
	ID:      "link-down",
	Title:   "a carrier on every port in use",
	Why:     "without a carrier nothing is sent; a cable, a module, the other end, or FEC that differs",
	Worst:   record.Error,
	Source:  "sysfs-class-net: carrier",
	Because: []string{"module-refused", "port-errdisabled", "no-link", "fec-mismatch", "laser-off"},
	Look: func(w *check.World, r *check.Report) {
		for p := range w.Ports() {
			h := p.Host
			f := record.Finding{Severity: record.Error, Subject: p.Subject(), Want: "a carrier: it has the link " + p.Port.Link,
				Consequence: "the link " + p.Port.Link + " carries nothing"}
			far := far(w, p)
			about := []record.Subject{p.Subject()}
			switch carrier, known := p.Nic.Carrier.Get(); {
			case !p.Nic.UpKnown && !known: // named by another output than that of its state
				r.NotKnownOf(p.Subject(), "state", "it is not in the snapshot")
				continue
			case p.Nic.UpKnown && !p.Nic.Up:
				f.Have, f.Fix, f.Undo = "switched off", check.InterfaceUp.On(h, "nic", p.Nic.Name),
					check.InterfaceDown.On(h, "nic", p.Nic.Name)
				f.Evidence = []record.EvidenceLine{check.Seen(h, p.Nic, "flags", "ip link", p.Nic.Name+": not UP")}
				if far != nil && far.Nic.Up && !far.Nic.Carrier.Or(true) {
					f.Explains = append(f.Explains, record.Explained{ID: "link-down", Subject: far.Subject(), Have: "no carrier"})
					about = append(about, far.Subject())
				}
			case !known:
				r.NotKnownOf(p.Subject(), "carrier", "%s", p.Nic.Carrier.Why())
				continue
			case !carrier && far != nil && !far.Nic.Up:
				continue // reported with the end that is switched off
			case !carrier:
				f.Have, f.Fix = "no carrier", "look at the cable and both of its ends ("+check.ShowLink.On(h, "nic", p.Nic.Name)+
					"); the same speed and the same FEC at both"+check.ShowLinkCodes.On(h, "nic", p.Nic.Name)
				f.Evidence = []record.EvidenceLine{check.Seen(h, p.Nic, "carrier", "ip link", p.Nic.Name+": NO-CARRIER")}
			default:
				continue
			}
			r.Found(f, about...)
		}
	},
}

// far returns the other end of a link between two hosts, if its interface is known.
func far(w *check.World, p check.Port) *check.Port {
	port := w.Peer(p)
	if port == nil {
		return nil
	}
	h := w.Host(port.Host)
	if h == nil {
		return nil
	}
	for _, q := range w.Plugged(h) {
		if q.Port.ID == port.ID {
			return &q
		}
	}
	return nil
}

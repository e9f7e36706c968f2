package check

import (
	"fmt"
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkWrongNIC = Check{
	ID:      "wrong-nic",
	Title:   "the interface that each peer is reached through",
	Why:     "a route or a name that points at the slow network leaves the fast link idle",
	Worst:   record.Error,
	Source:  "ip-route(8); measured in the lab",
	Because: []string{"overlay", "duplicate-subnet", "no-interface", "link-down", "address", "duplicate-address"},
	look: func(w *World, r *report) {
		if w.Plan == nil {
			return
		}
		for _, h := range w.Hosts {
			for _, p := range w.plugged(h) {
				peer := w.peer(p)
				if peer == nil || !peer.Address.IsValid() || !p.port.Address.IsValid() || !p.port.Address.Contains(peer.Address.Addr()) {
					continue // over switches of a routed network there is more than one right way
				}
				way, tried := h.Facts.Probes.Way(peer.Address.Addr())
				if a := p.addressed(); tried && a != nil && way.Interface == a.Name {
					continue // the kernel itself says so, whatever rules and tables there are
				}
				if tried && (h.Facts.Routes == nil || h.Facts.Rules.Or(0) > 0) {
					w.wrongWay(h, p, way, r)
					continue
				}
				if h.Facts.Routes == nil {
					r.notKnown(h.Name+": routes", "they are not in the capture")
					break
				}
				if rules := h.Facts.Rules.Or(0); rules > 0 {
					r.notKnown(h.Name+": routes", "%d policy routing rules choose among tables; ip route get %s says which", rules, peer.Address.Addr())
					break
				}
				want := p.nic.Name
				if p.port.VLAN != 0 {
					want = p.port.VLANInterface
				}
				to := peer.Address.Addr()
				route, ok := h.Facts.RouteTo(to)
				if ok && route.Interface == want {
					continue
				}
				f := record.Finding{
					Severity: record.Error, Subject: fmt.Sprintf("%s: to %s (%s)", h.Name, peer.Host, to), Have: "no route", Want: "leaves through " + want,
					Consequence: "the link " + p.port.Link + " stays idle",
					Fix:         setRoute.on(h, routed(p.port.Address.Masked(), netip.Addr{}, want)...),
					Undo:        delRoute.on(h, routed(p.port.Address.Masked(), netip.Addr{}, want)...),
				}
				if ok {
					f.Have = "leaves through " + route.Interface
					line := fmt.Sprintf("%s dev %s", route.Dst, route.Interface)
					if route.Gateway.IsValid() {
						line = fmt.Sprintf("%s via %s dev %s", route.Dst, route.Gateway, route.Interface)
					}
					f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: sourceOf(h, "ip route", "netstat -rn"), Line: line}}
					f.Fix, f.Undo = dropRoute(h, route)
					if route.Dst.Bits() <= p.port.Address.Bits() {
						values := routed(p.port.Address.Masked(), netip.Addr{}, want)
						f.Fix, f.Undo = setRoute.on(h, values...), delRoute.on(h, values...)
					}
					if slow := h.Facts.NIC(route.Interface); slow != nil && p.link != nil && p.link.Speed > 0 {
						if speed, known := slow.Speed.Get(); known && speed < p.link.Speed {
							f.Consequence = fmt.Sprintf("%s instead of %s; the link %s stays idle", speed, p.link.Speed, p.port.Link)
							f.Loss = unit.Known(1 - float64(speed)/float64(p.link.Speed))
						}
					}
				} else if bad, is := h.Facts.Rejected(to); is {
					line := bad.Kind + " " + bad.Dst.String()
					f.Have = "a route of the kind " + bad.Kind + " drops what goes there"
					f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: sourceOf(h, "ip route", "netstat -rn"), Line: line}}
					f.Fix, f.Undo = "ip route del "+line, "ip route add "+line
					if h.system() != "linux" {
						f.Fix, f.Undo = delRoute.on(h, routed(bad.Dst, netip.Addr{}, want)...), "that route again, of the kind "+bad.Kind
					}
				} else {
					f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: sourceOf(h, "ip route", "netstat -rn"), Line: fmt.Sprintf("%d routes, none to %s", len(h.Facts.Routes), to)}}
				}
				r.found(f, h.Name+": "+want, to.String())
			}
			for _, way := range h.Facts.Probes.Ways { // peers behind a switch
				p, ok := w.over(h, way.To)
				if !ok || w.peer(p) != nil {
					continue
				} else if a := p.addressed(); a != nil && way.Interface != a.Name {
					w.wrongWay(h, p, way, r)
				}
			}
		}
	},
}

// wrongWay says that a packet to an address leaves by another interface than the port's, as the kernel answered.
func (w *World) wrongWay(h *Host, p plugged, way facts.Way, r *report) {
	want := p.addressed()
	if want == nil {
		return
	}
	f := record.Finding{
		Severity: record.Error, Subject: fmt.Sprintf("%s: to %s", h.Name, w.named(way.To)), Have: "leaves through " + way.Interface, Want: "leaves through " + want.Name,
		Evidence:    []record.EvidenceLine{{Host: h.Name, Source: way.Source, Line: way.Line}},
		Consequence: "the link " + p.port.Link + " stays idle",
		Fix:         "look which rule or route it is (ip rule; ip route show table all match " + way.To.String() + ") and take it away",
		Undo:        "the rule or route that was taken away",
	}
	if slow := h.Facts.NIC(way.Interface); slow != nil && p.port.Speed > 0 {
		if speed, known := slow.Speed.Get(); known && speed < p.port.Speed {
			f.Consequence = fmt.Sprintf("%s instead of %s; the link %s stays idle", speed, p.port.Speed, p.port.Link)
			f.Loss = unit.Known(1 - float64(speed)/float64(p.port.Speed))
		}
	}
	r.found(f, h.Name+": "+want.Name, way.To.String())
}

// routed are the values of a command about a route.
func routed(to netip.Prefix, gateway netip.Addr, nic string) []any {
	return []any{"to", to, "gateway", gateway, "nic", nic, "family", family(to.Addr())}
}

// dropRoute takes a route away, and back.
func dropRoute(h *Host, route facts.Route) (fix, undo string) {
	values := routed(route.Dst, route.Gateway, route.Interface)
	if route.Gateway.IsValid() {
		return delRouteVia.on(h, values...), addRouteVia.on(h, values...)
	}
	return delRoute.on(h, values...), addRoute.on(h, values...)
}

// peer is the port at the other end of a link between two hosts.
func (w *World) peer(p plugged) *plan.Port {
	if p.link == nil {
		return nil
	}
	for _, e := range p.link.Ends {
		if e.Host != "" && e.ID != p.port.ID {
			return w.Plan.Port(e.ID)
		}
	}
	return nil
}

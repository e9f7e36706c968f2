package address

import (
	"fmt"
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// WrongNIC checks the interface through which each peer is reached.
var WrongNIC = check.Check{
	ID:      "wrong-nic",
	Title:   "the interface that each peer is reached through",
	Why:     "a route or a name that points at the slow network leaves the fast link idle",
	Worst:   record.Error,
	Source:  "ip-route(8); measured in the lab",
	Because: []string{"overlay", "duplicate-subnet", "no-interface", "link-down", "address", "duplicate-address"},
	Look: func(w *check.World, r *check.Report) {
		if w.Plan == nil {
			return
		}
		for _, h := range w.Hosts {
			for _, p := range w.Plugged(h) {
				peer := w.Peer(p)
				if peer == nil || !peer.Address.IsValid() || !p.Port.Address.IsValid() ||
					!p.Port.Address.Contains(peer.Address.Addr()) {
					continue // a routed network has several correct paths
				}
				way, tried := h.Facts.Probes.Way(peer.Address.Addr())
				if a := p.Addressed(); tried && a != nil && way.Interface == a.Name {
					continue // the kernel itself reports it, whatever its rules and tables
				}
				if tried && (h.Facts.Routes == nil || h.Facts.Rules.Or(0) > 0) {
					wrongWay(w, h, p, way, r)
					continue
				}
				if h.Facts.Routes == nil {
					r.NotKnown(h.Name+": routes", "they are not in the snapshot")
					break
				}
				if rules := h.Facts.Rules.Or(0); rules > 0 {
					r.NotKnown(h.Name+": routes", "%d policy routing rules choose among tables; ip route get %s says which", rules,
						peer.Address.Addr())
					break
				}
				want := p.Nic.Name
				if p.Port.VLAN != 0 {
					want = p.Port.VLANInterface
				}
				to := peer.Address.Addr()
				route, ok := h.Facts.RouteTo(to)
				if ok && route.Interface == want {
					continue
				}
				f := record.Finding{Severity: record.Error,
					Subject: record.Subject{Host: h.Name, Peer: peer.Host, Address: to},
					Have:    "no route", Want: "leaves through " + want, Consequence: "the link " + p.Port.Link + " stays idle",
					Fix:  check.SetRoute.On(h, check.RouteValues(p.Port.Address.Masked(), netip.Addr{}, want)...),
					Undo: check.DelRoute.On(h, check.RouteValues(p.Port.Address.Masked(), netip.Addr{}, want)...)}
				if ok {
					f.Have = "leaves through " + route.Interface
					line := fmt.Sprintf("%s dev %s", route.Dst, route.Interface)
					if route.Gateway.IsValid() {
						line = fmt.Sprintf("%s via %s dev %s", route.Dst, route.Gateway, route.Interface)
					}
					f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: check.SourceOf(h, "ip route", "netstat -rn"),
						Line: line}}
					f.Fix, f.Undo = dropRoute(h, route)
					if route.Dst.Bits() <= p.Port.Address.Bits() {
						values := check.RouteValues(p.Port.Address.Masked(), netip.Addr{}, want)
						f.Fix, f.Undo = check.SetRoute.On(h, values...), check.DelRoute.On(h, values...)
					}
					if slow := h.Facts.NIC(route.Interface); slow != nil && p.Link != nil && p.Link.Speed > 0 {
						if speed, known := slow.Speed.Get(); known && speed < p.Link.Speed {
							f.Consequence = fmt.Sprintf("%s instead of %s; the link %s stays idle", speed, p.Link.Speed, p.Port.Link)
							f.Loss = unit.Known(1 - float64(speed)/float64(p.Link.Speed))
						}
					}
				} else if bad, is := h.Facts.Rejected(to); is {
					line := bad.Kind + " " + bad.Dst.String()
					f.Have = "a route of the kind " + bad.Kind + " drops what goes there"
					f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: check.SourceOf(h, "ip route", "netstat -rn"),
						Line: line}}
					f.Fix, f.Undo = "ip route del "+line, "ip route add "+line
					if !h.Traits().Proc {
						f.Fix, f.Undo = check.DelRoute.On(h, check.RouteValues(bad.Dst, netip.Addr{}, want)...),
							"that route again, of the kind "+bad.Kind
					}
				} else {
					f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: check.SourceOf(h, "ip route", "netstat -rn"),
						Line: fmt.Sprintf("%d routes, none to %s", len(h.Facts.Routes), to)}}
				}
				r.Found(f, h.Subject(want), record.Subject{Address: to})
			}
			for _, way := range h.Facts.Probes.Ways { // peers behind a switch
				p, ok := w.Over(h, way.To)
				if !ok || w.Peer(p) != nil {
					continue
				} else if a := p.Addressed(); a != nil && way.Interface != a.Name {
					wrongWay(w, h, p, way, r)
				}
			}
		}
	},
}

// wrongWay reports that the kernel routes packets to an address through an interface other than the port's.
func wrongWay(w *check.World, h *check.Host, p check.Port, way facts.Way, r *check.Report) {
	want := p.Addressed()
	if want == nil {
		return
	}
	f := record.Finding{
		Severity: record.Error, Subject: w.Way(h, way.To),
		Have: "leaves through " + way.Interface, Want: "leaves through " + want.Name,
		Evidence:    []record.EvidenceLine{{Host: h.Name, Source: way.Source, Line: way.Line}},
		Consequence: "the link " + p.Port.Link + " stays idle",
		Fix: "look which rule or route it is (ip rule; ip route show table all match " + way.To.String() +
			") and take it away",
		Undo: "the rule or route that was taken away",
	}
	if slow := h.Facts.NIC(way.Interface); slow != nil && p.Port.Speed > 0 {
		if speed, known := slow.Speed.Get(); known && speed < p.Port.Speed {
			f.Consequence = fmt.Sprintf("%s instead of %s; the link %s stays idle", speed, p.Port.Speed, p.Port.Link)
			f.Loss = unit.Known(1 - float64(speed)/float64(p.Port.Speed))
		}
	}
	r.Found(f, h.Subject(want.Name), record.Subject{Address: way.To})
}

// dropRoute returns the commands that remove a route and restore it.
func dropRoute(h *check.Host, route facts.Route) (fix, undo string) {
	values := check.RouteValues(route.Dst, route.Gateway, route.Interface)
	if route.Gateway.IsValid() {
		return check.DelRouteVia.On(h, values...), check.AddRouteVia.On(h, values...)
	}
	return check.DelRoute.On(h, values...), check.AddRoute.On(h, values...)
}

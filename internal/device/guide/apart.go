package guide

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
)

// apart describes how the plan keeps the management network and the fabric apart.
func (w *writer) apart() {
	ranges := w.ranges()
	if len(ranges) == 0 {
		return
	}
	w.section("The house's network stays as it is")
	list := make([]string, 0, len(ranges))
	for _, r := range ranges[:min(len(ranges), 8)] {
		list = append(list, r.String())
	}
	text := strings.Join(list, ", ")
	if len(ranges) > len(list) {
		text += fmt.Sprintf(" and %d more (addresses.csv of the plan)", len(ranges)-len(list))
	}
	w.say("- The fabric uses %s. Nothing else may: look at the addresses that the house's network has before anything "+
		"is set up, also those of VPNs and containers. %s. If one of these ranges is taken, write another pool: "+
		"(addressing) into %s and render again.",
		text, w.by(func(s system) string { return s.addresses }), w.p.File())
	w.say("- No port of the fabric gets a gateway, a name server or an address by DHCP: those fields stay empty. The "+
		"way out stays the house's; the default route is the same before and after. %s.",
		w.by(func(s system) string { return s.route }))
	forward := xslices.Filter(w.p.Hosts, (*plan.Host).Forwards)
	if len(forward) > 0 {
		w.say("- The fabric is not bridged to the house's network. The file has %s forward packets; no other host does.",
			w.names(forward))
	} else {
		w.say("- The fabric is not bridged to the house's network, and nothing here makes a host pass packets between " +
			"the two, or from one link of the fabric to another. A host that did so before still does (Linux: `sysctl " +
			"net.ipv4.ip_forward` says 1, as with containers and VPNs).")
	}
	if len(w.p.Switches) > 0 {
		w.say("- Of the house's network nothing goes into the ports that the table of cables names, and the plan has no "+
			"cable from %s to it. A switch passes everything between its ports unless it is told not to: keep the house "+
			"out of its other ports, too. Its management port is another matter.", w.switches())
	}
	w.ownNames()
}

// ranges returns the networks of all addressed ports, each once, in the order of the file.
func (w *writer) ranges() []netip.Prefix {
	seen := map[netip.Prefix]bool{}
	var out []netip.Prefix
	for _, h := range w.p.Hosts {
		for _, p := range h.Ports {
			if r := p.Address.Masked(); p.Address.IsValid() && !seen[r] {
				seen[r] = true
				out = append(out, r)
			}
		}
	}
	return out
}

func (w *writer) switches() string {
	names := xslices.Map(w.p.Switches, func(s *plan.Switch) string { return s.Name })
	return shortened(names)
}

// shortened joins names, and cuts a list of more than eight.
func shortened(names []string) string {
	if len(names) > 8 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:8], ", "), len(names)-8)
	}
	return strings.Join(names, ", ")
}

// ownNames describes the new meaning of the names in the hosts files.
func (w *writer) ownNames() {
	if !w.named() {
		return
	}
	var mine []*plan.Host
	for _, h := range w.p.Hosts {
		if slices.ContainsFunc(w.p.Hosts, func(other *plan.Host) bool {
			return slices.ContainsFunc(other.Names, func(n plan.Name) bool { return slices.Contains(n.Names, h.Name) })
		}) {
			mine = append(mine, h)
		}
		if len(w.p.Hosts) > 64 { // one example is enough; with so many hosts, the file requested names of all
			mine = w.p.Hosts
			break
		}
	}
	if len(mine) == 0 {
		return
	}
	w.say("- Names: the hosts files make %s mean the fabric's addresses on its hosts, before the house's name server "+
		"is asked, and also while a cable is out: then the name does not lead anywhere. The house's way to such a "+
		"machine is its house address, or another name of the house's.", w.names(mine))
}

// named reports whether the file requests hosts files.
func (w *writer) named() bool {
	return w.p.Fabric != nil && w.p.Fabric.Addressing.Names == "hosts-file"
}

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
	w.section("Your LAN does not change")
	list := make([]string, 0, len(ranges))
	for _, r := range ranges[:min(len(ranges), 8)] {
		list = append(list, r.String())
	}
	text := strings.Join(list, ", ")
	if len(ranges) > len(list) {
		text += fmt.Sprintf(" and %d more (addresses.csv of the plan)", len(ranges)-len(list))
	}
	w.say("- The fabric uses %s. Nothing else may use these addresses. First check the addresses of your LAN, VPNs and "+
		"containers. %s. If a range is taken, change `pool:` below `addressing:` in %s and run `linerate config` again.",
		text, w.by(func(s system) string { return s.addresses }), w.p.File())
	w.say("- The fabric's ports get no gateway, no name server and no DHCP address. Leave those fields empty. The "+
		"default route must be the same before and after. %s.",
		w.by(func(s system) string { return s.route }))
	forward := xslices.Filter(w.p.Hosts, (*plan.Host).Forwards)
	if len(forward) > 0 {
		w.say("- The fabric is not bridged to the LAN. By the file, %s forward packets; no other host does.",
			w.names(forward))
	} else {
		w.say("- The fabric is not bridged to the LAN. These files turn on no packet forwarding between the fabric and the " +
			"LAN, or between links of the fabric. A host that already forwards still does. Linux: `sysctl " +
			"net.ipv4.ip_forward` is 1, for example with containers or VPNs.")
	}
	if len(w.p.Switches) > 0 {
		w.say("- Do not plug LAN cables into the switch ports in the table of cables, or into other data ports of %s. A "+
			"switch forwards between all its ports unless it is configured otherwise. Its management port may be in the "+
			"LAN.", w.switches())
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
	w.say("- Names: the hosts files map %s to the fabric's addresses. They take precedence over the name server, also "+
		"while a cable is unplugged. To reach a machine over the LAN, use its LAN address or another name.", w.names(mine))
}

// named reports whether the file requests hosts files.
func (w *writer) named() bool {
	return w.p.Fabric != nil && w.p.Fabric.Addressing.Names == "hosts-file"
}

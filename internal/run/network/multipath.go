package network

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/traffic"
)

// linkLabels are the labels of the planned links, by the addresses at their ends.
func linkLabels(p *plan.Plan) map[netip.Addr]string {
	labels := map[string]string{}
	for _, l := range p.Links {
		labels[l.Name] = cmp.Or(l.Label, l.Name)
	}
	links := map[netip.Addr]string{}
	for _, h := range p.Hosts {
		for _, port := range h.Ports {
			if label := labels[port.Link]; label != "" && port.Address.IsValid() {
				links[port.Address.Addr()] = label
			}
		}
	}
	return links
}

// multipath adds to the settings in effect what each path of each MPTCP connection transferred. A path has the label of
// the link at both of its ends. If the links differ, because routing sent it another way, it has none.
func multipath(effect map[string]string, s Spec, from, to *traffic.Outcome) {
	var paths []string
	for _, o := range []*traffic.Outcome{from, to} {
		for _, e := range o.Streams {
			if !e.Active {
				continue
			}
			for _, f := range e.Subflows {
				text := fmt.Sprintf("%s -> %s", f.Local, f.Remote)
				if link := s.Links[f.Local.Addr()]; link != "" && link == s.Links[f.Remote.Addr()] {
					text = fmt.Sprintf("link %s (%s)", link, text)
				}
				if f.Sent == nil {
					paths = append(paths, text+": not counted over the interval")
					continue
				}
				paths = append(paths, text+": "+unit.Bytes(*f.Sent).String()+" sent")
			}
		}
	}
	if len(paths) == 0 {
		return
	}
	if fallback := effect["multipath"]; fallback != "" {
		paths = append(paths, fallback)
	}
	effect["multipath"] = strings.Join(paths, "; ")
}

package render

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// whichPort describes for each NIC how to find the interface of each port, and where to write the right name, if the
// names are only the driver's usual ones or missing.
func (r *render) whichPort(look string) {
	for _, n := range r.h.Decl.NICs {
		ports := xslices.Filter(r.ports, func(p *port) bool {
			return p.NIC == n.Name && p.bond == nil && n.VF == "" && p.guessed
		})
		if len(ports) == 0 {
			continue
		}
		var taken, names []string
		for _, p := range ports {
			taken = append(taken, p.ID+" is "+cmp.Or(p.name, "an interface that you have to find"))
		}
		for range max(1, nicPorts(ports[0].Port)) {
			names = append(names, "NAME")
		}
		text := fmt.Sprintf("Which interface is which port: %s.", strings.Join(taken, ", "))
		if first := ports[0]; first.Link != "" {
			link := r.p.Link(first.Link)
			other := link.Ends[0].ID
			if other == first.ID {
				other = link.Ends[1].ID
			}
			text += fmt.Sprintf(" Plug in cable %s alone, with %s at its other end switched on, and look which interface has "+
				"a link: %s. That one is %s", link.Label, other, look, first.ID)
		}
		why := "the file does not name the interfaces"
		if ports[0].name != "" {
			why += "; taken are the driver's numbers in the order of the file, which is not verified: other NICs of the " +
				"driver, or another order of the slots, count otherwise"
			text += fmt.Sprintf("; if it is not %s, swap the plugs, or write the right names in place of these in all files "+
				"of this folder", ports[0].name)
		}
		r.d.Manual = append(r.d.Manual, config.Line{Text: text, Source: ifconfig,
			Why: fmt.Sprintf("%s. For good: %s, write ports: [%s], port 1 of the NIC first, and render again", why,
				r.p.NICIn(r.h, n.Name), strings.Join(names, ", "))})
	}
}

// nicPorts returns the number of ports of a port's NIC; 0: unknown.
func nicPorts(p *plan.Port) int {
	if p.Part == nil {
		return 0
	}
	return len(p.Part.Ports)
}

// unnamed returns a script's message for a port whose interface it cannot name.
func (r *render) unnamed(p *port) string {
	return said(fmt.Sprintf("nothing was changed: how the interface of port %s is called is not known; ifconfig -l "+
		"lists them. Write it into %s: ports: [..], and render again", p.ID, r.p.NICIn(r.h, p.NIC)))
}

// absent returns a script's message for a missing interface.
func (r *render) absent(p *port) string {
	return said(fmt.Sprintf("nothing was changed: there is no interface %s (port %s); ifconfig -l lists them. Write "+
		"the right name in place of %s in all files of this folder, or into %s: ports: [..], and render again",
		p.name, p.ID, p.name, r.p.NICIn(r.h, p.NIC)))
}

// said quotes a message for a shell.
func said(text string) string {
	q, err := config.Shell(config.Plain(text))
	if err != nil {
		return "''"
	}
	return q
}

package report

import (
	"strconv"
	"strings"

	"linerate/internal/design/plan"
)

// mostNames is how many lines of hosts files a page has; they grow with the square
// of the hosts.
const mostNames = 3000

type hostsFile struct {
	Name  string
	Lines string
}

type addressView struct{ Host, Port, Cable, Interface, Address, Subnet, MTU, VLAN string }

// addressViews are all ports with an address. star: some interface's name is the one that the driver's counting gives.
func addressViews(p *plan.Plan) (out []addressView, star bool) {
	cables := map[string][]string{} // by the port that the address is on
	vlans := map[string]int{}
	for _, l := range p.Links {
		vlans[l.Name] = l.VLAN
		for _, e := range l.Ends {
			cables[e.ID] = append(cables[e.ID], clean(l.Label))
		}
	}
	for _, h := range p.Hosts {
		expected := h.Expected()
		for _, port := range h.Ports {
			if !port.Address.IsValid() {
				continue
			}
			a := addressView{Host: clean(h.Name), Port: clean(port.ID), Interface: notKnown, Address: port.Address.String(), Subnet: port.Address.Masked().String(), MTU: strconv.Itoa(port.MTU)}
			switch {
			case port.Declared:
				a.Interface = clean(port.Interface)
			case expected[port.ID] != "":
				a.Interface, star = clean(expected[port.ID])+" *", true
			case isBond(h, port.Card):
				a.Interface = "the bond"
			}
			labels := cables[port.ID]
			for _, m := range members(h, port.Card) {
				labels = append(labels, cables[m]...)
			}
			a.Cable = strings.Join(labels, ", ")
			if n := vlans[port.Link]; n != 0 {
				a.VLAN = strconv.Itoa(n)
			}
			out = append(out, a)
		}
	}
	return out, star
}

func isBond(h *plan.Host, name string) bool { return len(members(h, name)) > 0 }

// members are the ports of a bond by their ids.
func members(h *plan.Host, name string) []string {
	if h.Decl == nil {
		return nil
	}
	for _, b := range h.Decl.Bonds {
		if b.Name != name {
			continue
		}
		var out []string
		for _, m := range b.Of {
			for _, port := range h.Ports {
				if port.Card == m.Card && port.Index == m.Index {
					out = append(out, port.ID)
				}
			}
		}
		return out
	}
	return nil
}

func (v *planView) hosts(p *plan.Plan) {
	lines := 0
	for _, h := range p.Hosts {
		lines += len(h.Names)
	}
	if lines > mostNames {
		v.HostsLeft = "The hosts files of " + count(len(p.Hosts), "host") + " have " + strconv.Itoa(lines) + " lines and are left out; linerate plan without -o prints them."
		return
	}
	for _, h := range p.Hosts {
		var text []string
		for _, n := range h.Names {
			text = append(text, pad(n.Address.String(), 16)+" "+strings.Join(cleaned(n.Names), " "))
		}
		if len(text) > 0 {
			v.HostsFiles = append(v.HostsFiles, hostsFile{clean(h.Name), strings.Join(text, "\n")})
		}
	}
}

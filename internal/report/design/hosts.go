package design

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/report/format"
)

// mostNames is the number of lines of hosts files on a page, which grows with the square of the hosts.
const mostNames = 3000

type hostsFile struct {
	Name  string
	Lines string
}

type addressView struct{ Host, Port, Cable, Interface, Address, Subnet, MTU, VLAN string }

// addressViews returns all ports with an address. star reports whether an interface's name is one that the driver
// assigns.
func addressViews(p *plan.Plan) (out []addressView, star bool) {
	cables := map[string][]string{} // by the port that the address is on
	vlans := map[string]int{}
	for _, l := range p.Links {
		vlans[l.Name] = l.VLAN
		for _, e := range l.Ends {
			cables[e.ID] = append(cables[e.ID], format.Clean(l.Label))
		}
	}
	for _, h := range p.Hosts {
		expected := h.Expected()
		for _, port := range h.Ports {
			if !port.Address.IsValid() {
				continue
			}
			a := addressView{Host: format.Clean(h.Name), Port: format.Clean(port.ID), Interface: format.NotKnown,
				Address: port.Address.String(), Subnet: port.Address.Masked().String(), MTU: strconv.Itoa(port.MTU)}
			switch {
			case port.Declared:
				a.Interface = format.Clean(port.Interface)
			case expected[port.ID] != "":
				a.Interface, star = format.Clean(expected[port.ID])+" *", true
			case isBond(h, port.NIC):
				a.Interface = "the bond"
			}
			labels := cables[port.ID]
			for _, m := range members(h, port.NIC) {
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
				if port.NIC == m.NIC && port.Index == m.Index {
					out = append(out, port.ID)
				}
			}
		}
		return out
	}
	return nil
}

func (v *planView) hosts(p *plan.Plan) {
	lines := xslices.Sum(p.Hosts, func(h *plan.Host) int { return len(h.Names) })
	if lines > mostNames {
		v.HostsLeft = "The hosts files of " + unit.Counted(len(p.Hosts),
			"host") + " have " + strconv.Itoa(lines) + " lines and are left out; linerate plan without -o prints them."
		return
	}
	for _, h := range p.Hosts {
		var text []string
		for _, n := range h.Names {
			text = append(text, format.Pad(n.Address.String(), 16)+" "+strings.Join(format.Cleaned(n.Names), " "))
		}
		if len(text) > 0 {
			v.HostsFiles = append(v.HostsFiles, hostsFile{format.Clean(h.Name), strings.Join(text, "\n")})
		}
	}
}

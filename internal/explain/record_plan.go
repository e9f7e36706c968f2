package explain

import (
	"net/netip"
	"strconv"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// RecordedPlan returns the plan of a run that was measured with flags, without a fabric file. It has the hosts, ports
// and links of the record, with the MTU in effect.
func RecordedPlan(r *record.Run) *plan.Plan {
	p := &plan.Plan{Name: r.Fabric, Fabric: &fabric.Fabric{Name: r.Fabric}}
	for _, e := range r.Experiments {
		if n, err := strconv.Atoi(e.InEffect["mtu"]); err == nil && p.MTU == 0 {
			p.MTU = n
		}
	}
	at := map[string]*plan.Port{}
	for _, h := range r.Plan.Hosts {
		host := &plan.Host{Name: h.Name, OS: h.OS, Decl: &fabric.Host{Name: h.Name, OS: h.OS}}
		for i, x := range h.Ports {
			port := &plan.Port{ID: x.ID, Host: h.Name, NIC: x.Interface, Index: i + 1, Interface: x.Interface, Declared: true,
				MTU: p.MTU}
			if address, err := netip.ParsePrefix(x.Address); err == nil {
				port.Address = address
			}
			at[x.ID] = port
			host.Ports = append(host.Ports, port)
		}
		p.Hosts = append(p.Hosts, host)
	}
	for _, x := range r.Plan.Links {
		l := &plan.Link{Name: x.Name, Label: x.Label, Speed: x.Rate, MTU: p.MTU}
		for i, id := range x.Ends {
			l.Ends[i].ID = id
			if port := at[id]; port != nil {
				port.Link, port.Speed, l.Ends[i].Host = l.Name, x.Rate, port.Host
				l.Subnet = port.Address.Masked()
			} else {
				l.Ends[i].Switch = id // joins many hosts
			}
		}
		p.Links = append(p.Links, l)
	}
	return p
}

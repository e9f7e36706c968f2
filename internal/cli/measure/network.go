package measure

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// networkPlan is the plan of many hosts: each with its port in the fastest subnet that all of them share, or else in
// those that each flow's two hosts share. Every subnet is one switch in the plan, as the devices between the hosts are
// not known.
func (f Flags) networkPlan(x *fabric.Experiment, rate unit.BitRate, e inventory.Ends,
	found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	var wanted netip.Addr
	if f.ToAddress != "" {
		var err error
		if wanted, err = netip.ParseAddr(f.ToAddress); err != nil {
			return nil, nil, cli.Fail(cli.ExitInput,
				cli.Advise(fmt.Errorf("--to-address %s: not an IP address", f.ToAddress),
					"write one such as 10.9.0.2"))
		}
	}
	p := &plan.Plan{Name: x.Method, Fabric: &fabric.Fabric{Name: x.Method, Experiments: []*fabric.Experiment{x}}}
	for _, name := range e.All() {
		p.Hosts = append(p.Hosts, &plan.Host{Name: name, Connection: e.Connection[name].String(),
			Decl: &fabric.Host{Name: name}})
	}
	var fast []string
	connect := func(names []string) error {
		ports, err := CommonSubnet(names, found, wanted)
		if err != nil {
			return err
		}
		for i, name := range names {
			fast = append(fast, join(p, name, ports[i], rate)...)
		}
		return nil
	}
	err := connect(e.All())
	if err == nil || wanted.IsValid() {
		return p, append(fast, MtusDiffer(p.Hosts)...), wrapInput(err)
	}
	for _, pattern := range f.Settings.Texts("traffic") {
		flows, err := x.Flows(pattern)
		if err != nil {
			return nil, nil, cli.Fail(cli.ExitInput, err)
		}
		for _, flow := range flows {
			if err := connect(flow[:]); err != nil {
				return nil, nil, cli.Fail(cli.ExitInput, err)
			}
		}
	}
	return p, append(fast, MtusDiffer(p.Hosts)...), nil
}

func wrapInput(err error) error {
	if err == nil {
		return nil
	}
	return cli.Fail(cli.ExitInput, err)
}

// CommonSubnet finds the port of each host in one subnet that all share: that with the configured address, else that
// whose slowest port is fastest.
func CommonSubnet(names []string, found map[string]*facts.Facts, wanted netip.Addr) ([]*plan.Port, error) {
	var best []*plan.Port
	lowest := func(ports []*plan.Port) (r unit.BitRate) {
		for i, q := range ports {
			if i == 0 || q.Speed < r {
				r = q.Speed
			}
		}
		return r
	}
	first := found[names[0]]
	var seen []string
	for i := range first.NICs {
		for _, a := range first.NICs[i].Addresses {
			if a.Addr().IsLoopback() || a.Addr().IsLinkLocalUnicast() {
				continue
			}
			seen = append(seen, a.Masked().String())
			ports := []*plan.Port{port(&first.NICs[i], a)}
			has := a.Addr() == wanted
			for _, other := range names[1:] {
				q := inSubnet(found[other], a.Masked(), wanted)
				if q == nil {
					break
				}
				ports = append(ports, q)
				has = has || q.Address.Addr() == wanted
			}
			if len(ports) == len(names) && (has || !wanted.IsValid()) && (best == nil || lowest(ports) > lowest(best)) {
				best = ports
			}
		}
	}
	if best == nil {
		what := "no subnet is shared by " + fabric.Compact(names)
		if wanted.IsValid() {
			what = fmt.Sprintf("--to-address %s: it is in no subnet that is shared by %s", wanted, fabric.Compact(names))
		}
		return nil, cli.Advise(fmt.Errorf("%s (%s has %s)", what, names[0], strings.Join(seen, ", ")),
			"give each an address in one network")
	}
	return best, nil
}

// inSubnet is a host's port with an address in a subnet, preferably the wanted one; nil: none.
func inSubnet(f *facts.Facts, subnet netip.Prefix, wanted netip.Addr) (out *plan.Port) {
	for i := range f.NICs {
		for _, a := range f.NICs[i].Addresses {
			if a.Masked() == subnet && (out == nil || a.Addr() == wanted) {
				out = port(&f.NICs[i], a)
			}
		}
	}
	return out
}

// join adds a host's port to the plan, and its link to the subnet's network, unless they exist.
func join(p *plan.Plan, name string, q *plan.Port, rate unit.BitRate) (fast []string) {
	h := p.Host(name)
	subnet := q.Address.Masked()
	for _, have := range h.Ports {
		if have.Address == q.Address {
			return nil
		}
	}
	network := "network " + subnet.String()
	if !slices.ContainsFunc(p.Switches, func(s *plan.Switch) bool { return s.Name == network }) {
		p.Switches = append(p.Switches, &plan.Switch{Name: network})
	}
	if rate > 0 {
		fast = RateAbove(rate, name, q)
		q.Speed = rate
	}
	q.ID, q.Host, q.NIC, q.Link = name+"."+q.Interface, name, q.Interface, name+"--"+network
	if len(h.Ports) > 0 {
		q.ID = fmt.Sprintf("%s.%s.%d", name, q.Interface, len(h.Ports)+1)
		q.Link = q.ID + "--" + network
	}
	l := &plan.Link{Name: q.Link, Label: q.Link, Speed: q.Speed, MTU: q.MTU, Subnet: subnet}
	l.Ends = [2]plan.End{{ID: q.ID, Host: name}, {ID: network, Switch: network}}
	p.Links = append(p.Links, l)
	h.Ports = append(h.Ports, q)
	if p.MTU == 0 || q.MTU < p.MTU {
		p.MTU = q.MTU
	}
	return fast
}

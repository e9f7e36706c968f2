package measure

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// plan makes the plan from the flags and the hosts' own facts: of two hosts and one link, or of many in one network. It
// warns of a rate above that of an end, and of ends with different MTUs.
func (f Flags) plan(ctx context.Context, x *fabric.Experiment, rate unit.BitRate, e inventory.Ends,
	clients map[string]*agent.Client) (p *plan.Plan, fast []string, err error) {
	found, err := inventory.Look(ctx, f.agentFile, e, clients)
	if err != nil {
		return nil, nil, err
	}
	if method.Named(x.Method).RunsCommand {
		return f.appPlan(x, e, found)
	}
	if method.Named(x.Method).CopiesFiles {
		return f.copyPlan(ctx, x, e, found)
	}
	if method.Named(x.Method).Stores {
		return f.blockPlan(x, e, found)
	}
	if x.Grouped() {
		return f.networkPlan(x, rate, e, found)
	}
	var from, to *plan.Port
	near, far := e.From[0], e.To[0]
	if f.lone() {
		from, to, err = loneEnd(found[near], f.ToAddress)
	} else {
		from, to, err = SharedSubnet(found[near], found[far], f.ToAddress)
	}
	if err != nil {
		return nil, nil, cli.Fail(cli.ExitInput, err)
	}
	name := near + "--" + far
	l := &plan.Link{Name: name, Label: name, Speed: rate, MTU: min(from.MTU, to.MTU)}
	p = &plan.Plan{Name: x.Method, MTU: l.MTU, Links: []*plan.Link{l},
		Fabric: &fabric.Fabric{Name: x.Method, Experiments: []*fabric.Experiment{x}}}
	for i, end := range []struct {
		name string
		at   *plan.Port
	}{{near, from}, {far, to}} {
		end.at.ID, end.at.Host, end.at.Link, end.at.NIC = end.name+"."+end.at.Interface, end.name, l.Name, end.at.Interface
		if rate > 0 {
			fast = append(fast, RateAbove(rate, end.name, end.at)...)
			end.at.Speed = rate
		}
		if l.Speed == 0 || end.at.Speed > 0 && end.at.Speed < l.Speed {
			l.Speed = end.at.Speed
		}
		l.Ends[i] = plan.End{ID: end.at.ID, Host: end.name}
		p.Hosts = append(p.Hosts,
			&plan.Host{Name: end.name, Connection: e.Connection[end.name].String(), Ports: []*plan.Port{end.at},
				Decl: &fabric.Host{Name: end.name}})
	}
	l.Subnet = from.Address.Masked()
	fast = append(fast, MtusDiffer(p.Hosts)...)
	fast = append(fast, f.PaceAbove(l.Speed)...)
	return p, fast, nil
}

// SharedSubnet finds the interface and address of each end: those of the configured address, else of the fastest subnet
// that both share.
func SharedSubnet(from, to *facts.Facts, address string) (a, b *plan.Port, err error) {
	var wanted netip.Addr
	if address != "" {
		if wanted, err = netip.ParseAddr(address); err != nil {
			return nil, nil, cli.Advise(fmt.Errorf("--to-address %s: not an IP address", address),
				"write one such as 10.9.0.2")
		}
	}
	var seen []string
	for i := range to.NICs {
		for _, x := range to.NICs[i].Addresses {
			if x.Addr().IsLoopback() && wanted != x.Addr() || x.Addr().IsLinkLocalUnicast() {
				continue
			}
			seen = append(seen, x.Addr().String())
			if wanted.IsValid() && x.Addr() != wanted {
				continue
			}
			for k := range from.NICs {
				for _, y := range from.NICs[k].Addresses {
					if y.Masked() != x.Masked() {
						continue
					}
					p, q := port(&from.NICs[k], y), port(&to.NICs[i], x)
					if a == nil || min(p.Speed, q.Speed) > min(a.Speed, b.Speed) {
						a, b = p, q
					}
				}
			}
		}
	}
	if a == nil {
		return nil, nil, notShared(wanted, seen, addresses(from))
	}
	return a, b, nil
}

// notShared explains why no pair of addresses can be measured.
func notShared(wanted netip.Addr, there, here []string) error {
	list := func(all []string) string {
		if len(all) == 0 {
			return "none"
		}
		return strings.Join(all, ", ")
	}
	switch {
	case wanted.IsValid() && !slices.Contains(there, wanted.String()):
		return cli.Advise(fmt.Errorf("--to-address %s: the end of --to does not have this address", wanted),
			"write one of them").Note(fmt.Sprintf("it has %s", list(there)))
	case wanted.IsValid():
		return cli.Advise(
			fmt.Errorf("--to-address %s: the end of --from has no address in its subnet, only %s", wanted, list(here)),
			"choose another address, or give from one there")
	}
	return cli.Advise(
		fmt.Errorf("no subnet is shared by both ends: --from has %s, --to has %s", list(here), list(there)),
		"give both an address in one subnet")
}

// addresses are those of a host, without loopback and link-local ones.
func addresses(f *facts.Facts) (all []string) {
	for _, n := range f.NICs {
		for _, x := range n.Addresses {
			if !x.Addr().IsLoopback() && !x.Addr().IsLinkLocalUnicast() {
				all = append(all, x.Addr().String())
			}
		}
	}
	return all
}

// MtusDiffer warns of ends of one subnet with different MTUs: the smaller one is measured.
func MtusDiffer(hosts []*plan.Host) (out []string) {
	type ends struct{ smallest, largest *plan.Port }
	of := map[netip.Prefix]*ends{}
	var subnets []netip.Prefix
	for _, h := range hosts {
		for _, q := range h.Ports {
			if q.MTU <= 0 {
				continue
			}
			subnet := q.Address.Masked()
			e := of[subnet]
			if e == nil {
				e = &ends{q, q}
				of[subnet], subnets = e, append(subnets, subnet)
			}
			if q.MTU < e.smallest.MTU {
				e.smallest = q
			}
			if q.MTU > e.largest.MTU {
				e.largest = q
			}
		}
	}
	for _, subnet := range subnets {
		a, b := of[subnet].smallest, of[subnet].largest
		if a.MTU != b.MTU {
			out = append(out, fmt.Sprintf(
				"%s of %s has MTU %d, %s of %s has %d: figures and ceilings are for %d, and a network must have one; where "+
					"every switch between takes it: ip link set %s mtu %d on %s", a.Interface, a.Host, a.MTU, b.Interface, b.Host,
				b.MTU, a.MTU, a.Interface, b.MTU, a.Host))
		}
	}
	return out
}

// RateAbove warns of a declared rate above that of an end's interface.
func RateAbove(rate unit.BitRate, end string, p *plan.Port) []string {
	if p.Speed == 0 || rate <= p.Speed {
		return nil
	}
	return []string{
		fmt.Sprintf("--link %s is above the speed of %s of %s, %s; the ceilings are computed with --link", rate,
			p.Interface, end, p.Speed),
	}
}

// PaceAbove warns of a pace above the link's rate.
func (f Flags) PaceAbove(link unit.BitRate) []string {
	pace, err := unit.ParseBitRate(f.Settings.Text("pace"))
	if err != nil || link == 0 || pace <= link {
		return nil
	}
	return []string{fmt.Sprintf("--pace %s is above the link's rate, %s: it limits nothing", pace, link)}
}

func port(n *facts.Interface, address netip.Prefix) *plan.Port {
	return &plan.Port{Interface: n.Name, Declared: true, Index: 1, MTU: n.MTU, Address: address, Speed: n.Speed.Or(0)}
}

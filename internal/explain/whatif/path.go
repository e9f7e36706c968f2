package whatif

import (
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/facts"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// changedPlan plans the same fabric again with another MTU and other slots.
func changedPlan(p *plan.Plan, change record.Change) *plan.Plan {
	if change.MTU == 0 && len(change.Slots) == 0 {
		return p
	}
	if len(p.Fabric.Hosts) == 0 {
		return withMTU(p, change.MTU) // measured with flags: there is no file to plan from
	}
	f := *p.Fabric
	if change.MTU > 0 {
		f.MTU = change.MTU
		f.Links = slices.Clone(f.Links)
		for i, l := range f.Links {
			with := *l
			with.MTU = 0 // the fabric's
			f.Links[i] = &with
		}
	}
	if len(change.Slots) > 0 {
		f.Hosts = slices.Clone(f.Hosts)
		for i, h := range f.Hosts {
			host := *h
			host.NICs = slices.Clone(h.NICs)
			for j, n := range h.NICs {
				nic := *n
				nic.Slot = slotOf(host.Name+"."+n.Name, n, change)
				host.NICs[j] = &nic
			}
			f.Hosts[i] = &host
		}
	}
	return plan.Build(&f)
}

// withMTU returns a plan with another MTU at every port and link; 0: unchanged.
func withMTU(p *plan.Plan, mtu int) *plan.Plan {
	if mtu == 0 {
		return p
	}
	out := *p
	out.MTU, out.Hosts, out.Links = mtu, nil, nil
	for _, h := range p.Hosts {
		host := *h
		host.Ports = nil
		for _, x := range h.Ports {
			port := *x
			port.MTU = mtu
			host.Ports = append(host.Ports, &port)
		}
		out.Hosts = append(out.Hosts, &host)
	}
	for _, l := range p.Links {
		link := *l
		link.MTU = mtu
		out.Links = append(out.Links, &link)
	}
	return &out
}

// slotOf returns the new slot of a NIC: a change for this NIC precedes one for all.
func slotOf(nic string, n *fabric.NIC, change record.Change) string {
	slot := n.Slot
	for _, s := range change.Slots {
		if s.NIC == "" && n.VF == "" {
			slot = s.Bus
		}
	}
	for _, s := range change.Slots {
		if s.NIC == nic {
			slot = s.Bus
		}
	}
	return slot
}

// conditions returns the conditions of the path after the experiment, or, with otherwise, as they would be with the
// change.
func (q *question) conditions(otherwise bool) path.Conditions {
	c := path.Conditions{From: q.facts(q.way.From, q.way.FromPort, otherwise),
		To: q.facts(q.way.To, q.way.ToPort, otherwise), Scale: 1}
	if q.run.Lab != nil {
		c.Lab, c.Scale = true, q.run.Lab.Scale
	}
	for _, l := range q.way.Links {
		c.VLAN = c.VLAN || l.VLAN != 0
	}
	c.Duplex, c.Streams = q.duplex, q.streams
	if otherwise {
		c.Streams = q.then()
		c.Slots = len(q.change.Slots) > 0 || q.change.Rate > 0
		c.ShapedMTU = q.change.MTU // the lab shapes its links again for another MTU
	}
	if c.ShapedMTU == 0 {
		c.ShapedMTU = path.MTU(q.way, path.Conditions{From: c.From, To: c.To})
		if asked, ok := number(q.Exp.Settings["mtu"]); ok {
			c.ShapedMTU = asked
		}
	}
	return c
}

// facts returns the facts of an end, or, with otherwise, as they would be with another MTU or link.
func (q *question) facts(host string, port *plan.Port, otherwise bool) *facts.Facts {
	side := q.Sender
	if q.Receiver.Host == host {
		side = q.Receiver
	}
	have := side.Shots.After
	if have == nil || !otherwise || port == nil {
		return have
	}
	f := *have
	f.NICs = slices.Clone(have.NICs)
	for i := range f.NICs {
		if n := &f.NICs[i]; n.Name == port.Interface {
			if q.change.MTU > 0 {
				n.MTU = q.change.MTU
			}
			if q.change.Rate > 0 {
				n.Speed = unit.Known(q.change.Rate)
			}
			if q.run.Lab != nil && !q.shaped() {
				n.Qdiscs = nil // the lab's shaper stands for the link, and is made again for another one
			}
		}
	}
	return &f
}

// shaped reports whether the path had a shaper that is not the link itself.
func (q *question) shaped() bool {
	return q.Exp.Ceiling != nil && slices.ContainsFunc(q.Exp.Ceiling.Hops,
		func(h record.Hop) bool { return h.Kind == "shaper" })
}

// chain returns the path's ceilings, and the payload of a full packet in bytes.
func (q *question) chain(way plan.Path, otherwise bool) (record.Chain, float64) {
	c := q.conditions(otherwise)
	if otherwise && q.change.Rate > 0 {
		way = faster(way, q.change.Rate)
	}
	if q.OverUDP() {
		size := 0
		if b, err := unit.ParseBytes(q.Exp.Settings["size"]); err == nil {
			size = int(b)
		}
		payload := path.UDPSize(way, c)
		if size > 0 {
			payload = min(payload, size)
		}
		return path.UDP(way, q.Exp.Direction, size, c), float64(payload)
	}
	frame := path.Frame(way, c)
	return path.TCP(way, q.Exp.Direction, c), float64(frame.Segment())
}

// faster returns the path with links and ports of another rate.
func faster(way plan.Path, rate unit.BitRate) plan.Path {
	from, to := *way.FromPort, *way.ToPort
	from.Speed, to.Speed = rate, rate
	way.FromPort, way.ToPort = &from, &to
	way.Links = slices.Clone(way.Links)
	for i, l := range way.Links {
		link := *l
		link.Speed = rate
		way.Links[i] = &link
	}
	way.Bundles = slices.Clone(way.Bundles)
	for i, b := range way.Bundles {
		if b == nil {
			continue
		}
		bundle := *b
		bundle.Links = slices.Clone(b.Links)
		for j, l := range b.Links {
			link := *l
			link.Speed = rate
			bundle.Links[j] = &link
		}
		way.Bundles[i] = &bundle
		for _, port := range []*plan.Port{&from, &to} {
			if bundle.Joins(port) {
				port.Speed = bundle.Speed()
			}
		}
	}
	return way
}

// already reports whether the path already has the changed values. It is false for values that only a measurement has
// (TCP windows, round trips, drives).
func (q *question) already(then plan.Path) bool {
	if q.change.RTT > 0 || q.change.Interval > 0 || q.change.Drive > 0 || q.then() != q.streams {
		return false
	}
	if q.change.MTU > 0 && path.MTU(q.way, q.conditions(false)) != q.change.MTU {
		return false
	}
	if q.change.Rate > 0 && (q.way.FromPort.Speed != q.change.Rate || q.way.ToPort.Speed != q.change.Rate ||
		slices.ContainsFunc(q.way.Links, func(l *plan.Link) bool { return l.Speed != q.change.Rate })) {
		return false
	}
	return q.way.FromPort.Slot == then.FromPort.Slot && q.way.ToPort.Slot == then.ToPort.Slot
}

// hops adds the chain's ceilings and returns its lowest, 0 if none is known. A cable and its two ports are one
// limit, and are named once.
func (q *question) hops(then plan.Path) float64 {
	_, before := q.chain(q.way, false)
	chain, after := q.chain(then, true)
	q.packets = [2]float64{max(before, 1), max(after, 1)}
	lowest := 0.0
	for _, h := range chain.Hops {
		r, ok := h.Rate.Get()
		v := float64(r)
		switch {
		case !ok && h.Kind == "cpu": // computed from what the run measured
		case !ok:
			q.missing(h.Component, h.Why)
		case h.Kind == "port" && slices.ContainsFunc(chain.Hops, func(o record.Hop) bool {
			r, ok := o.Rate.Get()
			return ok && o.Kind == "cable" && float64(r) <= v*1.001
		}):
		default:
			q.add(record.NextCeiling{Component: h.Component, Kind: h.Kind, Band: band(v, v), Origin: originOf(h.Inputs),
				Formula: h.Formula, Inputs: h.Inputs,
				Today: q.Exp.Verdict != nil && q.Exp.Verdict.Component == h.Component || q.Exp.Verdict != nil &&
					q.Exp.Verdict.Limiter == cause.LocalShaper.ID && h.Kind == "shaper"})
		}
		if ok && (lowest == 0 || v < lowest) {
			lowest = v
		}
	}
	return lowest
}

// originOf returns computed, or assumed if a formula has an input that was not given.
func originOf(in []record.Input) string {
	if slices.ContainsFunc(in, func(i record.Input) bool { return i.Origin == record.Assumed }) {
		return "assumed"
	}
	return "computed"
}

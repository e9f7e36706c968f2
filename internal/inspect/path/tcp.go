package path

import (
	"cmp"
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Conditions are what a path's ceilings depend on in addition to the plan. Facts may be nil: then the plan's values are
// assumed to be in effect.
type Conditions struct {
	From, To *facts.Facts
	// Lab is set where speed and PCIe come from the plan, times Scale, and are simulated.
	Lab   bool
	Scale float64 // 1 outside the lab
	VLAN  bool
	// ShapedMTU is the MTU that the lab's shapers were set for, 0 for the plan's: a link with another MTU at one end keeps
	// the rate of its shaper, not that of an Ethernet wire.
	ShapedMTU int
	// Slots makes a slot below its link count in the lab, too, where nothing limits slots: the result is what the slot
	// would allow.
	Slots bool
	// Streams are the connections in each direction; 0: not known, and assumed to be enough for all members of a bond.
	Streams int
	// Duplex is set where other flows fill the reverse direction at the same time, so that this direction carries their
	// acknowledgements.
	Duplex bool

	rdma *RDMA // nil: TCP or UDP
}

// end is one end of the traffic with everything known about it.
type end struct {
	host  string
	port  *plan.Port
	facts *facts.Facts
}

func (e end) nic() *facts.Interface {
	if e.facts == nil || e.port == nil {
		return nil
	}
	return e.facts.NIC(e.port.Interface)
}

// TCP returns the chain of ceilings for TCP payload over the path. Direction out: From sends; in: To sends; both: the
// sum of both directions at once.
func TCP(p plan.Path, direction string, c Conditions) record.Chain {
	return chain(p, direction, "tcp", 0, c)
}

// chain returns the chain of ceilings of a transport; message is the size of UDP messages.
func chain(p plan.Path, direction, transport string, message int, c Conditions) record.Chain {
	if c.ShapedMTU == 0 && p.FromPort != nil {
		c.ShapedMTU = p.FromPort.MTU
	}
	c.Scale = cmp.Or(c.Scale, 1)
	sender := end{p.From, p.FromPort, c.From}
	receiver := end{p.To, p.ToPort, c.To}
	links := p.Links
	if direction == "in" {
		sender, receiver = receiver, sender
		links = reversed(links)
	}
	b := &builder{c: c, both: direction == "both", duplex: direction == "both" || c.Duplex, message: message,
		frame: Frame(p, c)}
	b.ends(sender, true)
	for i, l := range links {
		at := i
		if direction == "in" {
			at = len(links) - 1 - i
		}
		if bundle := p.Bundle(at); bundle != nil {
			b.bundle(bundle, sender, receiver)
		} else {
			b.link(l, receiver)
		}
		if i < len(links)-1 {
			b.unknown("switch", "switch between "+l.Name+" and "+links[i+1].Name,
				"not measured; taken to forward at the rate of its ports")
		}
	}
	b.ends(receiver, false)
	b.shapeBoth()
	out := record.Chain{From: p.From, To: p.To, Direction: direction, Transport: transport, Hops: b.hops}
	pick(&out)
	return out
}

func reversed(in []*plan.Link) []*plan.Link {
	out := make([]*plan.Link, len(in))
	for i, l := range in {
		out[len(in)-1-i] = l
	}
	return out
}

// Frame returns the Ethernet framing of TCP on the path: the smaller MTU of both ends, which TCP negotiates, and
// timestamps where both ends have them on. What a host's facts do not have is the default of its system.
func Frame(p plan.Path, c Conditions) ceiling.Ethernet {
	e := ceiling.Ethernet{MTU: MTU(p, c), Timestamps: true, VLAN: c.VLAN && !c.Lab}
	for i, f := range []*facts.Facts{c.From, c.To} {
		on := !p.NoTimestamps[i] || c.Lab // a lab's hosts are Linux
		if f != nil {
			on = f.TCP.Timestamps.Or(on)
		}
		e.Timestamps = e.Timestamps && on
	}
	if p.FromPort != nil && p.FromPort.Address.IsValid() {
		e.IPv6 = p.FromPort.Address.Addr().Is6()
	}
	return e
}

// MTU returns the smaller MTU of both ends' interfaces in their facts, or else the planned one.
func MTU(p plan.Path, c Conditions) int {
	mtu := 0
	for _, e := range []end{{p.From, p.FromPort, c.From}, {p.To, p.ToPort, c.To}} {
		m := 0
		if e.port != nil {
			m = e.port.MTU
		}
		if n := e.nic(); n != nil && n.MTU > 0 {
			m = n.MTU
		}
		if m > 0 && (mtu == 0 || m < mtu) {
			mtu = m
		}
	}
	return mtu
}

// builder gathers the hops of one chain.
type builder struct {
	c       Conditions
	both    bool // the result is the sum of both directions
	duplex  bool // both directions carry data
	message int  // of UDP; 0: TCP
	frame   ceiling.Ethernet
	hops    []record.Hop
	shapers []oneWay // of both directions at once
}

// oneWay is the place of a shaper among the hops, and the ceiling that it sets for one direction.
type oneWay struct {
	hop    int
	sender bool // of the chain; else the receiver, which sends too
	rate   unit.BitRate
}

func (b *builder) unknown(kind, component, why string) {
	b.hops = append(b.hops, record.Hop{Component: component, Kind: kind, Layer: record.LayerGoodput,
		Rate: unit.Unknown[unit.BitRate](why), Why: why})
}

func (b *builder) add(kind, component string, layer record.Layer, c ceiling.Ceiling, err error) {
	if err != nil {
		b.unknown(kind, component, err.Error())
		return
	}
	rate := c.Rate
	if b.both {
		rate *= 2
		c.Formula = "2 x (" + c.Formula + ")"
	}
	b.hops = append(b.hops, record.Hop{Component: component, Kind: kind, Layer: layer, Rate: unit.Known(rate),
		Formula: c.Formula, Inputs: c.Inputs})
}

// ends adds the hops inside a host, in the order in which a byte passes them.
func (b *builder) ends(e end, sending bool) {
	hops := []func(end, bool){b.memory, b.cpu, b.slot, b.port, b.shaper}
	if !sending {
		hops = []func(end, bool){b.port, b.slot, b.cpu, b.memory}
		if b.both {
			hops = append([]func(end, bool){b.shaper}, hops...)
		}
	}
	for _, hop := range hops {
		hop(e, sending)
	}
}

func (b *builder) memory(e end, _ bool) {
	b.unknown("memory", "memory of "+e.host, "not measured")
}

func (b *builder) cpu(e end, _ bool) {
	b.unknown("cpu", "CPU of "+e.host, "not measured (cost per packet and byte)")
}

// origin returns the origin of a rate that the plan declares.
func (b *builder) origin() record.Origin {
	if b.c.Lab {
		return record.Simulated
	}
	return record.Declared
}

// goodput converts the rate of a wire into the goodput of each direction. For TCP in both directions at once, it
// subtracts the acknowledgements of the other direction.
func (b *builder) goodput(rate unit.BitRate) (ceiling.Ceiling, error) {
	if b.c.rdma != nil {
		return b.overRDMA(rate)
	}
	if b.otherMTU() {
		set, err := ceiling.ShaperRate(rate, b.c.ShapedMTU)
		if err != nil {
			return ceiling.Ceiling{}, err
		}
		return b.shaped(set)
	}
	if b.message > 0 {
		return ceiling.UDPMessages(rate, b.frame, b.message)
	}
	if b.duplex {
		return ceiling.TCPBothWays(rate, b.frame, segmentsPerAck)
	}
	return ceiling.TCPOverEthernet(rate, b.frame)
}

// otherMTU reports whether a lab's shaper was set for another MTU than that of the traffic. The rate of the link is
// then not an input of its ceiling, but the shaper's.
func (b *builder) otherMTU() bool {
	return b.c.rdma == nil && b.c.Lab && b.c.ShapedMTU != 0 && b.c.ShapedMTU != b.frame.MTU
}

// segmentsPerAck is the largest number of segments that one acknowledgement covers: with receive offload the kernel
// acknowledges super-packets of 64 KiB. The ceiling assumes the largest, or a good NIC would exceed it.
const segmentsPerAck = 45

func (b *builder) port(e end, _ bool) {
	if e.port == nil {
		return
	}
	component := "port " + e.port.ID
	rate, origin, name := e.port.Speed, b.origin(), "planned rate of the port"
	if n := e.nic(); n != nil && !b.c.Lab {
		if r, ok := n.Speed.Get(); ok && r > 0 {
			rate, origin, name = r, record.Measured, "speed of "+n.Name
		}
	}
	if rate == 0 {
		b.unknown("port", component, "neither the file, the catalogue nor the host says its speed")
		return
	}
	c, err := b.goodput(b.scaled(rate))
	b.add("port", component, record.LayerWire, b.ofWire(c, name, origin), err)
}

func (b *builder) scaled(r unit.BitRate) unit.BitRate {
	if b.c.Lab {
		return r * unit.BitRate(b.c.Scale)
	}
	return r
}

// ofWire names the rate of the link or the port from which a ceiling was computed, and its origin.
func (b *builder) ofWire(c ceiling.Ceiling, name string, o record.Origin) ceiling.Ceiling {
	return named(c, unit.If(b.otherMTU(), "rate of the lab's shaper", name), o)
}

// named sets the name and origin of the first input, the rate.
func named(c ceiling.Ceiling, name string, o record.Origin) ceiling.Ceiling {
	in := append([]record.Input(nil), c.Inputs...)
	if len(in) > 0 {
		in[0].Name, in[0].Origin = name, o
	}
	c.Inputs = in
	return c
}

func (b *builder) link(l *plan.Link, _ end) {
	component := "link " + l.Name
	if l.Speed == 0 {
		b.unknown("cable", component, "neither the file nor the catalogue says its speed")
		return
	}
	c, err := b.goodput(b.scaled(l.Speed))
	b.add("cable", component, record.LayerWire, b.ofWire(c, "planned rate of the link", b.origin()), err)
}

// shaper adds the queueing disciplines that limit the sender's interface. In the lab the link itself is such a shaper:
// one that allows at least the planned goodput is the link, and not shown again.
func (b *builder) shaper(e end, sending bool) {
	n := e.nic()
	if n == nil {
		return
	}
	for _, q := range n.Qdiscs {
		rate, ok := q.Rate.Get()
		if !ok || rate == 0 {
			continue
		}
		c, err := b.shaped(rate)
		if err == nil && b.c.Lab && e.port != nil && e.port.Speed > 0 {
			// This is the rounding of the lab's own shaper.
			if link, lerr := b.goodput(b.scaled(e.port.Speed)); lerr == nil && c.Rate >= link.Rate*0.995 {
				continue
			}
		}
		if b.both && err == nil {
			b.shapers = append(b.shapers, oneWay{len(b.hops), sending, c.Rate})
		}
		b.add("shaper", fmt.Sprintf("%s on %s of %s", q.Kind, n.Name, e.host), record.LayerWire,
			named(c, "rate of "+q.Kind, record.Measured), err)
	}
}

// shapeBoth sets what both directions get together where a shaper limits one of them: the shaper's ceiling, and the
// lowest one of the other direction.
func (b *builder) shapeBoth() {
	link, known := unit.BitRate(0), false
	for _, h := range b.hops {
		if r, ok := h.Rate.Get(); ok && h.Kind != "shaper" && (!known || r/2 < link) {
			link, known = r/2, true
		}
	}
	for _, s := range b.shapers {
		other, ok := link, known
		for _, o := range b.shapers {
			if o.sender != s.sender && (!ok || o.rate < other) {
				other, ok = o.rate, true
			}
		}
		h := &b.hops[s.hop]
		if !ok {
			h.Why = "the ceiling of the other direction is not known"
			h.Rate, h.Formula, h.Inputs = unit.Unknown[unit.BitRate](h.Why), "", nil
			continue
		}
		h.Rate = unit.Known(s.rate + other)
		h.Formula = strings.TrimPrefix(h.Formula, "2 x ") + " + other"
		h.Inputs = append(h.Inputs, record.Input{Name: record.OtherDirection, Value: float64(other),
			Origin: b.origin()})
	}
}

// pick finds the lowest hop of a chain. Of hops within a thousandth of each other it prefers the link, because users
// expect that name.
func pick(c *record.Chain) {
	first := true
	for _, h := range c.Hops {
		r, ok := h.Rate.Get()
		if !ok {
			c.AtMost = true
			continue
		}
		lower := first || r < c.Limit*0.999
		same := !first && r <= c.Limit*1.001 && h.Kind == "cable" && !strings.HasPrefix(c.Component, "link ")
		if lower || same {
			c.Limit, c.Component, c.Layer, first = r, h.Component, h.Layer, false
		}
	}
}

package path

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"linerate/ceiling"
	"linerate/unit"
)

// Asked is what ceilings are asked for without a plan. What is zero is not asked for.
type Asked struct {
	Rate       unit.BitRate // of an Ethernet link
	InfiniBand string       // SDR to EDR, in place of a rate
	Lanes      int          // of InfiniBand
	Frame      ceiling.Ethernet
	PathMTU    int // of RDMA; 0: what the MTU allows
	Markers    bool
	IO         unit.Bytes // a request, or a message
	Both       bool       // both directions at once; each is told

	PCIe           string // 3.0x8
	Payload        int    // MaxPayload
	Window         unit.Bytes
	RTT            time.Duration
	Loss           float64
	Drive          string // its bus, sata3, or what it does by itself, 3GB/s
	Depth          int    // requests under way at once
	Latency        time.Duration
	PerPacket      time.Duration // of one core
	PerByte        float64       // of one core, in seconds
	Copies, Nodes  int
	WithoutLink    bool // nobody named a rate
	payloadAssumed bool
}

// Figure is something that follows from a chain beside its rate.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // "1/s", "b/s", "B"
	Text  string  `json:"-"`
}

// Chain is one hop for each that is asked for, the way of the data from a drive to the link, and the lowest of them; what
// cannot be reckoned is among the errors.
func (a Asked) Chain(t Transport) (Chain, []Figure, []error) {
	if a.Payload == 0 {
		a.Payload, a.payloadAssumed = assumedPayload, true
	}
	if t.io > 0 && a.IO == 0 {
		a.IO = t.io
	}
	out := Chain{Direction: "out", Transport: t.Name}
	if a.Both {
		out.Direction = "both"
	}
	var wrong []error
	add := func(kind, component string, layer Layer, c ceiling.Ceiling, err error) {
		if err != nil {
			wrong = append(wrong, err)
			return
		}
		out.Hops = append(out.Hops, Hop{Component: component, Kind: kind, Layer: layer, Rate: unit.Known(c.Rate), Formula: c.Formula, Inputs: c.Inputs})
	}
	if a.Drive != "" {
		component := "bus of the drive, " + a.Drive
		c, err := ceiling.DriveInterface(a.Drive)
		if rate, is := unit.ParseBitRate(a.Drive); is == nil && rate > 0 {
			component, err = "the drive, "+a.Drive, nil
			c = ceiling.Ceiling{Rate: rate, Formula: "rate", Inputs: []ceiling.Input{{Name: "rate", Value: float64(rate), Origin: ceiling.Declared}}}
		}
		add("drive", component, Block, c, err)
	}
	if a.Depth > 0 || a.Latency > 0 {
		c, err := ceiling.Pipeline(a.Depth, a.IO, a.Latency)
		add("requests", fmt.Sprintf("%d requests of %v at once", a.Depth, a.IO), Goodput, c, err)
	}
	if a.PerPacket > 0 || a.PerByte > 0 {
		c, err := ceiling.CPU(a.PerPacket.Seconds(), a.PerByte, unit.Bytes(a.Frame.Segment()))
		add("cpu", "one core", Goodput, c.With("per_packet", ceiling.Declared).With("per_byte", ceiling.Declared), err)
	}
	a.bus(t, add)
	var link ceiling.Ceiling
	if !a.WithoutLink && t.link != nil {
		var err error
		link, err = t.link(a)
		if err == nil && t.head > 0 {
			link, err = ceiling.Framed(link, a.IO, t.head)
		}
		add("cable", "link", Wire, link, err)
	}
	if a.Window > 0 {
		c, err := ceiling.Window(a.Window, a.RTT)
		add("window", "window of "+a.Window.String(), Goodput, c, err)
	}
	if a.Loss > 0 {
		c, err := ceiling.Loss(unit.Bytes(a.Frame.Segment()), a.RTT, a.Loss)
		add("loss", "loss of "+unit.Percent(a.Loss)+" (Reno)", Goodput, c, err)
	}
	if a.Copies > 0 && len(wrong) == 0 {
		network := link
		if a.WithoutLink {
			wrong = append(wrong, errors.New("--copies: the copies cross a network; name its rate: --rate 25G"))
		} else {
			c, err := ceiling.Replicated(network, a.Copies, a.Nodes)
			add("copies", fmt.Sprintf("writes of each of %d nodes, %d copies", a.Nodes, a.Copies), Goodput, c, err)
		}
	}
	if len(wrong) > 0 {
		return Chain{}, nil, wrong
	}
	out.pick()
	return out, a.figures(t, out), nil
}

// Assumed are the inputs of a chain's formulas that nobody has said, once each.
func (c Chain) Assumed() []ceiling.Input {
	var out []ceiling.Input
	for _, h := range c.Hops {
		for _, in := range h.Inputs {
			if in.Origin == ceiling.Assumed && !slices.Contains(out, in) {
				out = append(out, in)
			}
		}
	}
	return out
}

// bus adds the card's bus: what it sends it reads from memory, what it receives it writes there.
func (a Asked) bus(t Transport, add func(kind, component string, layer Layer, c ceiling.Ceiling, err error)) {
	if a.PCIe == "" {
		return
	}
	p, err := ceiling.ParsePCIe(a.PCIe, a.Payload)
	if err != nil {
		add("", "", TLP, ceiling.Ceiling{}, err)
		return
	}
	type way struct {
		name string
		of   func(ceiling.PCIe) (ceiling.Ceiling, error)
	}
	ways := []way{{"sending", ceiling.PCIeRead}, {"receiving", ceiling.PCIeWrite}}
	if a.Both {
		ways = []way{{"both ways at once, each", ceiling.PCIeBothWays}}
	}
	for _, w := range ways {
		c, err := w.of(p)
		if err == nil && a.payloadAssumed {
			c = c.With("payload", ceiling.Assumed)
		}
		if err == nil && t.onBus != nil {
			payload, frame := t.onBus(a)
			c.Rate *= unit.BitRate(payload / frame)
			c.Formula = fmt.Sprintf("(%s) * %.0f / %.0f", c.Formula, payload, frame)
		}
		if err == nil && t.head > 0 {
			c, err = ceiling.Framed(c, a.IO, t.head)
		}
		add("pcie", fmt.Sprintf("PCIe %s, %s", a.PCIe, w.name), TLP, c, err)
	}
}

// figures is what else is said of the chain: packets and requests a second, what a system's own counter shows of the
// full link, and the window that fills it.
func (a Asked) figures(t Transport, c Chain) []Figure {
	var out []Figure
	put := func(name string, v float64, unitName, text string) {
		out = append(out, Figure{name, v, unitName, text})
	}
	if t.link != nil && !a.WithoutLink && t.Name != "ib" {
		if t.Name != "rocev1" && t.Name != "rocev2" && (t.Name != "udp" || a.IO == 0) {
			if n, err := ceiling.PacketRate(a.Rate, a.Frame); err == nil {
				put("packets_per_second", n, "1/s", unit.Count(n)+" full packets a second on the link")
			}
			if l, err := ceiling.Layer2(a.Rate, a.Frame); err == nil {
				put("layer2_bits_per_second", float64(l.Rate), "b/s", l.Rate.String()+" is what the system's own counter shows of the full link (frames, not payload)")
			}
		}
		if a.RTT > 0 && t.tcp {
			if w, err := ceiling.WindowFor(a.Rate, a.RTT); err == nil {
				put("window_bytes", float64(w), "B", w.String()+" of window fill the link at a round trip of "+unit.Seconds(a.RTT.Seconds()))
			}
		}
	}
	if p, err := ceiling.ParsePCIe(a.PCIe, a.Payload); err == nil {
		if k, err := ceiling.KernelRate(p); err == nil {
			put("pcie_kernel_bits_per_second", float64(k), "b/s", fmt.Sprintf("%.3f Gb/s is what Linux says of the bus in its log (available PCIe bandwidth), packets' heads and all", float64(k)/1e9))
		}
	}
	if a.IO > 0 && c.Limit > 0 {
		what := "requests"
		if t.head == 0 && t.Name != "" {
			what = "messages"
		}
		n := float64(c.Limit) / 8 / float64(a.IO)
		put("requests_per_second", n, "1/s", fmt.Sprintf("%s %s of %v a second at most", unit.Count(n), what, a.IO))
	}
	if a.Copies > 0 {
		for _, h := range c.Hops {
			if r, ok := h.Rate.Get(); ok && h.Kind == "copies" {
				all := r * unit.BitRate(a.Nodes)
				put("writes_bits_per_second", float64(all), "b/s", fmt.Sprintf("%v (%s) all %d nodes write together", all, all.BytesPerSecond(), a.Nodes))
			}
		}
	}
	return out
}

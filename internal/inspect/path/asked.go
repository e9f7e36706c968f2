package path

import (
	"errors"
	"fmt"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

// Asked describes a path whose ceilings are computed without a plan. Zero fields are not part of it.
type Asked struct {
	Rate       unit.BitRate // of an Ethernet link
	InfiniBand string       // SDR to EDR, instead of a rate
	Lanes      int          // of InfiniBand
	Frame      ceiling.Ethernet
	PathMTU    int // of RDMA; 0: the largest that the MTU allows
	Markers    bool
	IO         unit.Bytes // size of a request, or of a message
	Both       bool       // both directions at once; each has a figure

	PCIe           string // 3.0x8
	Payload        int    // MaxPayload
	Interval       unit.Bytes
	RTT            time.Duration
	Loss           float64
	Drive          string // its bus, sata3, or its own rate, 3GB/s
	Depth          int    // requests in flight
	Latency        time.Duration
	PerPacket      time.Duration // of one core
	PerByte        float64       // of one core, in seconds
	Layout         string        // of several drives: raid6, mirror3
	Drives         int
	Copies, Nodes  int
	Writer         string // of the ceiling.Writer words; empty: spread
	Reading        bool   // reads from a volume or a cluster, instead of writes
	WithoutLink    bool   // no rate was given
	payloadAssumed bool
}

// Figure is a value that follows from a chain in addition to its rate.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // "1/s", "b/s", "B"
	Text  string  `json:"-"`
}

// Chain returns one hop for each component, in the direction of the data from a drive to the link, and the lowest of
// them. Hops that cannot be computed are errors.
func (a Asked) Chain(t Transport) (record.Chain, []Figure, []error) {
	if a.Payload == 0 {
		a.Payload, a.payloadAssumed = assumedPayload, true
	}
	if t.io > 0 && a.IO == 0 {
		a.IO = t.io
	}
	out := record.Chain{Direction: "out", Transport: t.Name}
	if a.Both {
		out.Direction = "both"
	}
	var wrong []error
	add := func(kind, component string, layer record.Layer, c ceiling.Ceiling, err error) {
		if err != nil {
			wrong = append(wrong, err)
			return
		}
		out.Hops = append(out.Hops, record.Hop{Component: component, Kind: kind, Layer: layer, Rate: unit.Known(c.Rate),
			Formula: c.Formula, Inputs: c.Inputs})
	}
	if a.Drive != "" {
		component := "bus of the drive, " + a.Drive
		c, err := ceiling.DriveInterface(a.Drive)
		if rate, is := unit.ParseBitRate(a.Drive); is == nil && rate > 0 {
			component, err = "the drive, "+a.Drive, nil
			c = ceiling.Ceiling{Rate: rate, Formula: "rate", Inputs: []record.Input{{Name: "rate", Value: float64(rate),
				Origin: record.Declared}}}
		}
		if a.Layout == "" || err != nil {
			add("drive", component, record.LayerBlock, c, err)
		} else {
			a.layout(c, add)
		}
	}
	if a.Depth > 0 || a.Latency > 0 {
		c, err := ceiling.Pipeline(a.Depth, a.IO, a.Latency)
		add("requests", fmt.Sprintf("%d requests of %v at once", a.Depth, a.IO), record.LayerGoodput, c, err)
	}
	if a.PerPacket > 0 || a.PerByte > 0 {
		c, err := ceiling.CPU(a.PerPacket.Seconds(), a.PerByte, unit.Bytes(a.Frame.Segment()))
		add("cpu", "one core", record.LayerGoodput, c.With("per_packet", record.Declared).With("per_byte", record.Declared),
			err)
	}
	a.bus(t, add)
	var link ceiling.Ceiling
	if !a.WithoutLink && t.link != nil {
		var err error
		link, err = t.link(a)
		if err == nil && t.head > 0 {
			link, err = ceiling.Framed(link, a.IO, t.head)
		}
		if !a.Reading || a.Copies == 0 || err != nil { // a node's own data does not cross it
			add("cable", "link", record.LayerWire, link, err)
		}
	}
	if a.Interval > 0 {
		c, err := ceiling.TCPWindow(a.Interval, a.RTT)
		add("window", "window of "+a.Interval.String(), record.LayerGoodput, c, err)
	}
	if a.Loss > 0 {
		c, err := ceiling.Loss(unit.Bytes(a.Frame.Segment()), a.RTT, a.Loss)
		add("loss", "loss of "+unit.ExactPercent(a.Loss)+" (Reno)", record.LayerGoodput, c, err)
	}
	if a.Copies > 0 && len(wrong) == 0 {
		network := link
		if a.WithoutLink {
			wrong = append(wrong, errors.New("--copy-mode: the copies cross a network; name its rate: --link 25G"))
		} else {
			a.copied(network, add)
		}
	}
	if len(wrong) > 0 {
		return record.Chain{}, nil, wrong
	}
	pick(&out)
	return out, a.figures(t, out), nil
}

// layout adds the rate at which a set of drives reads and writes.
func (a Asked) layout(drive ceiling.Ceiling, add func(kind, component string, layer record.Layer, c ceiling.Ceiling,
	err error)) {
	l, err := ceiling.ParseLayout(a.Layout, a.Drives)
	if err != nil {
		add("layout", a.Layout, record.LayerBlock, ceiling.Ceiling{}, err)
		return
	}
	if a.Reading || a.Copies == 0 {
		c, err := l.Read(drive)
		add("layout", fmt.Sprintf("%d drives, %s, reading", l.Drives, l.Name), record.LayerBlock, c, err)
	}
	if !a.Reading {
		c, err := l.Write(drive)
		add("layout", fmt.Sprintf("%d drives, %s, writing", l.Drives, l.Name), record.LayerBlock, c, err)
	}
}

// copied adds the network's ceiling for a cluster that keeps copies.
func (a Asked) copied(network ceiling.Ceiling, add func(kind, component string, layer record.Layer, c ceiling.Ceiling,
	err error)) {
	switch {
	case a.Reading:
		c, err := ceiling.ReadNear(network, a.Copies, a.Nodes)
		if err == nil && c.Rate == 0 {
			err = fmt.Errorf("%d copies on %d nodes: each node has all of it, and what is read does not cross the network",
				a.Copies, a.Nodes)
		}
		add("copies", fmt.Sprintf("reads of each of %d nodes, %d copies", a.Nodes, a.Copies), record.LayerGoodput, c, err)
	case a.Writer == ceiling.WriterMember, a.Writer == ceiling.WriterOutside:
		c, err := ceiling.Copied(network, a.Copies, a.Writer)
		whose := map[string]string{ceiling.WriterMember: "a node with a copy",
			ceiling.WriterOutside: "a host outside"}[a.Writer]
		add("copies", fmt.Sprintf("writes of %s, %d copies", whose, a.Copies), record.LayerGoodput, c, err)
	default:
		c, err := ceiling.Replicated(network, a.Copies, a.Nodes)
		add("copies", fmt.Sprintf("writes of each of %d nodes, %d copies", a.Nodes, a.Copies), record.LayerGoodput, c, err)
	}
}

// bus adds the NIC's bus: a NIC reads from memory what it sends, and writes to memory what it receives.
func (a Asked) bus(t Transport, add func(kind, component string, layer record.Layer, c ceiling.Ceiling, err error)) {
	if a.PCIe == "" {
		return
	}
	p, err := ceiling.ParsePCIe(a.PCIe, a.Payload)
	if err != nil {
		add("", "", record.LayerTLP, ceiling.Ceiling{}, err)
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
			c = c.With("payload", record.Assumed)
		}
		if err == nil && t.onBus != nil {
			payload, frame := t.onBus(a)
			c.Rate *= unit.BitRate(payload / frame)
			c.Formula = fmt.Sprintf("(%s) * %.0f / %.0f", c.Formula, payload, frame)
		}
		if err == nil && t.head > 0 {
			c, err = ceiling.Framed(c, a.IO, t.head)
		}
		add("pcie", fmt.Sprintf("PCIe %s, %s", a.PCIe, w.name), record.LayerTLP, c, err)
	}
}

// figures returns other values of the chain: packets and requests per second, the rate that a system's own counter
// shows on the full link, and the TCP window that fills it.
func (a Asked) figures(t Transport, c record.Chain) []Figure {
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
				put("layer2_bits_per_second", float64(l.Rate), "b/s", l.Rate.String()+" is what the system's own counter shows "+
					"of the full link (frames, not payload)")
			}
		}
		if a.RTT > 0 && t.tcp {
			if w, err := ceiling.TCPWindowFor(a.Rate, a.RTT); err == nil {
				put("window_bytes", float64(w), "B", w.String()+" of window fill the link at a round trip of "+
					unit.Seconds(a.RTT.Seconds()))
			}
		}
	}
	if p, err := ceiling.ParsePCIe(a.PCIe, a.Payload); err == nil {
		if k, err := ceiling.KernelRate(p); err == nil {
			put("pcie_kernel_bits_per_second", float64(k), "b/s", fmt.Sprintf("%.3f Gb/s is what Linux says of the bus in "+
				"its log (available PCIe bandwidth), with packet headers", float64(k)/1e9))
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
	if l, err := ceiling.ParseLayout(a.Layout, a.Drives); err == nil && !a.Reading {
		text := fmt.Sprintf("a small write is %d requests to drives", l.Accesses())
		if l.Accesses() == 1 {
			text = "a small write is one request to a drive"
		}
		put("accesses_per_small_write", float64(l.Accesses()), "", text)
	}
	if a.Copies > 0 {
		for _, h := range c.Hops {
			if r, ok := h.Rate.Get(); ok && h.Kind == "copies" && a.Writer != ceiling.WriterOutside {
				all := r * unit.BitRate(a.Nodes)
				name, verb := "writes_bits_per_second", "write"
				if a.Reading {
					name, verb = "reads_bits_per_second", "read"
				}
				put(name, float64(all), "b/s", fmt.Sprintf("%v (%s) all %d nodes %s together", all, all.BytesPerSecond(), a.Nodes,
					verb))
			}
		}
	}
	return out
}

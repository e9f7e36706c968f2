package figures

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// Cause is an explanation of a figure by its chain alone.
type Cause = judge.CauseOf[*Claim]

// Causes returns the causes in the order in which they are tried. The first that applies is the verdict.
func Causes() []Cause {
	return []Cause{
		{ID: "bound", Title: "a bound alone", Applies: (*Claim).isBound, Test: (*Claim).bound},
		{ID: "layer-mixed", Title: "the name of a link", Applies: (*Claim).isFigure, Test: (*Claim).nameOfLink},
		{ID: "layer-mixed", Title: "frames in place of data", Applies: (*Claim).isFigure, Test: (*Claim).countsFrames},
		{ID: record.LimiterAboveCeiling, Title: "above the ceiling", Applies: (*Claim).isFigure, Test: (*Claim).above},
		{ID: "pcie", Title: "the bus", Applies: (*Claim).isFigure, Test: (*Claim).fillsBus},
		{ID: record.LimiterLink, Title: "the ceiling", Applies: (*Claim).isFigure, Test: (*Claim).reached},
	}
}

// grouped is a figure with the other figures of its output.
type grouped struct {
	*Claim
	all    []*Claim
	cost   claimCost // cost of a packet and a byte, from two of them
	fitted bool      // whether there is a cost
}

// GroupCause is an explanation of a figure that its ceiling does not explain, by the other figures and the tool's
// output about itself.
type GroupCause = judge.CauseOf[*grouped]

// GroupCauses returns the causes in the order in which they are tried.
func GroupCauses() []GroupCause {
	return []GroupCause{
		{ID: "tool-single-thread", Title: "a thread of the tool", Test: (*grouped).thread},
		{ID: record.LimiterOneConnection, Title: "too few requests at once", Test: (*grouped).queue},
	}
}

// share returns the rate as a share of the ceiling.
func (c *Claim) share() float64 { return float64(c.Rate / c.Chain.Limit) }

// overLink reports whether the lowest ceiling is that of a link.
func (c *Claim) overLink() bool { return c.Chain.Layer == record.LayerWire }

// isBound reports whether a figure is only an upper bound ("less than").
func (c *Claim) isBound() bool { return c.LessThan }

func (c *Claim) isFigure() bool { return !c.LessThan }

// judge compares a figure with its own chain.
func (c *Claim) judge(causes []Cause) *record.Verdict {
	limit, low := c.Chain.Limit, c.lowest()
	share := c.share()
	if !c.hasCeiling() || c.Stalled != "" {
		return c.alone()
	}
	v := &record.Verdict{Evidence: []record.Evidence{
		c.evidence("rate", float64(c.Rate), "bit/s", c.Line), c.evidence("ceiling", float64(limit), "bit/s",
			ceilingOf(low))}}
	if c.LessThan {
		v.Evidence[0].Text = "less than " + c.Rate.String()
	} else {
		v.ShareOfCeiling = new(share)
		v.Identity = &record.Identity{Left: "figure " + c.Rate.String(), Right: "ceiling " + limit.String(),
			Difference: math.Abs(share-1) / max(share, 1)}
		if c.Meant != "" {
			v.Evidence[0].Text += " (" + c.Meant + ")"
		}
	}
	if d := judge.Judge(c, len(v.Evidence), causes, judge.OwnSentence); d.Match != nil {
		d.Conclude(v)
		return v
	}
	v.Limiter, v.Component = record.LimiterUnexplained, c.Chain.Component
	if c.LessThan {
		v.Sentence = fmt.Sprintf("%s allows %v. Less than %v does not show why it is not more.",
			capital(c.component()), limit,
			c.Rate)
		v.NextExperiment = c.next()
		return v
	}
	v.Sentence = fmt.Sprintf("%s is %s of the maximum of %s (%s). One number cannot show why.",
		c.amount(c.Rate), unit.Percent(share), c.component(), c.amount(limit))
	if t, ok := c.Latency.Get(); ok && c.OneByOne {
		wire := float64(c.Block) * 8 / float64(limit)
		v.Sentence = fmt.Sprintf("A message of %v takes %s. %s needs %s of it, and adapters, buses, switches and programs "+
			"the rest.", c.Block, unit.Seconds(t), capital(c.component()), unit.Seconds(wire))
	}
	if low.Kind == "pcie" && c.least > 0 && c.Rate >= c.least*0.8 {
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: "pcie", Text: fmt.Sprintf("%s of the %v that %s "+
			"carries with a MaxPayload of 128 bytes; descriptors and doorbells, which the formula does not count, take some "+
			"of it",
			unit.Percent(float64(c.Rate/c.least)), c.least, c.Chain.Component)})
	}
	if low.Kind == "drive" && strings.HasPrefix(c.asked.Drive, "sa") && share >= 0.88 {
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: "drive",
			Text: "drives get some 90 % through a SATA or SAS lane"})
	}
	return v
}

// alone judges a figure without a ceiling, as far as its sentence.
func (c *Claim) alone() *record.Verdict {
	v := &record.Verdict{Limiter: record.LimiterUnexplained,
		Evidence: []record.Evidence{c.evidence("rate", float64(c.Rate), "bit/s", c.Line)}}
	if c.Meant != "" {
		v.Evidence[0].Text += " (" + c.Meant + ")"
	}
	v.Sentence = fmt.Sprintf("%s was measured. The maximum is unknown.", c.amount(c.Rate))
	if t, ok := c.Latency.Get(); ok && c.OneByOne {
		v.Sentence = fmt.Sprintf("A message of %v takes %s.", c.Block, unit.Seconds(t))
	}
	v.NextExperiment = c.next()
	return v
}

// onLoopback judges a figure of a machine that was connected to itself. No ceiling of a link holds for it.
func (c *Claim) onLoopback() *record.Verdict {
	return &record.Verdict{Limiter: record.LimiterUnexplained,
		Sentence: fmt.Sprintf("This is loopback: %s is the machine itself. %s says nothing about a link.", c.Loopback,
			c.amount(c.Rate)),
		Evidence:       []record.Evidence{c.evidence("rate", float64(c.Rate), "bit/s", c.Line)},
		Candidates:     []record.Candidate{},
		Unknown:        []string{},
		NextExperiment: "linerate quick HOST   with the other machine's address on the link"}
}

// component is the lowest ceiling in a sentence: "the link", "PCIe 1.1 x8 (receiving)", "the drive's sata3 bus".
func (c *Claim) component() string {
	name := pcieLanes.ReplaceAllString(c.Chain.Component, "$1 x$2")
	switch before, after, ok := strings.Cut(name, ", "); {
	case name == "link":
		return "the link"
	case ok && before == "bus of the drive":
		return "the drive's " + after + " bus"
	case ok && strings.HasPrefix(name, "PCIe "):
		return before + " (" + after + ")"
	}
	return name
}

var pcieLanes = lazyregexp.New(`^(PCIe \d\.\d)x(\d+)`)

// capital makes the first letter a capital one.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// ofMaximum is the figure with its share of the ceiling, if there is one: "12.0 Gb/s, 31.6 % of the maximum of the
// link".
func (c *Claim) ofMaximum() string {
	if !c.hasCeiling() {
		return c.amount(c.Rate)
	}
	return fmt.Sprintf("%s, %s of the maximum of %s", c.amount(c.Rate), unit.Percent(c.share()), c.component())
}

// match returns a match for the chain's lowest ceiling.
func (c *Claim) match(strength judge.Strength, format string, args ...any) *judge.Match {
	return &judge.Match{Strength: strength, Component: c.Chain.Component, Sentence: fmt.Sprintf(format, args...)}
}

// countsFrames matches a figure that counts frames, headers included, which fill the link.
func (c *Claim) countsFrames() *judge.Match {
	limit := c.Chain.Limit
	// A measuring program counts the data that it gets, so that its figure cannot be of frames.
	if c.Tool != "" || !c.overLink() || c.frames <= 0 || c.share() <= 1.005 || c.Rate <= c.plain*1.005 ||
		c.Rate > c.frames*1.002 {
		return nil
	}
	m := c.match(judge.Proved,
		"%v counts frames with their headers, not data: the link carries at most %v of data, and %v "+
			"of frames. The data is about %v.",
		c.Rate, limit, c.frames, c.Rate*max(limit, c.plain)/c.frames)
	m.Evidence = append(m.Evidence, c.evidence("frames", float64(c.frames), "bit/s",
		fmt.Sprintf("frames fill the link at %v, %s of which was read", c.frames, unit.Percent(float64(c.Rate/c.frames)))))
	m.Fix = "nothing to fix: a system's own counter shows frames with their headers, a measuring program the data in them"
	return m
}

// fillsBus matches a figure at the ceiling of a bus for one packet size or another.
func (c *Claim) fillsBus() *judge.Match {
	share := c.share()
	if c.lowest().Kind != "pcie" || c.most <= 0 || c.Rate < c.least*0.97 || share >= 0.97 && share <= 1.01 &&
		c.most <= c.least*1.03 {
		return nil
	}
	m := c.match(judge.Likely, "%v is what %s allows: %v to %v, by how much of a packet its MaxPayload leaves for data.",
		c.Rate, c.Chain.Component, c.least, c.most)
	m.Evidence = append(m.Evidence, c.evidence("payload", float64(c.least), "bit/s",
		fmt.Sprintf("with a MaxPayload of 128 to 512 bytes the bus carries %v to %v; the next ceiling is %s", c.least,
			c.most,
			c.after())))
	m.Fix = pcieFix
	m.NextCeiling = c.after()
	return m
}

const pcieFix = "look at the NIC's bus under load (lspci -vv: LnkSta, LnkCap, MaxPayload): more lanes or a higher " +
	"generation, another slot, a riser or contacts that are cleaned"

// bound matches an upper bound that is above the ceiling.
func (c *Claim) bound() *judge.Match {
	limit, low := c.Chain.Limit, c.lowest()
	if max(limit, c.most) > c.Rate {
		return nil
	}
	m := c.match(judge.Likely, "%v was impossible: %s allows at most %v.", c.Rate, c.component(), limit)
	if c.most > limit {
		m.Sentence = fmt.Sprintf("%v was impossible: %s allows at most %v (%v with the largest packets of the bus).",
			c.Rate, c.component(), limit, c.most)
	}
	m.Limiter = c.named()
	m.Evidence = append(m.Evidence, c.evidence("next ceiling", float64(c.Rate), "bit/s",
		"nothing else on the path is below it: next is "+c.after()))
	m.NextCeiling = c.after()
	if low.Kind == "pcie" {
		m.Fix = pcieFix
	}
	return m
}

// nameOfLink matches a figure that is the nominal rate of the link or the bus, not a measurement.
func (c *Claim) nameOfLink() *judge.Match {
	a, is := c.asked, func(r unit.BitRate, within float64) bool { return r > 0 && math.Abs(float64(c.Rate/r)-1) < within }
	if c.Tool != "" {
		return nil
	}
	say := func(what string) *judge.Match {
		m := c.match(judge.Proved, "%v is %s, not what was carried: data gets at most %v.", c.Rate, what, c.Chain.Limit)
		m.Fix = "say which is meant: the rate that a link signals or is sold by, or the data that went through it"
		if c.frames > 0 && c.Chain.Layer == record.LayerWire {
			m.Fix += fmt.Sprintf(" (at line rate: %v of data, or %v of frames in a system's own counter)", c.Chain.Limit,
				c.frames)
		}
		return m
	}
	if p, err := ceiling.ParsePCIe(a.PCIe, max(a.Payload, 128)); err == nil {
		if k, err := ceiling.KernelRate(p); err == nil && is(k, 2e-5) {
			return say("what Linux prints of PCIe " + a.PCIe + " in its log, with the packets' headers")
		}
	}
	switch {
	case a.WithoutLink || c.Chain.Limit > c.Rate*0.995:
	case a.InfiniBand != "":
		// Data rates of the line codes: 8b/10b up to QDR; FDR and EDR have names near the rate that they signal.
		name := map[string]unit.BitRate{"SDR": 2.5e9, "DDR": 5e9, "QDR": 10e9, "FDR10": 10e9, "FDR": 14e9,
			"EDR": 25e9, "HDR": 50e9, "NDR": 100e9, "XDR": 200e9}[strings.ToUpper(a.InfiniBand)] * unit.BitRate(a.Lanes)
		if is(name, 0.005) {
			return say(fmt.Sprintf("what %s signals on %d lanes or is called by", strings.ToUpper(a.InfiniBand), a.Lanes))
		}
	case is(a.Rate, 0.001):
		return say("the link's own rate")
	}
	return nil
}

// above matches a figure above physics, with the reason as far as it is known.
func (c *Claim) above() *judge.Match {
	low, most := c.lowest(), max(c.Chain.Limit, c.most) // for a bus whose MaxPayload is not known
	if c.Rate <= most*1.01 || c.overLink() && c.Rate <= c.plain*1.005 {
		return nil
	}
	m := c.match(judge.Proved, "%v is impossible: %s allows at most %v.", c.Rate, c.component(), c.Chain.Limit)
	if most > c.Chain.Limit {
		m.Sentence = fmt.Sprintf("%v is impossible: %s allows at most %v (%v with the largest packets of the bus).", c.Rate,
			c.component(), c.Chain.Limit, most)
	}
	m.Fix = "check whether both directions, several links, or tests at different times were added up, and whether the " +
		"link speed is right"
	switch low.Kind {
	case "pcie":
		m.Fix = "check whether the traffic crossed that slot, and the slot's speed (lspci -vv: LnkSta); and whether " +
			"tests at " +
			"different times were added up"
	case "window":
		needed := float64(c.Rate) * c.asked.RTT.Seconds() / 8
		m.Sentence = fmt.Sprintf("%v is impossible with a window of %v: the window was %v or more.", c.Rate,
			c.asked.Interval,
			unit.Bytes(needed))
		m.Evidence = append(m.Evidence, c.evidence("window", needed, "B",
			fmt.Sprintf("%v x %s / 8 = %v under way", c.Rate, unit.Seconds(c.asked.RTT.Seconds()), unit.Bytes(needed))))
		m.Fix = "nothing is wrong with the window; it was larger than said, or there were several connections"
	case "drive":
		if low.Layer != record.LayerBlock {
			return m
		}
		id, buffered := "page-cache-"+c.Way, c.Buffered.Or(false)
		m.Evidence = append(m.Evidence, c.evidence("drive", float64(c.Rate), "bit/s",
			fmt.Sprintf("%s is %s of what goes through its bus (%s)", c.Rate.BytesPerSecond(),
				unit.Percent(float64(c.Rate/c.Chain.Limit)), c.Chain.Limit.BytesPerSecond())))
		m.Fix = "requests past the page cache (fio --direct=1, diskspd -Sh), a file larger than twice the memory, or the " +
			"bytes that the system counts at the drive"
		switch {
		case buffered && (c.Way == "read" || c.Way == "write"):
			m.Limiter, m.Strength = id, judge.Likely
			m.Sentence = fmt.Sprintf("%v did not come from the drive: its bus allows at most %v. Memory took part.", c.Rate,
				c.Chain.Limit)
			m.Evidence = append(m.Evidence, c.evidence("buffered", 1, "", "its requests went through the system's page "+
				"cache, as the output says"))
		default:
			m.Sentence = fmt.Sprintf("%s (%v) is impossible: %s allows at most %s. Memory took part, or it is another drive.",
				c.Rate.BytesPerSecond(), c.Rate, c.Chain.Component, c.Chain.Limit.BytesPerSecond())
			if known, is := c.Buffered.Get(); is && !known {
				m.Sentence = fmt.Sprintf("%s (%v) is impossible: %s allows at most %s, and the page cache was not used.",
					c.Rate.BytesPerSecond(), c.Rate, c.Chain.Component, c.Chain.Limit.BytesPerSecond())
				m.Fix = "look whether the drive has another bus than said, is several drives, or sits behind a controller " +
					"with " +
					"memory of its own"
			}
		}
	}
	return m
}

// reached matches a figure within 3 % of its ceiling.
func (c *Claim) reached() *judge.Match {
	limit, low, share := c.Chain.Limit, c.lowest(), c.share()
	if share < 0.97 {
		return nil
	}
	m := c.match(judge.Proved, "%s is full: %s (%s maximum). Nothing to fix.", capital(c.component()), c.amount(c.Rate),
		c.amount(limit))
	m.Limiter = c.named()
	switch {
	case m.Limiter == "rdma-path-mtu":
		m.Sentence = fmt.Sprintf("RDMA's small packets are the limit: %v (%v maximum, %s of it), not the link itself.",
			c.Rate, limit, unit.Percent(share))
		m.NextCeiling = c.largerPackets()
		m.Fix = "an MTU of 4200 bytes or more at both ends and in every switch, so that RDMA takes its largest packets"
		if c.asked.PathMTU == 0 {
			m.Strength = judge.Likely
		}
	case c.Chain.Layer == record.LayerWire && c.Rate > limit && c.plain > limit:
		m.Sentence = fmt.Sprintf("%s is full: %v (%v maximum, or %v without TCP timestamps). Nothing to fix.",
			capital(c.component()), c.Rate, limit, c.plain)
	case low.Kind == "pcie":
		m.Sentence = fmt.Sprintf("%s is full: %s (%s maximum).", capital(c.component()), c.amount(c.Rate), c.amount(limit))
		m.Fix = pcieFix
	case low.Kind == "drive" && low.Layer == record.LayerBlock && strings.HasPrefix(c.asked.Drive, "sa"):
		m.Sentence = fmt.Sprintf("%s is full: %s (%s maximum). Drives mostly get 90 %% of it, so a cache may have taken "+
			"part.",
			capital(c.component()), c.Rate.BytesPerSecond(), limit.BytesPerSecond())
		m.Strength = judge.Likely
		m.Evidence = append(m.Evidence, c.evidence("drive", share, "share",
			fmt.Sprintf("%s of the bus", unit.Percent(share))))
		if c.binary > limit {
			m.Evidence = append(m.Evidence, c.evidence("unit", float64(c.binary), "bit/s",
				fmt.Sprintf("if GB meant GiB it was %s, which is above the bus", c.binary.BytesPerSecond())))
		}
		m.Fix = "a file larger than twice the memory, and the bytes that the system counts at the drive, show whether it " +
			"was the drive"
	case low.Kind == "window":
		m.Sentence = fmt.Sprintf("The window of %v is full: %v (%v maximum).", c.asked.Interval, c.Rate, limit)
		m.Fix = "a larger window: net.ipv4.tcp_rmem and tcp_wmem, or several connections"
	}
	if m.NextCeiling == "" {
		m.NextCeiling = c.after()
	}
	return m
}

// named returns the verdict for the chain's lowest hop.
func (c *Claim) named() string {
	switch c.lowest().Kind {
	case "pcie", "drive":
		return c.lowest().Kind
	case "cpu":
		return "cpu-per-packet"
	case "window":
		return "receive-window-cap"
	case "loss":
		return "random-loss"
	case "requests":
		return record.LimiterOneConnection
	}
	if c.largerPackets() != "" {
		return "rdma-path-mtu"
	}
	return "link"
}

// after returns the next ceiling of the chain; empty: there is none.
func (c *Claim) after() string {
	var next *record.Hop
	for i, h := range c.Chain.Hops {
		r, ok := h.Rate.Get()
		if ok && h.Component != c.Chain.Component && h.Kind != c.lowest().Kind && (next == nil || r < next.Rate.Or(0)) {
			next = &c.Chain.Hops[i]
		}
	}
	if next == nil {
		return ""
	}
	return fmt.Sprintf("%s at %v", next.Component, next.Rate.Or(0))
}

// largerPackets returns a note on RDMA's largest packets where smaller ones are the limit; empty: they are not.
func (c *Claim) largerPackets() string {
	if !strings.HasPrefix(c.transport.Name, "roce") || c.Chain.Layer != record.LayerWire {
		return ""
	}
	have := 0.0
	for _, i := range c.lowest().Inputs {
		if i.Name == "path_mtu" {
			have = i.Value
		}
	}
	most := int(ceiling.PathMTUs[len(ceiling.PathMTUs)-1])
	best := c.limit(func(a *path.Asked) { a.PathMTU = most })
	if have >= float64(most) || best < c.Chain.Limit*1.01 {
		return ""
	}
	return fmt.Sprintf("packets of %d bytes in place of %.0f (an MTU of 4200 or more at both ends and in every "+
		"switch): %v", most, have, best)
}

// ceilingOf describes a hop with its formula.
func ceilingOf(h record.Hop) string {
	return fmt.Sprintf("%s: %v = %s", h.Component, h.Rate.Or(0), h.Formula)
}

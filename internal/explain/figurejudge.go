package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
)

// figureCause is one thing that a figure can be, told by its chain alone. Test reports whether it is that, and fills the verdict then.
type figureCause struct {
	Title string
	Test  func(*Claim, *record.Verdict) bool
}

// figureCauses in the order in which they are asked. The first that holds is the verdict.
var figureCauses = []figureCause{
	{"a bound alone", (*Claim).isBound},
	{"the name of a link", (*Claim).nameOfLink},
	{"frames in place of data", (*Claim).countsFrames},
	{"above the ceiling", (*Claim).isAbove},
	{"the bus", (*Claim).fillsBus},
	{"the ceiling", (*Claim).isFull},
}

// figureGroup is the figures of one output, with what a packet and a byte cost by two of them.
type figureGroup struct {
	all    []*Claim
	cost   claimCost
	fitted bool
}

// figureGroupCause is one thing that a figure can be that its ceiling does not explain, told by the other figures and by what its tool says of itself.
// Test fills the figure's verdict where it holds.
type figureGroupCause struct {
	Title string
	Test  func(*Claim, figureGroup)
}

// figureGroupCauses in the order in which they are asked.
var figureGroupCauses = []figureGroupCause{
	{"a thread of the tool", func(c *Claim, g figureGroup) {
		if fit := g.fitted && slices.Contains(g.cost.of[:], c); fit || !g.fitted {
			c.thread(g.cost, fit)
		}
	}},
	{"too few requests at once", func(c *Claim, g figureGroup) { c.queue(g.all) }},
}

// share of the ceiling.
func (c *Claim) share() float64 { return float64(c.Rate / c.Chain.Limit) }

// overLink reports whether the lowest ceiling is that of a link.
func (c *Claim) overLink() bool { return c.Chain.Layer == record.LayerWire }

// judge compares a figure with its chain alone.
func (c *Claim) judge(table []figureCause) *record.Verdict {
	limit, low := c.Chain.Limit, c.lowest()
	share := c.share()
	v := &record.Verdict{Component: c.Chain.Component, ShareOfCeiling: ptr(share), Confidence: "proved", Evidence: []record.Evidence{
		c.evidence("rate", float64(c.Rate), "bit/s", c.Line), c.evidence("ceiling", float64(limit), "bit/s", ceilingOf(low))}}
	if c.Meant != "" {
		v.Evidence[0].Text += " (" + c.Meant + ")"
	}
	v.Identity = &record.Identity{Left: "figure " + c.Rate.String(), Right: "ceiling " + limit.String(), Difference: math.Abs(share-1) / max(share, 1)}
	for _, cause := range table {
		if cause.Test(c, v) {
			return v
		}
	}
	v.Limiter, v.Confidence = Unexplained, ""
	v.Sentence = fmt.Sprintf("%s are %s of what %s allows (%s); why is not to be seen from this figure alone.", c.amount(c.Rate), unit.Percent(share), c.Chain.Component, c.amount(limit))
	if t, ok := c.Latency.Get(); ok && c.OneByOne {
		wire := float64(c.Block) * 8 / float64(limit)
		v.Sentence = fmt.Sprintf("A message of %v takes %s, of which %s needs %s; the rest is the time of cards, buses, switches and programs.", c.Block, unit.Seconds(t), c.Chain.Component, unit.Seconds(wire))
	}
	if low.Kind == "pcie" && c.least > 0 && c.Rate >= c.least*0.8 {
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: "pcie", Text: fmt.Sprintf("%s of the %v that %s carries with a MaxPayload of 128 bytes; descriptors and doorbells, which the formula does not count, take some of it",
			unit.Percent(float64(c.Rate/c.least)), c.least, c.Chain.Component)})
	}
	if low.Kind == "drive" && strings.HasPrefix(c.asked.Drive, "sa") && share >= 0.88 {
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: "drive", Text: "drives get some 90 % through a SATA or SAS lane"})
	}
	return v
}

func (c *Claim) isBound(v *record.Verdict) bool {
	if !c.LessThan {
		return false
	}
	c.bound(v)
	return true
}

// countsFrames reports whether a figure counts frames, which fill a link with their headers.
func (c *Claim) countsFrames(v *record.Verdict) bool {
	limit := c.Chain.Limit
	if !c.overLink() || c.frames <= 0 || c.share() <= 1.005 || c.Rate <= c.plain*1.005 || c.Rate > c.frames*1.002 {
		return false
	}
	v.Limiter = "layer-mixed"
	v.Sentence = fmt.Sprintf("%v counts frames, not goodput: the link carries at most %v of data, and %v of frames. Of data it is about %v.",
		c.Rate, limit, c.frames, c.Rate*max(limit, c.plain)/c.frames)
	v.Evidence = append(v.Evidence, c.evidence("frames", float64(c.frames), "bit/s", fmt.Sprintf("frames fill the link at %v, %s of which was read", c.frames, unit.Percent(float64(c.Rate/c.frames)))))
	v.Fix = "say which is meant: a system's own counter shows frames with their headers, a measuring program the data in them"
	return true
}

func (c *Claim) isAbove(v *record.Verdict) bool {
	most := max(c.Chain.Limit, c.most) // of a bus whose MaxPayload nobody said
	if c.Rate <= most*1.01 || c.overLink() && c.Rate <= c.plain*1.005 {
		return false
	}
	c.above(v, most)
	return true
}

// fillsBus reports whether a figure is what a bus carries with packets of one size or another.
func (c *Claim) fillsBus(v *record.Verdict) bool {
	share := c.share()
	if c.lowest().Kind != "pcie" || c.most <= 0 || c.Rate < c.least*0.97 || share >= 0.97 && share <= 1.01 && c.most <= c.least*1.03 {
		return false
	}
	v.Limiter, v.Confidence = "pcie", "likely"
	v.Sentence = fmt.Sprintf("%v is what %s allows: %v to %v, by how much of a packet its MaxPayload leaves for data.", c.Rate, c.Chain.Component, c.least, c.most)
	v.Evidence = append(v.Evidence, c.evidence("payload", float64(c.least), "bit/s", fmt.Sprintf("with a MaxPayload of 128 to 512 bytes the bus carries %v to %v; the next ceiling is %s", c.least, c.most, c.after())))
	v.Fix = pcieFix
	v.NextCeiling = c.after()
	return true
}

func (c *Claim) isFull(v *record.Verdict) bool {
	if c.share() < 0.97 {
		return false
	}
	c.reached(v)
	return true
}

const pcieFix = "look at the card's bus under load (lspci -vv: LnkSta, LnkCap, MaxPayload): more lanes or a higher generation, another slot, a riser or contacts that are cleaned"

// bound is said of a figure of which only "less than" is known.
func (c *Claim) bound(v *record.Verdict) {
	limit, low := c.Chain.Limit, c.lowest()
	v.Identity, v.ShareOfCeiling = nil, nil
	v.Evidence[0].Text = "it was said to be less than " + c.Rate.String()
	top := max(limit, c.most)
	if top > c.Rate {
		v.Limiter, v.Confidence = Unexplained, ""
		v.Sentence = fmt.Sprintf("%s allows %v, so that less than %v says nothing of why.", c.Chain.Component, limit, c.Rate)
		v.NextExperiment = c.next()
		return
	}
	v.Limiter, v.Confidence = c.named(), "likely"
	v.Sentence = fmt.Sprintf("It could not have been %v: %s allows at most %v.", c.Rate, c.Chain.Component, limit)
	if c.most > limit {
		v.Sentence = fmt.Sprintf("It could not have been %v: %s allows at most %v (%v with the largest packets of the bus).", c.Rate, c.Chain.Component, limit, c.most)
	}
	v.Evidence = append(v.Evidence, c.evidence("next ceiling", float64(c.Rate), "bit/s", "nothing else on the path is below it: next is "+c.after()))
	v.NextCeiling = c.after()
	if low.Kind == "pcie" {
		v.Fix = pcieFix
	}
}

// nameOfLink says whether a figure is what the link or the bus is called by, and no measurement.
func (c *Claim) nameOfLink(v *record.Verdict) bool {
	a, is := c.asked, func(r unit.BitRate, within float64) bool { return r > 0 && math.Abs(float64(c.Rate/r)-1) < within }
	if c.Tool != "" {
		return false
	}
	say := func(what string) bool {
		v.Limiter = "layer-mixed"
		v.Sentence = fmt.Sprintf("%v is %s, not what was carried: data gets at most %v.", c.Rate, what, c.Chain.Limit)
		v.Fix = "say which is meant: the rate that a link signals or is sold by, or the data that went through it"
		if c.frames > 0 && c.Chain.Layer == record.LayerWire {
			v.Fix += fmt.Sprintf(" (at line rate: %v of data, or %v of frames in a system's own counter)", c.Chain.Limit, c.frames)
		}
		return true
	}
	if p, err := ceiling.ParsePCIe(a.PCIe, max(a.Payload, 128)); err == nil {
		if k, err := ceiling.KernelRate(p); err == nil && is(k, 2e-5) {
			return say("what Linux prints of PCIe " + a.PCIe + " in its log, with the packets' heads")
		}
	}
	switch {
	case a.WithoutLink || c.Chain.Limit > c.Rate*0.995:
	case a.InfiniBand != "":
		// Data rates of the line codes: 8b/10b up to QDR; FDR and EDR have names near the rate that they signal.
		name := map[string]unit.BitRate{"SDR": 2.5e9, "DDR": 5e9, "QDR": 10e9, "FDR10": 10e9, "FDR": 14e9, "EDR": 25e9}[strings.ToUpper(a.InfiniBand)] * unit.BitRate(a.Lanes)
		if is(name, 0.005) {
			return say(fmt.Sprintf("what %s signals on %d lanes or is called by", strings.ToUpper(a.InfiniBand), a.Lanes))
		}
	case is(a.Rate, 0.001):
		return say("the link's own rate")
	}
	return false
}

// above is said of a figure that physics does not allow, as far as it can be told why.
func (c *Claim) above(v *record.Verdict, most unit.BitRate) {
	low := c.lowest()
	v.Limiter = "above-ceiling"
	v.Sentence = fmt.Sprintf("%v cannot be: %s allows at most %v.", c.Rate, c.Chain.Component, c.Chain.Limit)
	if most > c.Chain.Limit {
		v.Sentence = fmt.Sprintf("%v cannot be: %s allows at most %v (%v with the largest packets of the bus).", c.Rate, c.Chain.Component, c.Chain.Limit, most)
	}
	v.Fix = "look whether both directions, several links, or measurements that did not run at the same time were added up; or whether the link is another one than said"
	switch low.Kind {
	case "pcie":
		v.Fix = "look whether it crossed that slot at all, or whether the slot is faster than said (lspci -vv: LnkSta); and whether figures were added up that did not run at the same time"
	case "window":
		needed := float64(c.Rate) * c.asked.RTT.Seconds() / 8
		v.Sentence = fmt.Sprintf("%v cannot be with a window of %v: the window was %v or more.", c.Rate, c.asked.Window, unit.Bytes(needed))
		v.Evidence = append(v.Evidence, c.evidence("window", needed, "B", fmt.Sprintf("%v x %s / 8 = %v under way", c.Rate, unit.Seconds(c.asked.RTT.Seconds()), unit.Bytes(needed))))
		v.Fix = "nothing is wrong with the window; it was larger than said, or there were several connections"
	case "drive":
		if low.Layer != record.LayerBlock {
			return
		}
		id, buffered := "page-cache-"+c.Way, c.Buffered.Or(false)
		v.Evidence = append(v.Evidence, c.evidence("drive", float64(c.Rate), "bit/s", fmt.Sprintf("%s is %s of what goes through its bus (%s)", c.Rate.BytesPerSecond(), unit.Percent(float64(c.Rate/c.Chain.Limit)), c.Chain.Limit.BytesPerSecond())))
		v.Fix = "requests past the page cache (fio --direct=1, diskspd -Sh), a file larger than twice the memory, or the bytes that the system counts at the drive"
		switch {
		case buffered && (c.Way == "read" || c.Way == "write"):
			v.Limiter, v.Confidence = id, "likely"
			v.Sentence = fmt.Sprintf("%v did not come from the drive: its bus allows at most %v. Memory took part.", c.Rate, c.Chain.Limit)
			v.Evidence = append(v.Evidence, c.evidence("buffered", 1, "", "its requests went through the system's page cache, as the output says"))
		default:
			v.Sentence = fmt.Sprintf("%s (%v) cannot be: %s allows at most %s. Memory took part, or it is another drive.", c.Rate.BytesPerSecond(), c.Rate, c.Chain.Component, c.Chain.Limit.BytesPerSecond())
			if known, is := c.Buffered.Get(); is && !known {
				v.Sentence = fmt.Sprintf("%s (%v) cannot be: %s allows at most %s, and the page cache was not used.", c.Rate.BytesPerSecond(), c.Rate, c.Chain.Component, c.Chain.Limit.BytesPerSecond())
				v.Fix = "look whether the drive has another bus than said, is several drives, or sits behind a controller with memory of its own"
			}
		}
	}
}

// reached is said of a figure that is within 3 % of its ceiling.
func (c *Claim) reached(v *record.Verdict) {
	limit, low := c.Chain.Limit, c.lowest()
	share := float64(c.Rate / limit)
	v.Limiter = c.named()
	v.Sentence = fmt.Sprintf("%s is all that %s allows (%s).", c.amount(c.Rate), c.Chain.Component, c.amount(limit))
	v.Fix = "nothing is wrong; a faster one is the only way to more"
	switch {
	case v.Limiter == "rdma-path-mtu":
		v.Sentence = fmt.Sprintf("%v is all that RDMA's packets allow (%v, %s of it): the link itself is not the end.", c.Rate, limit, unit.Percent(share))
		v.NextCeiling = c.largerPackets()
		v.Fix = "an MTU of 4200 bytes or more at both ends and in every switch, so that RDMA takes its largest packets"
		if c.asked.PathMTU == 0 {
			v.Confidence = "likely"
		}
	case c.Chain.Layer == record.LayerWire && c.Rate > limit && c.plain > limit:
		v.Sentence = fmt.Sprintf("%v is all that %s allows (%v, or %v without TCP timestamps).", c.Rate, c.Chain.Component, limit, c.plain)
	case low.Kind == "pcie":
		v.Fix = pcieFix
	case low.Kind == "drive" && low.Layer == record.LayerBlock && strings.HasPrefix(c.asked.Drive, "sa"):
		v.Sentence = fmt.Sprintf("%s is all that %s allows (%s), and more than drives mostly get through it (some 90 %%): a cache may have taken part.", c.Rate.BytesPerSecond(), c.Chain.Component, limit.BytesPerSecond())
		v.Confidence = "likely"
		v.Evidence = append(v.Evidence, c.evidence("drive", share, "share", fmt.Sprintf("%s of the bus", unit.Percent(share))))
		if c.binary > limit {
			v.Evidence = append(v.Evidence, c.evidence("unit", float64(c.binary), "bit/s", fmt.Sprintf("if GB meant GiB it was %s, which is above the bus", c.binary.BytesPerSecond())))
		}
		v.Fix = "a file larger than twice the memory, and the bytes that the system counts at the drive, tell whether it was the drive"
	case low.Kind == "window":
		v.Fix = "a larger window: net.ipv4.tcp_rmem and tcp_wmem, or several connections"
	}
	if v.NextCeiling == "" {
		v.NextCeiling = c.after()
	}
}

// named is the verdict that the chain's lowest hop is called by.
func (c *Claim) named() string {
	switch c.lowest().Kind {
	case "pcie", "drive":
		return c.lowest().Kind
	case "cpu":
		return "cpu-per-packet"
	case "window":
		return receiveWindowCap.ID
	case "loss":
		return "random-loss"
	case "requests":
		return oneConnection
	}
	if c.largerPackets() != "" {
		return "rdma-path-mtu"
	}
	return "link"
}

// after is the next ceiling of the chain; empty: there is none.
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

// largerPackets is what RDMA's largest packets would give where smaller ones are the limit; empty: they are not.
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
	return fmt.Sprintf("packets of %d bytes in place of %.0f (an MTU of 4200 or more at both ends and in every switch): %v", most, have, best)
}

// ceilingOf is a hop with its formula.
func ceilingOf(h record.Hop) string {
	return fmt.Sprintf("%s: %v = %s", h.Component, h.Rate.Or(0), h.Formula)
}

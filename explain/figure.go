package explain

import (
	"fmt"
	"math"
	"slices"

	"linerate/ceiling"
	"linerate/figure"
	"linerate/path"
	"linerate/result"
	"linerate/unit"
)

// Claim is a figure that somebody else measured, with what could have been carried there.
type Claim struct {
	figure.Figure
	Name    string          `json:"name"` // of the file, or the figure as it was given
	MTU     int             `json:"mtu"`
	Chain   path.Chain      `json:"ceiling"`
	Frames  unit.BitRate    `json:"-"` // the link's rate as its frames are counted; 0: no Ethernet
	Plain   unit.BitRate    `json:"-"` // payload without TCP timestamps, which is a little more; 0: no TCP
	Segment int             `json:"-"` // payload of a full packet in bytes; 0: no TCP
	Verdict *result.Verdict `json:"verdict"`
}

// Claims explains figures, as far as they allow: what is above physics, what counts frames, what a ceiling explains, and, of several
// streams, whether one thread of the tool carries them all. Of two figures of one link at two MTUs it finds what a packet and a byte cost.
func Claims(all []*Claim) {
	cost, fitted := costOfClaims(all)
	for _, c := range all {
		c.Verdict = c.judge()
		if c.Verdict.Limiter == Unexplained {
			c.thread(all, cost, fitted)
		}
	}
}

func (c *Claim) line(text string) result.Evidence {
	return result.Evidence{Source: c.Name, Counter: "rate", After: ptr(float64(c.Rate)), Unit: "bit/s", Text: text}
}

func (c *Claim) judge() *result.Verdict {
	limit := c.Chain.Limit
	share := float64(c.Rate / limit)
	v := &result.Verdict{Component: c.Chain.Component, ShareOfCeiling: ptr(share), Confidence: "proved", Evidence: []result.Evidence{c.line(c.Line)}}
	link := c.Chain.Layer == path.Wire
	switch {
	case link && c.Frames > 0 && share > 1.005 && c.Rate > c.Plain*1.005 && c.Rate <= c.Frames*1.002:
		v.Limiter = "layer-mixed"
		v.Sentence = fmt.Sprintf("%v counts frames, not data: the link carries at most %v of data, and %v of frames. Of data it is about %v.",
			c.Rate, limit, c.Frames, c.Rate*max(limit, c.Plain)/c.Frames)
		v.Fix = "say which is meant: a system's own counter shows frames with their headers, a measuring program the data in them"
	case share > 1.01 && !(link && c.Rate <= c.Plain*1.005):
		v.Limiter = "above-ceiling"
		v.Sentence = fmt.Sprintf("%v cannot be: %s allows at most %v.", c.Rate, c.Chain.Component, limit)
		v.Fix = "look whether both directions, several links, or measurements that did not run at the same time were added up; or whether the link is another one than said"
	case share >= 0.97:
		v.Limiter = hopVerdict(c.Chain)
		v.Sentence = fmt.Sprintf("%v is all that %s allows (%v).", c.Rate, c.Chain.Component, limit)
		if link && c.Rate > limit && c.Plain > limit {
			v.Sentence = fmt.Sprintf("%v is all that %s allows (%v, or %v without TCP timestamps).", c.Rate, c.Chain.Component, limit, c.Plain)
		}
		v.Fix = "nothing is wrong; a faster one is the only way to more"
		if v.NextCeiling = c.largerPackets(); v.NextCeiling != "" {
			v.Fix = "a larger MTU, so that RDMA takes its largest packets"
		}
	default:
		v.Limiter, v.Confidence = Unexplained, ""
		v.Sentence = fmt.Sprintf("%v are %s of what %s allows (%v); why is not to be seen from this figure alone.", c.Rate, unit.Percent(share), c.Chain.Component, limit)
		v.NextExperiment = "linerate measure stream HOST --streams 1,8 --direction out,in   (both ends' processors, sockets and counters are read with it)"
	}
	return v
}

// hopVerdict is the verdict that a chain's lowest hop is named by.
func hopVerdict(c path.Chain) string {
	for _, h := range c.Hops {
		if h.Component == c.Component {
			switch h.Kind {
			case "pcie", "drive":
				return h.Kind
			case "cpu":
				return "cpu-per-packet"
			case "window":
				return receiveWindowCap.ID
			case "loss":
				return "random-loss"
			}
		}
	}
	return "link"
}

// thread asks whether one thread of the tool is full. Streams that are equal to 1 % are one piece of evidence, a full core and costs
// that fit at two MTUs others.
func (c *Claim) thread(all []*Claim, cost ceiling.Cost, fitted bool) {
	one, known := c.OneThread.Get()
	if len(c.Streams) < 2 || known && !one {
		return
	}
	v := c.Verdict
	pieces := 0
	var evidence []result.Evidence
	for _, of := range all { // of two figures of one tool one is enough
		if even := of.spread(); (of == c || fitted) && even <= 0.01 && pieces == 0 {
			pieces++
			evidence = append(evidence, result.Evidence{Source: of.Name, Counter: "streams", After: ptr(even), Unit: "share",
				Text: fmt.Sprintf("the %d streams of %s are equal to %s: they take turns in one thread", len(of.Streams), of.Name, unit.Percent(even))})
		}
	}
	for _, x := range []struct {
		who string
		cpu unit.Opt[float64]
	}{{"sender", c.SenderCPU}, {"receiver", c.ReceiverCPU}} {
		if cores, ok := x.cpu.Get(); ok && cores >= 0.95 && cores < 1.1 {
			pieces++
			evidence = append(evidence, result.Evidence{Source: c.Name, Counter: "cpu_utilization", After: ptr(cores), Unit: "cores", Text: fmt.Sprintf("the process of the %s used %s of one core", x.who, unit.Percent(cores))})
		}
	}
	if fitted {
		pieces++
		evidence = append(evidence, result.Evidence{Source: c.Name, Counter: "cost", After: ptr(cost.PerPacket), Unit: "s", Text: fmt.Sprintf("both MTUs fit one core that spends %s on a packet and %s on a byte", unit.Seconds(cost.PerPacket), unit.Seconds(cost.PerByte))})
	}
	if pieces == 0 {
		return
	}
	if pieces < 2 {
		v.Candidates = []result.Candidate{{Limiter: "tool-single-thread", Text: evidence[0].Text}}
		return
	}
	n := len(c.Streams)
	v.Limiter, v.Confidence, v.Component, v.NextExperiment = "tool-single-thread", "likely", "one thread of "+c.Tool, ""
	v.Evidence = append(v.Evidence, evidence...)
	v.Sentence = fmt.Sprintf("All %d streams of %s go through one thread, and that is full at %v.", n, c.Tool, c.Rate)
	if fitted {
		v.Sentence += fmt.Sprintf(" It is the packets that cost: %s each; with packets of any size it would do %v at most.", unit.Seconds(cost.PerPacket), unit.BitRate(8/cost.PerByte))
	}
	v.NextCeiling = fmt.Sprintf("%d processes on cores of their own: %v, then %s at %v", n, min(c.Rate*unit.BitRate(n), c.Chain.Limit), c.Chain.Component, c.Chain.Limit)
	v.Fix = fmt.Sprintf("%s 3.16 or later, which has a thread a stream; or %d processes on ports of their own", c.Tool, n)
}

// spread is how much the fastest stream is above the slowest, as a share; infinite with less than two.
func (c *Claim) spread() float64 {
	if len(c.Streams) < 2 {
		return math.Inf(1)
	}
	return float64(slices.Max(c.Streams)/slices.Min(c.Streams)) - 1
}

// largerPackets is what RDMA's largest packets would give where smaller ones are the limit; empty: they are not.
func (c *Claim) largerPackets() string {
	version, ok := map[string]int{"rocev1": 1, "rocev2": 2}[c.Chain.Transport]
	if !ok || c.Chain.Layer != path.Wire {
		return ""
	}
	in := map[string]float64{}
	for _, h := range c.Chain.Hops {
		if h.Component == c.Chain.Component {
			for _, i := range h.Inputs {
				in[i.Name] = i.Value
			}
		}
	}
	most := ceiling.PathMTUs[len(ceiling.PathMTUs)-1]
	if in["path_mtu"] >= float64(most) {
		return ""
	}
	best, err := ceiling.RDMAOverEthernet(unit.BitRate(in["rate"]), ceiling.RoCE{Version: version, PathMTU: int(most)})
	if err != nil {
		return ""
	}
	return fmt.Sprintf("packets of %d bytes in place of %.0f (an MTU of 4200 or more at both ends and in every switch): %v", int(most), in["path_mtu"], best.Rate)
}

// costOfClaims finds what a packet and a byte cost from two figures at two MTUs, neither of which a ceiling explains.
func costOfClaims(all []*Claim) (ceiling.Cost, bool) {
	if len(all) != 2 || all[0].MTU == all[1].MTU || all[0].Segment <= 0 || all[1].Segment <= 0 {
		return ceiling.Cost{}, false
	}
	var payload, seconds [2]float64
	for i, c := range all {
		if c.Rate > c.Chain.Limit*0.97 {
			return ceiling.Cost{}, false
		}
		payload[i] = float64(c.Segment)
		seconds[i] = 8 * payload[i] / float64(c.Rate)
	}
	b := (seconds[1] - seconds[0]) / (payload[1] - payload[0])
	a := seconds[0] - b*payload[0]
	return ceiling.Cost{PerPacket: a, PerByte: b}, a > 0 && b > 0 && !math.IsInf(a/b, 0)
}

package explain

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/record/claims"
)

// Claim is a figure that somebody else measured, with what could have been carried there.
type Claim struct {
	claims.Figure
	Name        string          `json:"name"`      // of the file, or the figure as it was given
	LessThan    bool            `json:"less_than"` // only a bound is known: "<20G"
	MTU         int             `json:"mtu"`
	Chain       record.Chain    `json:"ceiling"`
	Predictions []Prediction    `json:"predictions"`
	Verdict     *record.Verdict `json:"verdict"`

	asked      path.Asked
	transport  path.Transport
	frames     unit.BitRate // the link's rate as its frames are counted; 0: no Ethernet
	plain      unit.BitRate // payload without TCP timestamps, which is a little more; 0: no TCP
	segment    int          // payload of a full packet in bytes; 0: neither TCP nor UDP
	least      unit.BitRate // the limit with the smallest usual MaxPayload, and with the largest; 0: it was said, or there is no slot
	most       unit.BitRate
	binary     unit.BitRate // the rate if a GB that was said meant a GiB; 0: it was not said so
	routed     bool
	mtuAssumed bool
}

// Prediction is what the same work would reach if one thing were another, by costs that were fitted.
type Prediction struct {
	If      string       `json:"if"`
	Rate    unit.BitRate `json:"bits_per_second"`
	Formula string       `json:"formula"`
}

// Said is what a person knows of a figure beside the tool's output.
type Said struct {
	Name     string
	LessThan bool
	Binary   unit.BitRate // the rate if GB meant GiB; 0: the unit is plain
	Routed   bool         // between two subnets
	// MTUAssumed: nobody said the MTU, and that of most networks was taken.
	MTUAssumed bool
}

// NewClaim holds a figure against what was asked for. The packets and messages that the tool's output names are used where nobody said
// others. An error says what cannot be reckoned.
func NewClaim(f claims.Figure, said Said, a path.Asked, t path.Transport) (*Claim, []error) {
	if a.IO == 0 && slices.Contains([]string{"rocev1", "rocev2", "iscsi", "smb", "smb-encrypted", "nfs", "nvme-tcp"}, t.Name) {
		a.IO = f.Block
	}
	a.Both = a.Both || f.BothWays
	if (strings.HasPrefix(t.Name, "roce") || t.Name == "ib") && a.PathMTU == 0 {
		a.PathMTU = f.PathMTU
	}
	c := &Claim{Figure: f, Name: said.Name, LessThan: said.LessThan, MTU: a.Frame.MTU, asked: a, transport: t, binary: said.Binary, routed: said.Routed, mtuAssumed: said.MTUAssumed, Predictions: []Prediction{}}
	chain, _, errs := a.Chain(t)
	if len(errs) > 0 {
		return c, errs
	}
	if len(chain.Hops) == 0 || chain.Limit <= 0 {
		return c, []error{errors.New("nothing was named that it could be held against; add the link's rate (--rate 40G), a slot (--pcie), a drive (--drive)")}
	}
	c.Chain = chain
	if a.InfiniBand == "" && !a.WithoutLink && !strings.HasPrefix(t.Name, "roce") {
		if l, err := ceiling.Layer2(a.Rate, a.Frame); err == nil {
			c.frames = l.Rate
		}
	}
	switch t.Name {
	case "tcp":
		c.segment = a.Frame.Segment()
		c.plain = c.limit(func(a *path.Asked) { a.Frame.Timestamps = false })
	case "udp":
		if c.segment = int(a.IO); c.segment == 0 {
			c.segment = a.Frame.MTU - 28
		}
	}
	if a.PCIe != "" && a.Payload == 0 {
		c.least, c.most = math.MaxFloat64, 0
		for _, payload := range []int{128, 256, 512} {
			r := c.limit(func(a *path.Asked) { a.Payload = payload })
			c.least, c.most = min(c.least, r), max(c.most, r)
		}
	}
	return c, nil
}

// jumboFrame is the larger MTU that is in use.
const jumboFrame = 9000

// withLargerPackets says of a figure that is too high for data in packets of an assumed MTU that larger ones may carry it.
func (c *Claim) withLargerPackets() {
	v := c.Verdict
	if !c.mtuAssumed || v.Limiter != "layer-mixed" && v.Limiter != "above-ceiling" || c.frames == 0 {
		return
	}
	most := c.limit(func(a *path.Asked) { a.Frame.MTU = jumboFrame })
	if most < c.Rate {
		return
	}
	v.Confidence = "likely"
	v.Sentence += fmt.Sprintf(" That is of an MTU of %d, which was taken because none was said: with %d data gets up to %v, and it may be data.", c.MTU, jumboFrame, most)
	v.NextExperiment = fmt.Sprintf("say the MTU of the link: --mtu %d (ip link, or the card's Jumbo Packet)", jumboFrame)
}

// limit is that of the chain with one thing changed; 0: it cannot be reckoned.
func (c *Claim) limit(change func(*path.Asked)) unit.BitRate {
	a := c.asked
	change(&a)
	chain, _, errs := a.Chain(c.transport)
	if len(errs) > 0 {
		return 0
	}
	return chain.Limit
}

// Claims explains figures, as far as they allow: what is above physics, what counts frames, what a ceiling explains, and, of several
// streams, whether one thread of the tool carries them all. Of two figures of one link at two MTUs it finds what a packet and a byte cost;
// of storage it holds requests under way against their time.
func Claims(all []*Claim) { judgeClaims(figureCauses, figureGroupCauses, all) }

// judgeClaims is Claims by the causes of two tables.
func judgeClaims(alone []figureCause, grouped []figureGroupCause, all []*Claim) {
	for _, c := range all {
		c.Verdict = c.judge(alone)
	}
	cost, fitted := costOfClaims(all)
	for _, c := range all {
		v := c.Verdict
		if c.LessThan {
			continue
		}
		c.inFlight()
		for _, cause := range grouped {
			if v.Limiter == Unexplained {
				cause.Test(c, figureGroup{all, cost, fitted})
			}
		}
		if v.Limiter == Unexplained {
			c.others()
			v.NextExperiment = c.next()
		} else {
			v.Candidates = nil
		}
	}
	for _, c := range all {
		c.withLargerPackets()
	}
	for _, c := range all { // lists are never null
		c.Verdict.Candidates = append([]record.Candidate{}, c.Verdict.Candidates...)
		c.Verdict.Unknown = append([]string{}, c.Verdict.Unknown...)
	}
}

func (c *Claim) evidence(counter string, value float64, unitName, text string) record.Evidence {
	return record.Evidence{Source: c.Name, Counter: counter, After: ptr(value), Unit: unitName, Text: text}
}

func (c *Claim) perhaps(limiter, format string, args ...any) {
	c.Verdict.Candidates = append(c.Verdict.Candidates, record.Candidate{Limiter: limiter, Text: fmt.Sprintf(format, args...)})
}

// amount is a rate as people read it of a network, or of a drive.
func (c *Claim) amount(r unit.BitRate) string {
	if c.Way != "" || c.asked.WithoutLink && c.asked.PCIe == "" {
		return r.BytesPerSecond()
	}
	return r.String()
}

// lowest is the hop that limits the chain; a chain without one is none.
func (c *Claim) lowest() record.Hop {
	if h := c.Chain.Lowest(); h != nil {
		return *h
	}
	return record.Hop{}
}

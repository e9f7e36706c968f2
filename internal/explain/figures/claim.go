package figures

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/record/claims"
)

// Claim is a figure that another tool measured, with the ceilings of what it was measured on.
type Claim struct {
	claims.Figure
	Name        string          `json:"name"`      // of the file, or the figure as typed
	LessThan    bool            `json:"less_than"` // only a bound is known: "<20G"
	MTU         int             `json:"mtu"`
	Chain       record.Chain    `json:"ceiling"`
	Predictions []Prediction    `json:"predictions"`
	Verdict     *record.Verdict `json:"verdict"`

	asked     path.Asked
	transport path.Transport
	frames    unit.BitRate // the link's rate as its frames are counted; 0: no Ethernet
	plain     unit.BitRate // payload without TCP timestamps, which is a little more; 0: no TCP
	segment   int          // payload of a full packet in bytes; 0: neither TCP nor UDP
	// the limit with the smallest usual MaxPayload, and with the largest; 0: MaxPayload was given, or there is no slot
	least      unit.BitRate
	most       unit.BitRate
	binary     unit.BitRate // the rate if the typed GB meant GiB; 0: no GB was typed
	routed     bool
	mtuAssumed bool
}

// Prediction is the figure with one thing changed, from fitted costs.
type Prediction struct {
	If      string       `json:"if"`
	Rate    unit.BitRate `json:"bits_per_second"`
	Formula string       `json:"formula"`
}

// Said is what the user knows about a figure in addition to the tool's output.
type Said struct {
	Name     string
	LessThan bool
	Binary   unit.BitRate // the rate if GB meant GiB; 0: the unit is plain
	Routed   bool         // between two subnets
	// MTUAssumed reports whether no MTU was given, so that of most networks is assumed.
	MTUAssumed bool
}

// NewClaim compares a figure with the ceilings of the given path. Packet and message sizes come from the tool's output
// where they were not given. The errors say what cannot be computed.
func NewClaim(f claims.Figure, said Said, a path.Asked, t path.Transport) (*Claim, []error) {
	if a.IO == 0 && slices.Contains([]string{"rocev1", "rocev2", "iscsi", "smb", "smb-encrypted", "nfs", "nvme-tcp"},
		t.Name) {
		a.IO = f.Block
	}
	a.Both = a.Both || f.BothWays
	if (strings.HasPrefix(t.Name, "roce") || t.Name == "ib") && a.PathMTU == 0 {
		a.PathMTU = f.PathMTU
	}
	c := &Claim{Figure: f, Name: said.Name, LessThan: said.LessThan, MTU: a.Frame.MTU, asked: a, transport: t,
		binary: said.Binary, routed: said.Routed, mtuAssumed: said.MTUAssumed, Predictions: []Prediction{}}
	chain, _, errs := a.Chain(t)
	if len(errs) > 0 {
		return c, errs
	}
	if len(chain.Hops) == 0 || chain.Limit <= 0 {
		return c, []error{errors.New("nothing was named to compare it with; add the link's rate (--link 40G), " +
			"a slot (--pcie), a drive (--drive)")}
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

// WithoutCeiling is a figure of which neither link nor slot nor drive is known: what its output says alone may explain
// it.
func WithoutCeiling(f claims.Figure, said Said, mtu int) *Claim {
	c := &Claim{Figure: f, Name: said.Name, LessThan: said.LessThan, MTU: mtu, binary: said.Binary, routed: said.Routed,
		mtuAssumed: said.MTUAssumed, Predictions: []Prediction{}}
	c.transport.Name = f.Transport
	c.asked.WithoutLink = f.Way != ""
	c.asked.Frame = ceiling.Ethernet{MTU: mtu, Timestamps: true}
	switch f.Transport {
	case "tcp":
		c.segment = c.asked.Frame.Segment()
	case "udp":
		c.segment = mtu - 28
	}
	return c
}

// hasCeiling reports whether the figure is compared with anything.
func (c *Claim) hasCeiling() bool { return c.Chain.Limit > 0 }

// NeedsCeiling returns what has to be known to explain the figure, as a sentence and as a flag; empty: nothing is
// missing.
func (c *Claim) NeedsCeiling() (unknown, flag string) {
	switch {
	case c.hasCeiling() || c.Loopback != "":
		return "", ""
	case c.Way != "":
		return "drive speed unknown",
			"add --drive pcie3x4, or sata3; of a share over the network: --link 10G --transport smb"
	case c.Transport == "ib":
		return "link speed unknown", "add --link EDR"
	}
	return "link speed unknown", "add --link 40G"
}

// IsExplained reports whether there is more to say of the figure than that its reason is unknown.
func (c *Claim) IsExplained() bool {
	v := c.Verdict
	return v != nil && (v.Limiter != record.LimiterUnexplained || len(v.Candidates) > 0 || c.OneByOne)
}

// jumboFrame is the larger of the two common MTUs.
const jumboFrame = 9000

// withLargerPackets adds a note to a figure that is too high for the assumed MTU: larger packets may reach it.
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
	v.Sentence += fmt.Sprintf(" That is of an MTU of %d, which was taken because none was said: with %d data gets up "+
		"to %v, and it may be data.", c.MTU, jumboFrame, most)
	v.NextExperiment = fmt.Sprintf("say the MTU of the link: --mtu %d (ip link, or the NIC's Jumbo Packet)", jumboFrame)
}

// limit returns the limit of the chain with one thing changed; 0: it cannot be computed.
func (c *Claim) limit(change func(*path.Asked)) unit.BitRate {
	a := c.asked
	change(&a)
	chain, _, errs := a.Chain(c.transport)
	if len(errs) > 0 {
		return 0
	}
	return chain.Limit
}

// Claims explains figures as far as possible: those above physics, those that count frames, those at a ceiling, and,
// for several streams, whether one thread of the tool carries them all. From two figures of one link at two MTUs it
// derives the cost of a packet and of a byte. For storage it compares the requests in flight with their time.
func Claims(all []*Claim) { judgeClaims(Causes(), GroupCauses(), all) }

// judgeClaims is Claims with the causes of two tables.
func judgeClaims(alone []Cause, group []GroupCause, claims []*Claim) {
	var all []*Claim
	for _, c := range claims {
		if c.Loopback == "" {
			all = append(all, c)
			continue
		}
		c.Verdict = c.onLoopback()
	}
	for _, c := range all {
		c.Verdict = c.judge(alone)
	}
	cost, fitted := costOfClaims(all)
	for _, c := range all {
		if !c.LessThan {
			c.inFlight()
			c.judgeWith(group, &grouped{c, all, cost, fitted})
		}
	}
	for _, c := range all {
		c.withLargerPackets()
		// Lists are never null.
		c.Verdict.Candidates = append([]record.Candidate{}, c.Verdict.Candidates...)
		c.Verdict.Unknown = append([]string{}, c.Verdict.Unknown...)
	}
}

// judgeWith compares a figure that its chain does not explain with the others of its output.
func (c *Claim) judgeWith(group []GroupCause, g *grouped) {
	v := c.Verdict
	if v.Limiter != record.LimiterUnexplained {
		v.Candidates = nil
		return
	}
	d := judge.Judge(g, len(v.Evidence), group, judge.OwnSentence)
	if d.Match != nil {
		d.Conclude(v)
		v.Candidates = nil
		return
	}
	v.Candidates = append(v.Candidates, d.Candidates...)
	if c.Stalled != "" {
		c.stalls()
		return
	}
	c.others()
	v.NextExperiment = c.next()
}

func (c *Claim) evidence(counter string, value float64, unitName, text string) record.Evidence {
	return record.Evidence{Source: c.Name, Counter: counter, After: new(value), Unit: unitName, Text: text}
}

func (c *Claim) perhaps(limiter, format string, args ...any) {
	c.Verdict.Candidates = append(c.Verdict.Candidates, record.Candidate{Limiter: limiter,
		Text: fmt.Sprintf(format, args...)})
}

// amount formats a rate in the usual unit of a network or a drive.
func (c *Claim) amount(r unit.BitRate) string {
	if c.Way != "" || c.asked.WithoutLink && c.asked.PCIe == "" {
		return r.BytesPerSecond()
	}
	return r.String()
}

// lowest returns the hop that limits the chain, or an empty hop.
func (c *Claim) lowest() record.Hop {
	if h := c.Chain.Lowest(); h != nil {
		return *h
	}
	return record.Hop{}
}

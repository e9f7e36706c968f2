package cause

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// Verdict returns the reason for the goodput of an experiment that has a ceiling. Nil: it has no goodput, for example
// because it measures latency.
func Verdict(c *judge.Case, all Tables) *record.Verdict {
	if c.Exp.Goodput == nil {
		return nil
	}
	v := &record.Verdict{Unknown: unknowns(c)}
	if c.Ceiling > 0 {
		v.ShareOfCeiling = new(c.Share())
	}
	d := judge.Judge(c, 0, slices.Concat(all.Network, all.FollowUp), judge.FirstEvidence)
	if d.Match != nil {
		conclude(c, v, d.Match)
		return v
	}
	v.Candidates = d.Candidates
	if c.Ceiling <= 0 {
		v.Limiter = record.LimiterUnknown
		if c.OverMPTCP() {
			v.Sentence = fmt.Sprintf("%s carries %s over MPTCP; what it could carry is not known, because the hosts choose "+
				"the paths while they measure.", c.Subject(), judge.Rate(c.Goodput))
			v.Fix = "compare it with a measurement over tcp through each link (via:), and with their sum"
			return v
		}
		if nothing(c) {
			return carriesNothing(c, v)
		}
		v.Sentence = fmt.Sprintf("%s carries %s; what it could carry is not known, because no rate on the path is.",
			c.Subject(), judge.Rate(c.Goodput))
		if l := lost(c); l != nil && l.Rate >= manyLost {
			v.Sentence += fmt.Sprintf(" %s of the packets were lost on the way, which slows TCP down on any link.",
				unit.Percent(l.Rate))
			v.Evidence = append(v.Evidence, l.evidence(c))
		}
		v.Fix = "give the link's rate: --link 40G with linerate quick or measure; in a fabric file speed: on a NIC, or " +
			"a part that has one"
		return v
	}
	v.Limiter, v.Component, v.Sentence = record.LimiterUnexplained, "not known", unexplained(c)
	v.NextExperiment, v.Next = d.Settles, ask(c)
	for i := range c.Steps {
		v.Evidence = append(v.Evidence, c.Steps[i].Evidence(c))
	}
	if s := narrowed(c); s != "" {
		v.Sentence += " " + s
	}
	return v
}

// manyLost is the share of lost packets that limits TCP on every link: at a round trip of 1 ms it leaves 1 stream with
// a tenth of 10 Gb/s or less (lossBound).
const manyLost = 0.001

// carriesNothing fills the verdict on an experiment in which connections opened, and next to nothing arrived, for a
// reason that no cause has enough evidence for.
func carriesNothing(c *judge.Case, v *record.Verdict) *record.Verdict {
	v.Limiter, v.Component = record.LimiterUnexplained, "not known"
	v.Sentence = fmt.Sprintf("%s carries nothing (%s): connections open, and what is sent over them does not arrive.",
		c.Subject(), judge.Rate(c.Goodput))
	if a, b := c.Sender.NIC(), c.Receiver.NIC(); a != nil && b != nil && a.MTU > 0 && b.MTU > 0 {
		v.NextExperiment = largestPing(c, min(a.MTU, b.MTU))
	}
	return v
}

// conclude makes a match the verdict, with its commands as typed on this machine.
func conclude(c *judge.Case, v *record.Verdict, m *judge.Match) {
	c.Typed(m)
	m.Conclude(v)
}

// unexplained returns the sentence for the case that no cause has enough evidence.
func unexplained(c *judge.Case) string {
	s := fmt.Sprintf("%s carries %s, %s of what %s allows%s, and none of the known causes holds",
		c.Subject(), judge.Rate(c.Goodput), unit.Percent(c.Share()), c.Chain.Component, rdma.InPackets(c))
	if c.Repeat == nil {
		return s + "."
	}
	if c.Repeat.Steal >= judge.OtherWorkCores {
		s += fmt.Sprintf("; a hypervisor gave %s CPU cores to others meanwhile", unit.Significant(c.Repeat.Steal))
	}
	if c.Repeat.OtherProcesses >= judge.OtherWorkCores {
		s += fmt.Sprintf("; other work kept %s CPU cores busy meanwhile", unit.Significant(c.Repeat.OtherProcesses))
	}
	return s + "."
}

// unknowns names the missing evidence.
func unknowns(c *judge.Case) []string {
	var out []string
	for _, s := range []judge.Side{c.Sender, c.Receiver} {
		if s.Shots.Before == nil || s.Shots.After == nil {
			out = append(out, s.Host+": its counters around the measurement were not read")
		}
	}
	if len(c.Streams) > 0 && c.Streams[0].Socket == nil && !c.OverUDP() && !c.OverRDMA() {
		out = append(out, c.Sender.Host+": the state of its sockets is not known")
	}
	for _, a := range c.Accounts {
		whys := a.Uncertain
		if a.Closes != nil && *a.Closes || a.Name == "processor" || a.Name == "drive" {
			continue
		}
		if side := c.Side(a.Left.Host); a.Why != "" && len(whys) == 0 &&
			(a.Name == "resent" || a.Name == "missing" || side != nil && len(side.Shots.During) > 1) {
			whys = []string{a.Why}
		}
		for _, why := range whys {
			out = xslices.AppendNew(out, why)
		}
	}
	return out
}

package explain

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// verdict says why one experiment that has a ceiling carries what it carries. Others (latencies) get none: nil.
func verdict(c *Case, all tables) *record.Verdict {
	if c.Exp.Goodput == nil {
		return nil
	}
	return judge(c, slices.Concat(all.causes, all.chase))
}

// judge asks the causes in their order.
func judge(c *Case, causes []Cause) *record.Verdict {
	v := &record.Verdict{Unknown: c.unknowns()}
	if c.Ceiling > 0 {
		v.ShareOfCeiling = ptr(c.Share())
	}
	var found *Match
	settles := ""
	for _, cause := range causes {
		if cause.Test == nil || !cause.possible(c) {
			continue
		}
		m := cause.Test(c)
		if m == nil {
			continue
		}
		more, against := c.settled(cause.ID)
		if m.Strength == Candidate && more != nil {
			m.Strength, m.Evidence = Likely, append(m.Evidence, *more)
		}
		if m.Strength == Candidate && against {
			continue
		}
		if m.Strength >= Likely {
			v.Limiter, found = cause.ID, m
			break
		}
		if settles == "" {
			settles = m.Next
		}
		v.Candidates = append(v.Candidates, record.Candidate{Limiter: cause.ID, Text: m.Evidence[0].Text})
	}
	switch {
	case found != nil:
		c.conclude(v, found)
	case c.Ceiling <= 0:
		v.Limiter = NotKnown
		v.Sentence = fmt.Sprintf("%s carries %s; what it could carry is not known, because no rate on the path is.", c.subject(), rate(c.Goodput))
		v.Fix = "give the link's rate: --rate 40G with linerate measure; in a fabric file speed: on a card, or a part that has one"
	default:
		v.Limiter = Unexplained
		v.Component = "not known"
		v.Sentence = c.unexplained()
		v.NextExperiment = settles
		v.Next = c.ask()
		for i := range c.Steps {
			v.Evidence = append(v.Evidence, c.Steps[i].evidence(c))
		}
		if s := c.narrowed(); s != "" {
			v.Sentence += " " + s
		}
	}
	return v
}

// conclude makes a match that is at least likely the verdict.
func (c *Case) conclude(v *record.Verdict, m *Match) {
	c.typed(m)
	v.Sentence, v.Component, v.Evidence, v.Identity = m.Sentence, m.Component, m.Evidence, m.Identity
	v.Fix, v.Undo, v.NextCeiling, v.NextExperiment = m.Fix, m.Undo, m.NextCeiling, m.Next
	v.Confidence = map[Strength]string{Likely: "likely", Proved: "proved"}[m.Strength]
	v.Candidates = nil
	v.Next = m.Ask
}

// unexplained is the honest answer when no cause has enough evidence.
func (c *Case) unexplained() string {
	s := fmt.Sprintf("%s carries %s, %s of what %s allows%s, and none of the known causes holds",
		c.subject(), rate(c.Goodput), unit.Percent(c.Share()), c.Chain.Component, c.inPackets())
	if c.Repeat == nil {
		return s + "."
	}
	if c.Repeat.Stolen >= foreign {
		s += fmt.Sprintf("; a hypervisor gave %s processor cores to others meanwhile", unit.Significant(c.Repeat.Stolen))
	}
	if c.Repeat.Foreign >= foreign {
		s += fmt.Sprintf("; other work kept %s processor cores busy meanwhile", unit.Significant(c.Repeat.Foreign))
	}
	return s + "."
}

// foreign is how many cores of other work make a figure doubtful.
const foreign = 0.1

// side is the end of that name, nil if it is none.
func (c *Case) side(host string) *Side {
	for _, s := range []*Side{&c.Sender, &c.Receiver} {
		if s.Host == host {
			return s
		}
	}
	return nil
}

// unknowns names the evidence that was not there.
func (c *Case) unknowns() []string {
	var out []string
	for _, s := range []Side{c.Sender, c.Receiver} {
		if s.Shots.Before == nil || s.Shots.After == nil {
			out = append(out, s.Host+": its counters around the measurement were not read")
		}
	}
	if len(c.Streams) > 0 && c.Streams[0].Socket == nil && !c.overUDP() && !c.overRDMA() {
		out = append(out, c.Sender.Host+": the state of its sockets is not known")
	}
	for _, a := range c.Accounts {
		whys := a.Uncertain
		if a.Closes != nil && *a.Closes || a.Name == "processor" || a.Name == "drive" {
			continue
		}
		if side := c.side(a.Left.Host); a.Why != "" && len(whys) == 0 && (a.Name == "resent" || a.Name == "missing" || side != nil && len(side.Shots.During) > 1) {
			whys = []string{a.Why}
		}
		for _, why := range whys {
			if !slices.Contains(out, why) {
				out = append(out, why)
			}
		}
	}
	return out
}

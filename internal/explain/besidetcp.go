package explain

import (
	"fmt"

	"linerate/internal/record"
)

// sameByTCP asks for TCP over the same link: what RDMA does not need (the kernel, the processors) TCP does, and what both share (card, slot,
// link) holds both back. why says what its outcomes mean.
func (c *Case) sameByTCP(why string) string {
	return c.beside("stream", fmt.Sprintf("--streams %d", c.pairs()), fmt.Sprintf("streams: %d", c.pairs())) + "\n" + why
}

// sameByRDMA asks for RDMA over the same link; empty: the ends do not both have it.
func (c *Case) sameByRDMA() string {
	for _, s := range []Side{c.Sender, c.Receiver} {
		if _, port := c.rdmaDevice(s, s.Shots.After); port == nil || port.State.Or("") != "ACTIVE" {
			return ""
		}
	}
	const how = "op: write, metric: goodput, size: 64KiB, pairs: 4"
	return c.beside("verbs", "--op write --metric goodput --size 64KiB --pairs 4", how) +
		"\nif RDMA carries more over the same link, it is the processors and the kernel; if it carries the same, what both share: card, slot, link"
}

// beside is how another method is measured between the same ends: typed, where this machine reaches them, else as an experiment of the file.
func (c *Case) beside(method, flags, keys string) string {
	from, to := c.Reaches[c.Exp.From], c.Reaches[c.Exp.To]
	if from == "" || to == "" || len(c.Exp.Ends) < 2 || c.Exp.Ends[1].Address == "" {
		return fmt.Sprintf("in the fabric file, an experiment beside this one: {method: %s, from: %s, to: %s, %s}", method, c.Exp.From, c.Exp.To, keys)
	}
	s := fmt.Sprintf("linerate measure %s --from %s --to %s --to-address %s --direction %s %s", method, quote(from), quote(to), c.Exp.Ends[1].Address, c.Exp.Direction, flags)
	if c.Rate != "" {
		s += " --rate " + quote(c.Rate)
	}
	return s
}

// tcpBeside is the stream experiment of the run with the same ends and direction that carried most; nil: there is none with a figure.
func tcpBeside(r *record.Run, e *record.Experiment) (best *record.Experiment) {
	for _, x := range r.Experiments {
		if x.Method != "stream" || x.Settings["transport"] == "udp" || x.Goodput == nil || x.Failed != "" || x.Variant != e.Variant || x.Direction != e.Direction || !sameEnds(x, e) {
			continue
		}
		if best == nil || x.Goodput.Median > best.Goodput.Median {
			best = x
		}
	}
	return best
}

func sameEnds(a, b *record.Experiment) bool {
	if a.Pattern != "" || b.Pattern != "" || len(a.Ends) != len(b.Ends) {
		return false
	}
	for i := range a.Ends {
		if a.Ends[i].Host != b.Ends[i].Host || a.Ends[i].Port != b.Ends[i].Port {
			return false
		}
	}
	return len(a.Ends) > 0
}

// againstTCP says what TCP over the same link tells of a verdict of RDMA that names no cause, and else asks for it.
func (j *judging) againstTCP(c *Case, v *record.Verdict) {
	if v.Limiter != Unexplained {
		return
	}
	x := tcpBeside(j.run, c.Exp)
	if x == nil {
		if v.NextExperiment == "" {
			v.NextExperiment = c.sameByTCP("if TCP carries more over the same link, what holds this back is of RDMA alone; if it carries the same, what both share: card, slot, link")
		}
		return
	}
	tcp := x.Goodput.Median
	v.Evidence = append(v.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "experiment " + x.ID, Counter: "goodput", After: &tcp, Unit: "bit/s", Text: fmt.Sprintf("TCP carried %s over the same link", rate(tcp))})
	switch {
	case tcp >= (1+2*alikeShare)*c.Goodput:
		v.Sentence += fmt.Sprintf(" TCP carries %s over the same link: what holds this back is of RDMA alone.", rate(tcp))
	case alikeRates(tcp, c.Goodput):
		v.Sentence += fmt.Sprintf(" TCP carries %s over the same link: it is what both share, the card, its slot or the link.", rate(tcp))
	}
}

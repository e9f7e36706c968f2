package explain

import (
	"fmt"

	"linerate/internal/base/method"
	"linerate/internal/explain/cause/rdma"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// tcpCompared returns the fastest throughput experiment of the run with the same ends and direction; nil: none has a
// figure.
func tcpCompared(r *record.Run, e *record.Experiment) (best *record.Experiment) {
	for _, x := range r.Experiments {
		if !method.Named(x.Method).Bulk || x.Settings["transport"] == "udp" || x.Goodput == nil || x.Failed != "" ||
			x.Variant != e.Variant || x.Direction != e.Direction || !sameEnds(x, e) {
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

// againstTCP compares an RDMA verdict without a cause with TCP over the same link. Without such an experiment it
// proposes one.
func (j *judging) againstTCP(c *judge.Case, v *record.Verdict) {
	if v.Limiter != record.LimiterUnexplained {
		return
	}
	x := tcpCompared(j.run, c.Exp)
	if x == nil {
		if v.NextExperiment == "" {
			v.NextExperiment = rdma.SameByTCP(c, "if TCP carries more over the same link, what holds this back is of RDMA "+
				"alone; if it carries the same, what both share: NIC, slot, link")
		}
		return
	}
	tcp := x.Goodput.Median
	v.Evidence = append(v.Evidence, record.Evidence{Host: c.Receiver.Host, Source: "experiment " + x.ID,
		Counter: "goodput", After: &tcp, Unit: "bit/s", Text: fmt.Sprintf("TCP carried %s over the same link",
			judge.Rate(tcp))})
	switch {
	case tcp >= (1+2*judge.SameGoodputShare)*c.Goodput:
		v.Sentence += fmt.Sprintf(" TCP carries %s over the same link: what holds this back is of RDMA alone.",
			judge.Rate(tcp))
	case judge.SameGoodput(tcp, c.Goodput):
		v.Sentence += fmt.Sprintf(" TCP carries %s over the same link: it is what both share, the NIC, its slot or the "+
			"link.", judge.Rate(tcp))
	}
}

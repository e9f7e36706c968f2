package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// evidenceCost adds up the CPU time that the snapshots in steady intervals took on each host and switch; nil: there was
// no snapshot.
func evidenceCost(r *record.Run, l judge.Loader, planOf func(*record.Experiment) *plan.Plan) *record.EvidenceCost {
	out := &record.EvidenceCost{Hosts: []record.HostCost{}}
	at, silent := map[string]int{}, map[string]bool{}
	for _, e := range r.Experiments {
		// An acceptance reads everything, once.
		if len(e.Repeats) == 0 || e.Repeats[0].Seconds <= 0 || method.Named(e.Method).BoundsErrors {
			continue
		}
		for _, name := range whoseEvidence(e, planOf(e)) {
			took, n := 0.0, 0
			for _, f := range l.During(name, e.ID) {
				cost, known := f.Cost.Get()
				if !known {
					if !silent[name] {
						out.Unknown = append(out.Unknown, record.Unknown{Subject: name, Reason: "its snapshots do not say what they " +
							"took"})
					}
					silent[name] = true
					continue
				}
				took, n = took+cost.Seconds(), n+1
			}
			if n == 0 {
				continue
			}
			if took > e.Repeats[0].Seconds*float64(max(1, coresOf(e, name))) {
				if !silent[name] {
					out.Unknown = append(out.Unknown, record.Unknown{Subject: name, Reason: fmt.Sprintf("its snapshots took %s "+
						"of CPU time, which its cores do not have in a steady interval of %s; they went on after it, or its clock "+
						"does not go like that of its CPU", unit.Seconds(took), unit.Seconds(e.Repeats[0].Seconds))})
				}
				silent[name] = true
				continue
			}
			i, ok := at[name]
			if !ok {
				i = len(out.Hosts)
				at[name] = i
				out.Hosts = append(out.Hosts, record.HostCost{Host: name})
			}
			h := &out.Hosts[i]
			h.Snapshots, h.Seconds, h.Windows = h.Snapshots+n, h.Seconds+took, h.Windows+e.Repeats[0].Seconds
			h.Share = max(h.Share, took/e.Repeats[0].Seconds)
			if out.Share == nil || h.Share > *out.Share {
				out.Share = new(h.Share)
			}
		}
	}
	if len(out.Hosts) == 0 && len(out.Unknown) == 0 {
		return nil
	}
	slices.SortFunc(out.Hosts, func(a, b record.HostCost) int { return strings.Compare(a.Host, b.Host) })
	return out
}

// coresOf returns the number of a host's cores in an experiment; 0: not known.
func coresOf(e *record.Experiment, host string) (n int) {
	for _, c := range e.CPU {
		if c.Host == host && c.Core >= 0 {
			n++
		}
	}
	return n
}

// whoseEvidence returns the hosts of an experiment, and all switches: those off its path have no snapshots of it.
func whoseEvidence(e *record.Experiment, p *plan.Plan) (names []string) {
	for _, end := range e.Ends {
		names = append(names, end.Host)
	}
	for _, s := range p.Switches {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

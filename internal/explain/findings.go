package explain

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/explain/cause"
	"linerate/internal/explain/goals"
	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
)

// findings compares the hosts' facts from before the measurement with the plan, as linerate check does, also where
// nothing could be measured: then they say why. A host without a snapshot counts as not checked.
func findings(p *plan.Plan, r *record.Run, l judge.Loader) {
	w := &check.World{Plan: p}
	took := map[string]bool{}
	for _, e := range r.Experiments {
		for _, end := range e.Ends {
			took[end.Host] = took[end.Host] || len(e.Repeats) > 0 || e.Failed != ""
		}
	}
	var silent []record.Unknown
	var ours []ownMTU
	var labs []record.Subject // interfaces whose rate a lab that was up already holds
	for _, h := range p.Hosts {
		if !took[h.Name] {
			continue
		}
		f, before := first(l, r, h.Name)
		if f == nil {
			silent = append(silent, record.Unknown{Subject: h.Name, Reason: cmp.Or(unusable(r, h.Name),
				"its facts were not kept by this run")})
			continue
		}
		if r.Lab != nil {
			f.Lab = r.Lab.Scale
		}
		if mtu := before.Settings["mtu"]; mtu != "" {
			ours = append(ours, ownMTU{h.Name, mtu})
		}
		if i := slices.IndexFunc(r.Hosts, func(s record.HostState) bool {
			return s.Name == h.Name &&
				cause.InLab(s.Connection)
		}); i >= 0 && r.Lab == nil {
			for n := range f.NICs {
				if cause.OwnBucket(&f.NICs[n]) {
					labs = append(labs, record.PartsOf(h.Name, f.NICs[n].Name))
				}
			}
		}
		underLoad(l, r, h.Name, f)
		w.Add(h.Name, f)
	}
	got := check.Run(checks.All(), w, check.Choice{})
	r.Findings, r.Unchecked = got.Findings, append(silent, got.Unknown...)
	for _, o := range ours {
		o.undo(r)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.ID == "local-shaper" && slices.ContainsFunc(labs, f.Subject.Is) {
			f.Severity, f.Undo = record.Info, "" // it is the link's rate there
			f.Fix = "leave it: it is the lab's own shaper, and its rate is the link's there; a lab with a larger share of " +
				"the planned rates: linerate lab up --scale"
		}
	}
}

// unusable is why a host could not be used; empty: it could.
func unusable(r *record.Run, host string) string {
	for _, h := range r.Hosts {
		if h.Name == host {
			return h.Error
		}
	}
	return ""
}

// ownMTU is the MTU that the run itself had set on a host for an experiment when the snapshot was taken.
type ownMTU struct{ host, mtu string }

// undo turns a finding about that MTU into an unknown.
func (o ownMTU) undo(r *record.Run) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f record.Finding) bool {
		if f.ID != "mtu" || f.Subject.Host != o.host || f.Have != "MTU "+o.mtu {
			return false
		}
		r.Unchecked = append(r.Unchecked, record.Unknown{Subject: f.Subject.String() + " mtu",
			Reason: "the run had set " + f.Have + " for an experiment when it looked at the host; linerate check says what " +
				"it has otherwise"})
		return true
	})
}

// underLoad adds the PCI Express speed while this host's ports carried the streams of its experiments.
func underLoad(l judge.Loader, r *record.Run, host string, f *facts.Facts) {
	f.Probes.Bus = nil // the facts are shared, so they are not changed
	for _, e := range r.Experiments {
		if e.Variant != r.Variant || !method.Named(e.Method).Bulk && !method.Named(e.Method).BoundsErrors ||
			e.Goodput == nil {
			continue
		}
		during := l.Facts(host, record.At(record.During, e.ID))
		if during == nil {
			continue
		}
		for _, end := range e.Ends {
			if end.Host == host {
				probe.TakeUnderLoad(f, during, end.Interface, fmt.Sprintf("%s %s: %s", e.Method, goals.Combination(e),
					unit.BitRate(e.Goodput.Median)))
			}
		}
	}
}

// first returns a host's facts from before its first experiment of the plan's own variant, and that experiment; nil:
// there is no snapshot.
func first(l judge.Loader, r *record.Run, host string) (*facts.Facts, *record.Experiment) {
	for _, e := range r.Experiments {
		if e.Variant != r.Variant {
			continue
		}
		if f := l.Facts(host, record.At(record.Before, e.ID)); f != nil && f.Level == facts.Full {
			return f, e
		}
	}
	return nil, nil
}

package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// findings holds what the hosts said of themselves before they were measured against the plan, as linerate check does. A host
// of which nothing was kept is one of what could not be looked at.
func findings(p *plan.Plan, r *record.Run, l loader) {
	w := &check.World{Plan: p}
	took := map[string]bool{}
	for _, e := range r.Experiments {
		for _, end := range e.Ends {
			took[end.Host] = took[end.Host] || len(e.Repeats) > 0
		}
	}
	var silent []record.Unknown
	var ours []ownMTU
	var labs []string // interfaces whose rate a lab that was up already holds
	for _, h := range p.Hosts {
		if !took[h.Name] {
			continue
		}
		f, before := l.first(r, h.Name)
		if f == nil {
			silent = append(silent, record.Unknown{Subject: h.Name, Reason: "its facts were not kept by this run"})
			continue
		}
		if r.Lab != nil {
			f.Lab = r.Lab.Scale
		}
		if mtu := before.Settings["mtu"]; mtu != "" {
			ours = append(ours, ownMTU{h.Name, mtu})
		}
		if i := slices.IndexFunc(r.Hosts, func(s record.HostState) bool { return s.Name == h.Name && inLab(s.Reach) }); i >= 0 && r.Lab == nil {
			for n := range f.NICs {
				if ownBucket(&f.NICs[n]) {
					labs = append(labs, h.Name+": "+f.NICs[n].Name)
				}
			}
		}
		l.underLoad(r, h.Name, f)
		w.Add(h.Name, f)
	}
	got := check.Run(w, check.Choice{})
	r.Findings, r.Unchecked = got.Findings, append(silent, got.Unknown...)
	for _, o := range ours {
		o.takeBack(r)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.ID == "local-shaper" && slices.Contains(labs, f.Subject) {
			f.Severity, f.Undo = record.Info, "" // it is the link's rate there
			f.Fix = "leave it: it is the lab's own shaper, and its rate is the link's there; a lab with a larger share of the planned rates: linerate lab up --scale"
		}
	}
}

// ownMTU is the MTU that the run itself had given a host for an experiment when it looked at it.
type ownMTU struct{ host, mtu string }

// takeBack turns a finding about that MTU into what is not known.
func (o ownMTU) takeBack(r *record.Run) {
	r.Findings = slices.DeleteFunc(r.Findings, func(f record.Finding) bool {
		if f.ID != "mtu" || !strings.HasPrefix(f.Subject, o.host+": ") || f.Have != "MTU "+o.mtu {
			return false
		}
		r.Unchecked = append(r.Unchecked, record.Unknown{Subject: f.Subject + " mtu", Reason: "the run had set " + f.Have + " for an experiment when it looked at the host; linerate check says what it has otherwise"})
		return true
	})
}

// underLoad adds what PCI Express ran at while this host's ports carried the streams of its experiments.
func (l loader) underLoad(r *record.Run, host string, f *facts.Facts) {
	f.Probes.Bus = nil // the facts are kept for several readers
	for _, e := range r.Experiments {
		if e.Variant != r.Variant || e.Method != "stream" && e.Method != record.MethodAcceptance || e.Goodput == nil {
			continue
		}
		during := l.facts(host, record.At(record.During, e.ID))
		if during == nil {
			continue
		}
		for _, end := range e.Ends {
			if end.Host == host {
				f.TakeUnderLoad(during, end.Interface, fmt.Sprintf("%s %s: %s", e.Method, Cell(e), unit.BitRate(e.Goodput.Median)))
			}
		}
	}
}

// first is what a host said before the first experiment of the plan's own variant that it took part in, and that experiment; nil: nothing was kept.
func (l loader) first(r *record.Run, host string) (*facts.Facts, *record.Experiment) {
	for _, e := range r.Experiments {
		if e.Variant != r.Variant {
			continue
		}
		if f := l.facts(host, record.At(record.Before, e.ID)); f != nil && f.Level == facts.Full {
			return f, e
		}
	}
	return nil, nil
}

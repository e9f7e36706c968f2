package main

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/lab/guest"
	"linerate/internal/run"
)

// withoutModules says which guests lack modules that the plan needs, and what builds them, and lists the experiments that need
// them as not run. Everything else goes on.
func (e *env) withoutModules(p *plan.Plan, cells []*run.Cell, i lab.Info) {
	_, sets := i.Lacking()
	for _, set := range sets {
		var hosts []string
		for _, g := range i.Guests {
			if slices.Contains(g.Lacks, set) {
				hosts = append(hosts, g.Host)
			}
		}
		what, module := "iWARP", "module"
		needs := func(x *fabric.Experiment) bool { return needsIWARP(p, x, hosts) }
		if set == lab.SMBDirectModules {
			what, module, needs = "SMB Direct", "modules", needsSMBDirect(p, hosts)
		}
		e.withoutSet(p, cells, needs, lackText(what, module, i, hosts, sets))
	}
}

// withoutSet says why experiments are not run that need something.
func (e *env) withoutSet(p *plan.Plan, cells []*run.Cell, needs func(*fabric.Experiment) bool, why string) {
	var names, instead []string
	known := map[string]bool{}
	for _, c := range cells {
		if does, ok := known[c.Exp.Name]; ok && !does || c.Exp.Variant != p.Variant {
			continue
		}
		at := slices.IndexFunc(p.Fabric.Experiments, func(x *fabric.Experiment) bool { return x.Name == c.Exp.Name })
		known[c.Exp.Name] = at >= 0 && needs(p.Fabric.Experiments[at])
		if !known[c.Exp.Name] {
			continue
		}
		if c.StandsIn() {
			if !slices.Contains(instead, c.Exp.Name) {
				instead = append(instead, c.Exp.Name)
			}
			continue
		}
		if c.Exp.NotRun == "" {
			c.Exp.NotRun = why
		} else if !strings.Contains(c.Exp.NotRun, why) { // a resumed run has it already
			c.Exp.NotRun += "; " + why
		}
		if !slices.Contains(names, c.Exp.Name) {
			names = append(names, c.Exp.Name)
		}
	}
	fmt.Fprintf(e.err, "linerate: %s\n", why)
	if len(names) > 0 {
		fmt.Fprintf(e.err, "  not run without it: %s\n", strings.Join(names, ", "))
	}
	if len(instead) > 0 {
		fmt.Fprintf(e.err, "  something else stands in for it: %s\n", strings.Join(instead, ", "))
	}
}

// needsSMBDirect says which experiments speak SMB Direct with one of the hosts.
func needsSMBDirect(p *plan.Plan, hosts []string) func(*fabric.Experiment) bool {
	speak := map[string]bool{}
	for _, n := range lab.Needs(p) {
		speak[n.Experiment] = speak[n.Experiment] || n.SMBDirect() && slices.Contains(hosts, n.Host)
	}
	return func(x *fabric.Experiment) bool { return speak[x.Name] }
}

// lackText says on which hosts something is not there, and what helps.
func lackText(what, module string, i lab.Info, hosts, sets []string) string {
	var systems []string
	for _, g := range i.Guests {
		if g.System != "" && slices.Contains(hosts, g.Host) {
			systems = append(systems, g.Host)
		}
	}
	try := fmt.Sprintf("build the %s with %s, and the lab anew", module, guest.ModulesCommand(sets...))
	if len(systems) > 0 {
		hint := fmt.Sprintf("guests with an operating system have none: write guest: true on %s", strings.Join(systems, ", "))
		if len(systems) == len(hosts) {
			try = hint
		} else {
			try += "; " + hint
		}
	}
	return fmt.Sprintf("in this lab there is no %s on %s: %s", what, strings.Join(hosts, ", "), try)
}

// needsIWARP says whether an experiment speaks RDMA with one of the hosts over a card that the plan has for iWARP.
func needsIWARP(p *plan.Plan, x *fabric.Experiment, hosts []string) bool {
	transports := x.Axis("transport")
	rdma := x.Method == "verbs" && len(transports) == 0
	for _, t := range transports {
		rdma = rdma || t == "iwarp" || t == "smb-direct"
	}
	return rdma && slices.ContainsFunc(slices.Concat(x.From, x.To, x.On), func(end string) bool {
		name, _, _ := strings.Cut(end, ".")
		h := p.Host(name)
		return slices.Contains(hosts, name) && h != nil && h.Decl != nil && slices.ContainsFunc(h.Decl.NICs, func(n *fabric.NIC) bool {
			return n.RDMA == "iwarp" && (len(x.Via) == 0 || slices.Contains(x.Via, n.Name))
		})
	})
}

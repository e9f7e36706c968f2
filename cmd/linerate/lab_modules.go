package main

import (
	"fmt"
	"slices"
	"strings"

	"linerate/fabric"
	"linerate/guest"
	"linerate/lab"
	"linerate/plan"
	"linerate/run"
)

// withoutModules says which guests lack modules that the plan needs, and what builds them, and lists the experiments that need
// them as not run. Everything else goes on.
func (e *env) withoutModules(p *plan.Plan, cells []*run.Cell, i lab.Info) {
	hosts, sets := i.Lacking()
	if len(hosts) == 0 {
		return
	}
	why := noIWARP(i, hosts, sets)
	var names []string
	for _, c := range cells {
		at := slices.IndexFunc(p.Fabric.Experiments, func(x *fabric.Experiment) bool { return x.Name == c.Exp.Name })
		if at < 0 || c.Exp.Variant != p.Variant || !needsIWARP(p, p.Fabric.Experiments[at], hosts) {
			continue
		}
		if c.Exp.NotRun == "" {
			c.Exp.NotRun = why
		} else if !strings.HasSuffix(c.Exp.NotRun, why) { // a resumed run has it already
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
}

// noIWARP says on which hosts there is none, and what helps.
func noIWARP(i lab.Info, hosts, sets []string) string {
	var systems []string
	for _, g := range i.Guests {
		if g.System != "" && len(g.Lacks) > 0 {
			systems = append(systems, g.Host)
		}
	}
	try := fmt.Sprintf("build the module with %s, and the lab anew", guest.ModulesCommand(sets...))
	if len(systems) > 0 {
		hint := fmt.Sprintf("guests with an operating system have none: write guest: true on %s", strings.Join(systems, ", "))
		if len(systems) == len(hosts) {
			try = hint
		} else {
			try += "; " + hint
		}
	}
	return fmt.Sprintf("in this lab there is no iWARP on %s: %s", strings.Join(hosts, ", "), try)
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

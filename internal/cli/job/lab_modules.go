package job

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/lab"
	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
	"linerate/internal/run/experiment"
)

// withoutModules reports which guests are missing modules that the plan needs, and how to build them, and marks the
// experiments that need them as not run. Everything else goes on.
func withoutModules(e *cli.Env, p *plan.Plan, combinations []*experiment.Combination, i lab.Info) {
	_, sets := i.MissingModules()
	for _, set := range sets {
		var hosts []string
		for _, g := range i.Guests {
			if slices.Contains(g.Missing, set) {
				hosts = append(hosts, g.Host)
			}
		}
		what, module := "iWARP", "module"
		needs := func(x *fabric.Experiment) bool { return needsIWARP(p, x, hosts) }
		if set == layout.SMBDirectModules {
			what, module, needs = "SMB Direct", "modules", needsSMBDirect(p, hosts)
		}
		withoutSet(e, p, combinations, needs, missingText(what, module, i, hosts, sets))
	}
}

// withoutSet marks experiments with a need as not run, with the reason.
func withoutSet(e *cli.Env, p *plan.Plan, combinations []*experiment.Combination, needs func(*fabric.Experiment) bool,
	why string) {
	var names, instead []string
	known := map[string]bool{}
	for _, c := range combinations {
		if does, ok := known[c.Record.Name]; ok && !does || c.Record.Variant != p.Variant {
			continue
		}
		at := slices.IndexFunc(p.Fabric.Experiments, func(x *fabric.Experiment) bool { return x.Name == c.Record.Name })
		known[c.Record.Name] = at >= 0 && needs(p.Fabric.Experiments[at])
		if !known[c.Record.Name] {
			continue
		}
		if c.Substituted() {
			instead = xslices.AppendNew(instead, c.Record.Name)
			continue
		}
		if c.Record.NotRun == "" {
			c.Record.NotRun = why
		} else if !strings.Contains(c.Record.NotRun, why) { // a resumed run has it already
			c.Record.NotRun += "; " + why
		}
		names = xslices.AppendNew(names, c.Record.Name)
	}
	fmt.Fprintf(e.Err, "warning: %s\n", why)
	if len(names) > 0 {
		fmt.Fprintf(e.Err, "  not run without it: %s\n", strings.Join(names, ", "))
	}
	if len(instead) > 0 {
		fmt.Fprintf(e.Err, "  something else replaces it: %s\n", strings.Join(instead, ", "))
	}
}

// needsSMBDirect selects experiments that use SMB Direct with one of the hosts.
func needsSMBDirect(p *plan.Plan, hosts []string) func(*fabric.Experiment) bool {
	speak := map[string]bool{}
	for _, n := range layout.Needs(p) {
		speak[n.Experiment] = speak[n.Experiment] || n.SMBDirect() && slices.Contains(hosts, n.Host)
	}
	return func(x *fabric.Experiment) bool { return speak[x.Name] }
}

// missingText reports on which hosts a module is missing, and what helps.
func missingText(what, module string, i lab.Info, hosts, sets []string) string {
	var systems []string
	for _, g := range i.Guests {
		if g.System != "" && slices.Contains(hosts, g.Host) {
			systems = append(systems, g.Host)
		}
	}
	try := fmt.Sprintf("build the %s with %s, and the lab again", module, guest.ModulesCommand(sets...))
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

// needsIWARP reports whether an experiment uses RDMA with one of the hosts over an adapter that is planned for iWARP.
func needsIWARP(p *plan.Plan, x *fabric.Experiment, hosts []string) bool {
	transports := x.Parameter("transport")
	rdma := method.Named(x.Method).UsesRDMA && len(transports) == 0
	for _, t := range transports {
		rdma = rdma || t == "iwarp" || t == "smb-direct"
	}
	return rdma && slices.ContainsFunc(slices.Concat(x.From, x.To, x.On), func(end string) bool {
		name, _, _ := strings.Cut(end, ".")
		h := p.Host(name)
		return slices.Contains(hosts, name) && h != nil && h.Decl != nil &&
			slices.ContainsFunc(h.Decl.NICs, func(n *fabric.NIC) bool {
				return n.RDMA == "iwarp" && (len(x.Via) == 0 || slices.Contains(x.Via, n.Name))
			})
	})
}

package inspect

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/host/collect"
)

// dryMachine is what would be read from one machine.
type dryMachine struct {
	Host       string            `json:"host"`
	Connection string            `json:"connect"` // empty: it has none, and is not queried
	System     string            `json:"system"`  // linux, eos ..; empty: not in the file
	Readings   []collect.Reading `json:"readings,omitempty"`
	Commands   []string          `json:"commands,omitempty"` // of a switch
}

// DryFacts prints what would be read, from the tables that the reading itself uses, and queries no host.
func DryFacts(e *cli.Env, o FactsOptions) error {
	if o.Local {
		if o.AsJSON {
			return e.PrintObject("facts-dry-run", map[string]any{
				"hosts": []dryMachine{
					{Host: "", Connection: "local", System: runtime.GOOS, Readings: collect.Readings(runtime.GOOS)},
				},
			})
		}
		fmt.Fprintf(e.Out,
			"Nothing was read. On this machine linerate facts --local reads this, and nothing else; it changes nothing:\n")
		dryReadings(e, collect.Readings(runtime.GOOS))
		return nil
	}
	p, _, err := factsPlan(e, o)
	if err != nil {
		return err
	}
	if _, err := inventory.LabOf(o.Lab, p); err != nil {
		return err
	}
	var hosts, switches []dryMachine
	for _, h := range p.Hosts {
		system := baseSystem(h.OS)
		if o.Lab != "" {
			system = "linux"
		}
		hosts = append(hosts, dryMachine{Host: h.Name, Connection: inventory.ConnectionOf(h, o.Lab), System: system,
			Readings: slices.Concat(collect.Readings(system), collect.Probings(system))})
	}
	for _, s := range p.Switches {
		if s.Connection != "" && o.Lab == "" {
			switches = append(switches,
				dryMachine{Host: s.Name, Connection: s.Connection, System: s.System(), Commands: families.Commands(s.System())})
		}
	}
	if o.AsJSON {
		return e.PrintObject("facts-dry-run", map[string]any{"hosts": slices.Concat(hosts, switches)})
	}
	dryText(e, p, hosts, switches)
	return nil
}

func dryText(e *cli.Env, p *plan.Plan, hosts, switches []dryMachine) {
	fmt.Fprintf(e.Out,
		"No host was queried. Of the hosts of %s linerate facts reads this and tries their peers (probe), and does nothing "+
			"else:\n", cli.Clean(p.Name))
	for _, system := range systemsOf(hosts) {
		fmt.Fprintf(e.Out, "\nhosts with %s: %s\n", orUnsaid(system), machinesOf(hosts, system))
		fmt.Fprint(e.Out,
			"  On another machine the system is asked for (echo, uname -sm), linerate sends itself into a folder of its own "+
				"there, reads, and removes it.\n")
		dryReadings(e, slices.Concat(collect.Readings(system), collect.Probings(system)))
	}
	for _, system := range systemsOf(switches) {
		fmt.Fprintf(e.Out, "\nswitches with %s: %s\n", orUnsaid(system), machinesOf(switches, system))
		commands := families.Commands(system)
		if commands == nil {
			fmt.Fprint(e.Out, "  none: no commands are known for it\n")
			continue
		}
		fmt.Fprint(e.Out,
			"  Over ssh, a connection each, behind one that asks which shell answers (echo linerate $SHELL %OS%):\n")
		for _, c := range commands {
			fmt.Fprintf(e.Out, "  %s\n", c)
		}
	}
	for _, h := range hosts {
		if h.Connection == "" {
			fmt.Fprintf(e.Out, "\nnot asked: %s has no connection in the file\n", h.Host)
		}
	}
}

func dryReadings(e *cli.Env, list []collect.Reading) {
	for _, how := range []collect.How{collect.ReadFile, collect.AskKernel, collect.RunProgram, collect.SendProbes} {
		for _, r := range list {
			if r.How == how {
				fmt.Fprintf(e.Out, "  %-8s %s\n", how, r.What)
			}
		}
	}
}

// baseSystem is the system that determines a host's files and commands; empty if its release decides.
func baseSystem(os string) string {
	system := families.OfHost(os)
	switch {
	case system == nil:
		return os
	case len(system.Host.Editions) > 0:
		return ""
	}
	return cmp.Or(system.Program, system.Name)
}

func orUnsaid(system string) string {
	return cmp.Or(system, "a system that the file does not tell apart")
}

func systemsOf(list []dryMachine) (out []string) {
	for _, m := range list {
		if m.Connection != "" && !slices.Contains(out, m.System) {
			out = append(out, m.System)
		}
	}
	return out
}

func machinesOf(list []dryMachine, system string) string {
	var names []string
	for _, m := range list {
		if m.Connection != "" && m.System == system {
			names = append(names, cli.Clean(m.Host+" ("+m.Connection+")"))
		}
	}
	return strings.Join(names, ", ")
}

// DryRunType is the type of the JSON of linerate facts --dry-run.
func DryRunType() reflect.Type {
	return reflect.TypeFor[struct {
		Hosts []dryMachine `json:"hosts"`
	}]()
}

package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
)

// dryMachine is what would be asked of one machine.
type dryMachine struct {
	Host     string          `json:"host"`
	Reach    string          `json:"reach"`  // empty: it has none, and is not asked
	System   string          `json:"system"` // linux, eos ..; empty: the file does not say
	Readings []facts.Reading `json:"readings,omitempty"`
	Commands []string        `json:"commands,omitempty"` // of a switch
}

// dryFacts shows what would be read, out of the tables that the reading itself is held to, and asks nobody.
func (e *env) dryFacts(o factsOrder) error {
	if o.local {
		if o.asJSON {
			return e.object("facts-dry-run", map[string]any{"hosts": []dryMachine{{Host: "", Reach: "local", System: runtime.GOOS, Readings: facts.Readings(runtime.GOOS)}}})
		}
		fmt.Fprintf(e.out, "Nothing was read. On this machine linerate facts --local reads this, and nothing else; it changes nothing:\n")
		e.dryReadings(facts.Readings(runtime.GOOS))
		return nil
	}
	p, _, err := e.factsPlan(o)
	if err != nil {
		return err
	}
	if _, err := labOfPlan(o.lab, p); err != nil {
		return err
	}
	var hosts, switches []dryMachine
	for _, h := range p.Hosts {
		system := baseSystem(h.OS)
		if o.lab != "" {
			system = "linux"
		}
		hosts = append(hosts, dryMachine{Host: h.Name, Reach: reachOf(h, o.lab), System: system, Readings: slices.Concat(facts.Readings(system), facts.Probings(system))})
	}
	for _, s := range p.Switches {
		if s.Reach != "" && o.lab == "" {
			switches = append(switches, dryMachine{Host: s.Name, Reach: s.Reach, System: s.System(), Commands: facts.SwitchCommands(s.System())})
		}
	}
	if o.asJSON {
		return e.object("facts-dry-run", map[string]any{"hosts": slices.Concat(hosts, switches)})
	}
	e.dryText(p, hosts, switches)
	return nil
}

func (e *env) dryText(p *plan.Plan, hosts, switches []dryMachine) {
	fmt.Fprintf(e.out, "Nobody was asked. Of the hosts of %s linerate facts reads this and tries their peers (probe), and does nothing else:\n", clean(p.Name))
	for _, system := range systemsOf(hosts) {
		fmt.Fprintf(e.out, "\nhosts with %s: %s\n", orUnsaid(system), machinesOf(hosts, system))
		fmt.Fprint(e.out, "  On another machine the system is asked for (echo, uname -sm), linerate sends itself into a folder of its own there, reads, and removes it.\n")
		e.dryReadings(slices.Concat(facts.Readings(system), facts.Probings(system)))
	}
	for _, system := range systemsOf(switches) {
		fmt.Fprintf(e.out, "\nswitches with %s: %s\n", orUnsaid(system), machinesOf(switches, system))
		commands := facts.SwitchCommands(system)
		if commands == nil {
			fmt.Fprint(e.out, "  none: no commands are known for it\n")
			continue
		}
		fmt.Fprint(e.out, "  Over ssh, a connection each, behind one that asks which shell answers (echo linerate $SHELL %OS%):\n")
		for _, c := range commands {
			fmt.Fprintf(e.out, "  %s\n", c)
		}
	}
	for _, h := range hosts {
		if h.Reach == "" {
			fmt.Fprintf(e.out, "\nnot asked: %s has no reach in the file\n", h.Host)
		}
	}
}

func (e *env) dryReadings(list []facts.Reading) {
	for _, how := range []facts.How{facts.ReadFile, facts.AskKernel, facts.RunProgram, facts.SendProbes} {
		for _, r := range list {
			if r.How == how {
				fmt.Fprintf(e.out, "  %-8s %s\n", how, r.What)
			}
		}
	}
}

// baseSystem is the system whose files and commands a host has.
func baseSystem(os string) string {
	switch os {
	case "truenas":
		return "" // of FreeBSD up to version 13, of Linux from then on
	case "proxmox":
		return "linux"
	case "macos":
		return "darwin"
	}
	return os
}

func orUnsaid(system string) string {
	if system == "" {
		return "a system that the file does not tell apart"
	}
	return system
}

func systemsOf(list []dryMachine) (out []string) {
	for _, m := range list {
		if m.Reach != "" && !slices.Contains(out, m.System) {
			out = append(out, m.System)
		}
	}
	return out
}

func machinesOf(list []dryMachine, system string) string {
	var names []string
	for _, m := range list {
		if m.Reach != "" && m.System == system {
			names = append(names, clean(m.Host+" ("+m.Reach+")"))
		}
	}
	return strings.Join(names, ", ")
}

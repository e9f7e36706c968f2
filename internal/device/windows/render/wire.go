package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

// physical reports whether a port is a NIC's port with a cable: not a bond and not a virtual function.
func (r *render) physical(p *port) bool {
	nic := r.nic(p.Port)
	return !p.team && nic != nil && nic.VF == "" && p.Link != ""
}

// wire verifies that the port's link is up, and as fast as planned.
func (r *render) wire(p *port) {
	link := r.p.Link(p.Link)
	if !r.physical(p) || link == nil {
		return
	}
	checks := []check{{fmt.Sprintf("%s: the link is down: look at cable %s at both ends, and whether %s is on and "+
		"set up", p.ID, link.Label, r.otherEnd(p)),
		fmt.Sprintf("(Get-NetAdapter -Name %s).InterfaceOperationalStatus -eq 1", p.variable)}}
	if link.Speed > 0 && !link.InfiniBand {
		checks = append(checks, check{fmt.Sprintf("%s: the link is slower than %s", p.ID, link.Speed),
			fmt.Sprintf("(Get-NetAdapter -Name %s).ReceiveLinkSpeed -ge %.0f", p.variable, float64(link.Speed))})
	}
	r.add(step{source: msAdapter, why: "the link of cable " + link.Label, verify: checks})
}

// otherEnd returns the port at the other end of a port's cable.
func (r *render) otherEnd(p *port) string {
	link := r.p.Link(p.Link)
	if link == nil {
		return "the other end"
	}
	if link.Ends[0].ID == p.ID {
		return link.Ends[1].ID
	}
	return link.Ends[0].ID
}

// portChecks stops apply before it changes anything if two ports have one adapter, if a port has another adapter than
// at the previous apply (undo.ps1 and verify.ps1 use that one), or if a port's address is on another adapter.
func (r *render) portChecks(f *config.File) {
	chosen := ""
	for _, p := range r.ports {
		if !p.team {
			chosen += fmt.Sprintf("; %s = %s", must(p.ID), p.variable)
		}
	}
	if chosen == "" {
		return
	}
	f.Add("plan", "each port has an adapter of its own, and the one of the apply before",
		"$chosen = [ordered]@{ "+chosen[2:]+" }")
	f.Form("foreach ($port in @($chosen.Keys)) {", "    foreach ($other in @($chosen.Keys)) {",
		"        if ($other -ne $port -and $chosen[$other] -eq $chosen[$port]) { throw \"nothing was changed: ports $port "+
			"and $other have the same adapter, '$($chosen[$port])'; each needs its own\" }",
		"    }", "    $before = $state[\"adapter $port\"]",
		"    if ($state.ContainsKey('changed') -and $null -ne $before -and $before -ne $chosen[$port]) {",
		"        throw \"nothing was changed: apply.ps1 ran before with the adapter '$before' for port ${port}, and now "+
			"it is '$($chosen[$port])'; run undo.ps1 first, which puts '$before' back as it was, then apply.ps1 again\"",
		"    }", "    $state.Remove(\"adapter $port\")", "}")
	for _, p := range r.ports {
		if !p.team && p.Address.IsValid() {
			at := must(p.Address.Addr().String())
			f.Add(msCmdlets, "the address of port "+p.ID+" can be on one adapter only",
				fmt.Sprintf("if (@(Get-NetIPAddress -IPAddress %s -ErrorAction SilentlyContinue | Where-Object { "+
					"$_.InterfaceAlias -ne %s }).Count -gt 0) { throw %s }",
					at, p.variable, must(fmt.Sprintf("nothing was changed: %s, the address of port %s, is on another adapter; "+
						"Get-NetIPAddress -IPAddress %s says on which: take it off there first", p.Address.Addr(), p.ID,
						p.Address.Addr()))))
		}
	}
}

// fillIn describes how to find the adapters that the scripts cannot find, or not for sure, and where to write their
// names.
func (r *render) fillIn() {
	var blank, counted []*port
	for _, p := range r.ports {
		switch {
		case p.team || p.name != "":
		case len(p.ids) == 0:
			blank = append(blank, p)
		case p.of > 1 && r.physical(p):
			counted = append(counted, p)
		}
	}
	for _, p := range blank {
		find := "its name is in Get-NetAdapter"
		if r.physical(p) {
			link := r.p.Link(p.Link)
			find = fmt.Sprintf("to find it, plug in cable %s alone, with %s at its other end switched on; `Get-NetAdapter` "+
				"now shows one more adapter Up, and that is it; if none is, set up the other end first, because a port that "+
				"is not up may send nothing", link.Label, r.otherEnd(p))
		}
		r.d.Manual = append(r.d.Manual, config.Line{Source: msCmdlets,
			Text: fmt.Sprintf("Fill in the adapter of port %s in apply.ps1: `%s = Get-Port %s 'NAME'`; %s", p.ID, p.variable,
				must(p.ID), find),
			Why: fmt.Sprintf("the file does not name it, and its NIC does not identify it; apply.ps1 ends "+
				"before it changes anything as long as it is empty. For good: %s, write ports: [%s], and render again",
				r.p.NICIn(r.h, p.NIC), strings.TrimSuffix(strings.Repeat(`"NAME", `, max(p.of, 1)), ", "))})
	}
	for i, p := range counted {
		if i > 0 && counted[i-1].NIC == p.NIC {
			continue // once for a NIC
		}
		r.d.Unverified = append(r.d.Unverified,
			fmt.Sprintf("which cage of %s is port 1: apply.ps1 takes the order of the NIC's PCI functions. Plug in cable "+
				"%s alone, with %s at its other end switched on. `Get-NetAdapter` then shows one more adapter Up. It has to "+
				"be the one that apply.ps1 took for port %s (verify.ps1 says it). If it is the other, swap the plugs",
				p.NIC, r.p.Link(p.Link).Label, r.otherEnd(p), p.ID))
	}
}

package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

// byHand returns the steps in TrueNAS' web interface, and those that undo them.
func (r *render) byHand(core bool) (steps, undo config.File) {
	steps, undo = config.File{Name: "apply.md"}, config.File{Name: "undo.md"}
	n := 0
	step := func(source config.Source, why, text string) {
		n++
		steps.Add(source, why, fmt.Sprintf("%d. %s", n, config.Plain(text)))
	}
	steps.Form(config.Plain(fmt.Sprintf("# %s of the fabric %s: by hand, in TrueNAS' interface", r.h.Name, r.p.Name)), "")
	undo.Form(config.Plain(fmt.Sprintf("# %s of the fabric %s: undone, in TrueNAS' interface", r.h.Name, r.p.Name)),
		"", "The values that apply.md had you note belong into these places again.", "")
	save, upload := "System > General > Save Config", "System > General > Upload Config"
	if !core {
		save, upload = "System Settings > General > Manage Configuration > Download File (CORE: System > General > Save "+
			"Config)", "System Settings > General > Manage Configuration > Upload File (CORE: System > General > Upload Config)"
	}
	if core {
		steps.Form(config.Plain(fmt.Sprintf("For TrueNAS CORE and FreeNAS, which are FreeBSD. On SCALE, which is Linux, "+
			"the interfaces have other names: write version: SCALE at hosts: %s into %s, and render again.", r.h.Decl.Group,
			r.p.File())), "")
	}
	step(truenas, "what undo.md puts back",
		fmt.Sprintf("%s: keep the file. Then note what is now in the places that the steps below change (of each "+
			"interface DHCP, addresses and MTU).", save))
	step(syncs, "once one interface is saved, TrueNAS takes the addresses off all that are not",
		"Network > Interfaces, the house's port, over which you see this page. If its row has neither DHCP nor an "+
			"address of its own, it was never saved there, although it works. Then Edit it first: DHCP on, or the address "+
			"that it has now, and Apply. Else the LAN is gone once another interface is saved.")
	r.tunables(core, step, &undo)
	first := n + 1
	for _, p := range r.ports {
		r.interfaceSteps(p, &steps, step, &undo)
	}
	gateway := ""
	if !core {
		gateway = " If it asks for a default gateway or a name server, they are those of the LAN: the fabric " +
			"has none."
	}
	step(truenas, "TrueNAS takes the change back by itself if you are cut off",
		"Network > Interfaces: Test Changes, 60 seconds (FreeNAS 11.3: Apply Changes)."+gateway+" Open TrueNAS' page, "+
			"by its address in the LAN, in a second window of the browser. If it answers, Save Changes (FreeNAS 11.3: Keep "+
			"Changes) within the 60 seconds. If it does not, wait: the change is gone.")
	last := n
	undo.Add(truenas, "as when it was applied", "- Network > Interfaces: Test Changes, 60 seconds, then Save Changes.")
	if len(r.names.Lines) > 0 {
		step(truenas, "names of the peers on each link (names: hosts-file)",
			"Network > Global Configuration > Host name database: these lines, next to what is there:")
		steps.Form("")
		for _, l := range r.names.Lines {
			steps.Add(l.Source, l.Why, "       "+l.Text)
		}
		steps.Form("")
		undo.Add(truenas, "names of the peers",
			"- Network > Global Configuration > Host name database: take the lines of apply.md out.")
	}
	undo.Add(truenas, "the whole configuration as it was",
		fmt.Sprintf("- Or everything at once: %s, with the file that apply.md had you keep. TrueNAS restarts, and all "+
			"other settings that were made since are gone, too.", upload))
	r.calls(&steps, first, last)
	return steps, undo
}

// tunables adds drivers and sysctls of CORE.
func (r *render) tunables(core bool, step func(config.Source, string, string), undo *config.File) {
	if !core {
		return
	}
	for _, l := range r.sysctlConf.Lines {
		key, value, _ := strings.Cut(l.Text, "=")
		step(truenas, l.Why, fmt.Sprintf("System > Tunables > Add: Variable `%s`, Value `%s`, Type `SYSCTL`.", key,
			strings.Trim(value, `"`)))
	}
	if len(r.sysctlConf.Lines) > 0 {
		undo.Add(truenas, "the classes", "- System > Tunables: delete those of apply.md, and reboot.")
	}
	for _, l := range r.loaderConf.Lines {
		key, _, _ := strings.Cut(l.Text, "=")
		r.d.Manual = append(r.d.Manual, config.Line{Source: truenas,
			Text: fmt.Sprintf("See that the NIC's interfaces are listed (Network > Interfaces, or `ifconfig -l` in the "+
				"Shell). If they are not: System > Tunables > Add: Variable `%s`, Value `YES`, Type `LOADER`, and reboot", key),
			Why: "TrueNAS loads most drivers by itself; which ones depends on its release"})
	}
}

// interfaceSteps adds the steps for one interface, with its values in a column as in the form.
func (r *render) interfaceSteps(p *port, steps *config.File, step func(config.Source, string, string),
	undo *config.File) {
	name := p.name
	if name == "" {
		name = "(the interface of port " + p.ID
		if p.Part != nil {
			name += ", a " + config.Plain(p.Part.Name)
		}
		name += ")"
	}
	form := func(source config.Source, why, where string, values ...[]string) {
		step(source, why, where+" Then Apply.")
		steps.Form("")
		for _, l := range config.Columns(values) {
			steps.Add(source, why, "       "+config.Plain(l))
		}
		steps.Form("")
	}
	if p.bond != nil {
		form(truenas, "bond "+p.bond.Name, "Network > Interfaces > Add, with these values.",
			[]string{"Type", "Link Aggregation"}, []string{"Name", name},
			[]string{"Lagg Protocol", strings.ToUpper(p.protocol())}, []string{"Lagg Interfaces", strings.Join(p.of, ", ")})
		undo.Add(truenas, "bond "+p.bond.Name, fmt.Sprintf("- Network > Interfaces > %s: delete.", name))
	}
	target := name
	if p.VLAN > 0 {
		target = fmt.Sprintf("vlan%d", p.VLAN)
		form(truenas, fmt.Sprintf("link %s is tagged with VLAN %d", p.Link, p.VLAN),
			"Network > Interfaces > Add, with these values.", []string{"Type", "VLAN"}, []string{"Name", target},
			[]string{"Parent Interface", name}, []string{"Vlan Tag", fmt.Sprint(p.VLAN)})
		step(truenas, "MTU of link "+p.Link+", which the parent needs, too",
			fmt.Sprintf("Network > Interfaces > %s > Edit: MTU %d, Apply.", name, p.MTU))
	}
	edit := fmt.Sprintf("Network > Interfaces > %s > Edit, with these values.", target)
	if !p.Address.IsValid() {
		form(truenas, "MTU of link "+p.Link, edit, []string{"DHCP", "off"}, []string{"MTU", fmt.Sprint(p.MTU)})
		undo.Add(truenas, "the interface as it was",
			fmt.Sprintf("- Network > Interfaces > %s > Edit: DHCP and MTU as noted.", target))
		return
	}
	values := [][]string{{"Description", "link " + p.Link}, {"DHCP", "off"}, {"IP Address", p.Address.String()},
		{"MTU", fmt.Sprint(p.MTU)}}
	if p.media != "" {
		values = append(values, []string{"Options", p.media})
	}
	form(subnets, "address and MTU of link "+p.Link+"; no other interface is in "+p.Address.Masked().String(), edit,
		values...)
	undo.Add(truenas, "the interface as it was",
		fmt.Sprintf("- Network > Interfaces > %s > Edit: take %s out, DHCP and MTU as noted.", target, p.Address))
}

// calls adds the same steps for a shell, if the interfaces have names and none has to be created. The command that
// keeps the change is separate from those that make it: if pasted together, the change could not be undone
// automatically.
func (r *render) calls(steps *config.File, first, last int) {
	var lines []config.Line
	for _, p := range r.ports {
		if p.name == "" || p.bond != nil || p.VLAN > 0 || !p.Address.IsValid() || p.media != "" {
			return
		}
		kind := map[bool]string{true: "INET", false: "INET6"}[p.Address.Addr().Is4()]
		lines = append(lines, config.Line{Source: api, Why: "address and MTU of link " + p.Link, Text: fmt.Sprintf(
			`    midclt call interface.update %s '{"ipv4_dhcp": false, "aliases": [{"type": "%s", "address": "%s", "netmask": %d}], "mtu": %d}'`,
			p.name, kind, p.Address.Addr(), p.Address.Bits(), p.MTU)})
	}
	if len(lines) == 0 {
		return
	}
	if len(steps.Lines) > 0 && steps.Lines[len(steps.Lines)-1].Text != "" {
		steps.Form("")
	}
	steps.Form(fmt.Sprintf("Or, in place of steps %d to %d, in a shell of TrueNAS; the lines with update replace all "+
		"addresses that these interfaces have:", first, last), "")
	steps.Lines = append(steps.Lines, lines...)
	steps.Add(api, "undone after 60 seconds, unless it is kept",
		`    midclt call interface.commit '{"rollback": true, "checkin_timeout": 60}'`)
	steps.Form("", "Now open TrueNAS' page again, by its address in the LAN. Only if it answers, and within "+
		"the 60 seconds, this keeps the change; do not paste it together with the lines above:", "")
	steps.Add(api, "keeps it; only if the machine still answers", "    midclt call interface.checkin")
}

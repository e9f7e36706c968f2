package freebsd

import (
	"fmt"
	"strings"

	"linerate/config/device"
	"linerate/plan"
)

// TrueNAS renders a host with TrueNAS: it writes its network files itself, so what has to be done is done in its interface.
func TrueNAS(p *plan.Plan, h *plan.Host) (device.Device, error) {
	d := device.Device{What: "host, TrueNAS"}
	if h.Decl.Version != "" {
		d.What += " " + h.Decl.Version
	}
	lacks := p.HostLacks(h)
	if err := device.Refuse("host "+h.Name, lacks.Refusals()); err != nil {
		return d, err
	}
	d.Gaps(lacks.Gaps())
	core, known := isFreeBSD(h)
	r := &render{p: p, h: h, d: &d, q: p.QoS(), lacks: lacks}
	if !known {
		d.Unverified = append(d.Unverified, "the file does not say whether it is CORE (FreeBSD) or SCALE (Linux); write version: CORE 13, SCALE 24.10 or FreeNAS. The steps are the same, names of interfaces differ")
	}
	r.ports = trueNASPorts(p, h, core || !known)
	for _, f := range []**device.File{&r.apply, &r.keeps, &r.changes, &r.undo, &r.loaderConf, &r.rc, &r.sysctlConf, &r.names} {
		*f = &device.File{Comment: "#"}
	}
	r.verify = &device.File{Name: "verify.sh", Comment: "#", Exec: true}
	if core {
		r.loadDrivers()
		d.Unverified = nil
		r.verify.Form("#!/bin/sh")
		r.verify.Form(isFunction...)
		for _, x := range r.ports {
			r.port(x)
		}
	} else {
		r.scaleVerify()
	}
	if err := r.hosts(); err != nil {
		return d, err
	}
	r.verify.Form(verifyEnd...)
	steps, undo := r.byHand(core)
	d.Files = []device.File{steps, undo, *r.verify}
	d.Steps = []device.Step{
		{Do: "follow apply.md in TrueNAS' own interface, on a connection that does not run over the ports that it changes", Interrupts: "the ports that the plan names; TrueNAS takes the change back by itself after 60 seconds unless it is saved"},
		{Do: `sh verify.sh in a shell of TrueNAS: it ends with "as planned" (0), or says what is not (1) or what is not known (3)`},
		{Do: "to take it back: undo.md", Interrupts: "the ports that the plan names"},
	}
	for _, x := range r.ports {
		if x.guessed && x.name != "" {
			d.Unverified = append(d.Unverified, fmt.Sprintf("port %s is taken for %s: the driver's first free number, in the order of the file; ports: [..] says it for sure", x.ID, x.name))
		}
	}
	d.Unverified = append(d.Unverified, "not tried: there is no TrueNAS here; names of menus differ a little between versions")
	return d, nil
}

// trueNASPorts are the ports with names of FreeBSD, or without those that only FreeBSD gives.
func trueNASPorts(p *plan.Plan, h *plan.Host, core bool) []*port {
	list := findPorts(p, h)
	for _, x := range list {
		if x.guessed && !core {
			x.name = ""
		}
	}
	return list
}

// scaleVerify reads back what Linux says.
func (r *render) scaleVerify() {
	r.verify.Form("#!/bin/sh", "bad=0 unknown=0")
	for _, p := range r.ports {
		if !p.Address.IsValid() {
			continue
		}
		why := "address and MTU of link " + p.Link
		r.verify.Add("ip-address(8)", why, fmt.Sprintf(`dev=$(ip -o address show to %s | awk '{ print $2; exit }')`, p.Address.Addr()))
		r.verify.Add("ip-address(8)", why, fmt.Sprintf(`ip -o address show | grep -qF ' %s ' || { echo "not as planned: no interface has address %s"; bad=1; }`, p.Address, p.Address))
		r.verify.Add("ip-link(8)", why, fmt.Sprintf(`ip -o link show dev "${dev:-none}" 2>/dev/null | grep -qF ' mtu %d ' || { echo "not as planned: the interface with %s does not have MTU %d"; bad=1; }`, p.MTU, p.Address.Addr(), p.MTU))
	}
}

// byHand are the steps, and those that take them back.
func (r *render) byHand(core bool) (steps, undo device.File) {
	steps, undo = device.File{Name: "apply.md"}, device.File{Name: "undo.md"}
	n := 0
	step := func(source device.Source, why, text string) {
		n++
		steps.Add(source, why, fmt.Sprintf("%d. %s", n, device.Plain(text)))
	}
	steps.Form(device.Plain(fmt.Sprintf("# %s of the fabric %s: by hand, in TrueNAS' interface", r.h.Name, r.p.Name)), "")
	undo.Form(device.Plain(fmt.Sprintf("# %s of the fabric %s: taken back, in TrueNAS' interface", r.h.Name, r.p.Name)), "")
	undo.Form("Before apply.md, note what stands in these places; put it back here.", "")
	step(truenas, "what undo.md puts back", "System > General > Save Config (SCALE: System Settings > General > Manage Configuration > Download File): keep the file.")
	undo.Add(truenas, "the whole configuration as it was", "- To put back everything at once: upload the file that was kept, and TrueNAS reboots.")
	r.tunables(core, step, &undo)
	for _, p := range r.ports {
		r.interfaceSteps(p, step, &undo)
	}
	step(truenas, "TrueNAS takes the change back by itself if you are cut off", "Network > Interfaces: Test Changes, 60 seconds. Open the interface again in a new window; if it answers, Save Changes within the 60 seconds. If it does not, wait: the change is gone.")
	undo.Add(truenas, "as when it was applied", "- Network > Interfaces: Test Changes, 60 seconds, then Save Changes.")
	if len(r.names.Lines) > 0 {
		step(truenas, "names of the peers on each link (names: hosts-file)", "Network > Global Configuration > Host name database: these lines, beside what stands there:")
		steps.Form("")
		for _, l := range r.names.Lines {
			steps.Add(l.Source, l.Why, "       "+l.Text)
		}
		steps.Form("")
		undo.Add(truenas, "names of the peers", "- Network > Global Configuration > Host name database: take the lines of apply.md out.")
	}
	r.calls(&steps)
	return steps, undo
}

// tunables are drivers and sysctls of CORE.
func (r *render) tunables(core bool, step func(device.Source, string, string), undo *device.File) {
	if !core {
		return
	}
	for _, l := range r.sysctlConf.Lines {
		key, value, _ := strings.Cut(l.Text, "=")
		step(truenas, l.Why, fmt.Sprintf("System > Tunables > Add: Variable %s, Value %s, Type SYSCTL.", key, strings.Trim(value, `"`)))
	}
	if len(r.sysctlConf.Lines) > 0 {
		undo.Add(truenas, "the classes", "- System > Tunables: delete those of apply.md, and reboot.")
	}
	for _, l := range r.loaderConf.Lines {
		key, _, _ := strings.Cut(l.Text, "=")
		r.d.Unverified = append(r.d.Unverified, fmt.Sprintf("if an interface is not listed: System > Tunables > Add: Variable %s, Value YES, Type LOADER, and reboot; TrueNAS loads most drivers by itself", key))
	}
}

// interfaceSteps are those of one interface.
func (r *render) interfaceSteps(p *port, step func(device.Source, string, string), undo *device.File) {
	name := p.name
	if name == "" {
		name = "(the interface of port " + p.ID
		if p.Part != nil {
			name += ", a " + device.Plain(p.Part.Name)
		}
		name += ")"
	}
	if p.bond != nil {
		step(truenas, "bond "+p.bond.Name, fmt.Sprintf("Network > Interfaces > Add: Type Link Aggregation, Name %s, Lagg Protocol %s, Lagg Interfaces %s.", name, strings.ToUpper(p.protocol()), strings.Join(p.of, ", ")))
		undo.Add(truenas, "bond "+p.bond.Name, fmt.Sprintf("- Network > Interfaces > %s: delete.", name))
	}
	target := name
	if p.VLAN > 0 {
		step(truenas, fmt.Sprintf("link %s is tagged with VLAN %d", p.Link, p.VLAN), fmt.Sprintf("Network > Interfaces > Add: Type VLAN, Name vlan%d, Parent Interface %s, Vlan Tag %d.", p.VLAN, name, p.VLAN))
		step(truenas, "MTU of link "+p.Link+", which the parent needs, too", fmt.Sprintf("Network > Interfaces > %s > Edit: MTU %d, Apply.", name, p.MTU))
		target = fmt.Sprintf("vlan%d", p.VLAN)
	}
	if !p.Address.IsValid() {
		step(truenas, "MTU of link "+p.Link, fmt.Sprintf("Network > Interfaces > %s > Edit: DHCP off, MTU %d, Apply.", target, p.MTU))
		undo.Add(truenas, "the interface as it was", fmt.Sprintf("- Network > Interfaces > %s > Edit: DHCP and MTU as noted.", target))
		return
	}
	if p.media != "" {
		step(truenas, "PFC pauses one class; pause of the whole link excludes it", fmt.Sprintf("Network > Interfaces > %s > Edit: Options %s.", target, p.media))
	}
	step(subnets, "address and MTU of link "+p.Link+"; no other interface is in "+p.Address.Masked().String(),
		fmt.Sprintf("Network > Interfaces > %s > Edit: Description %s, DHCP off, IP Address %s, MTU %d, Apply.", target, "link "+p.Link, p.Address, p.MTU))
	undo.Add(truenas, "the interface as it was", fmt.Sprintf("- Network > Interfaces > %s > Edit: take %s out, DHCP and MTU as noted.", target, p.Address))
}

// calls says the same for a shell, where the interfaces have names and nothing has to be made.
func (r *render) calls(steps *device.File) {
	var lines []device.Line
	for _, p := range r.ports {
		if p.name == "" || p.bond != nil || p.VLAN > 0 || !p.Address.IsValid() {
			return
		}
		kind := map[bool]string{true: "INET", false: "INET6"}[p.Address.Addr().Is4()]
		lines = append(lines, device.Line{Source: api, Why: "address and MTU of link " + p.Link, Text: fmt.Sprintf(
			`    midclt call interface.update %s '{"ipv4_dhcp": false, "aliases": [{"type": "%s", "address": "%s", "netmask": %d}], "mtu": %d}'`, p.name, kind, p.Address.Addr(), p.Address.Bits(), p.MTU)})
	}
	if len(lines) == 0 {
		return
	}
	steps.Form("", "Or, instead of the steps for interfaces, in a shell of TrueNAS (the first lines replace all addresses that these interfaces have):", "")
	steps.Lines = append(steps.Lines, lines...)
	steps.Add(api, "taken back after 60 seconds, unless it is kept", `    midclt call interface.commit '{"rollback": true, "checkin_timeout": 60}'`)
	steps.Add(api, "keeps it; only if the machine still answers", "    midclt call interface.checkin")
}

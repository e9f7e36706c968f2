package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// TrueNAS renders a host with TrueNAS, which writes its network files itself: the steps are for its web interface.
func TrueNAS(p *plan.Plan, h *plan.Host) (config.Device, error) {
	core, known := isFreeBSD(h)
	d := config.Device{What: trueNASName(h.Decl.Version, core, known)}
	gaps := p.HostGaps(h)
	if err := config.Refuse("host "+h.Name, gaps.Refusals()); err != nil {
		return d, err
	}
	d.Gaps(gaps.Missing())
	r := &render{p: p, h: h, d: &d, q: p.QoS(), gaps: gaps}
	if !known {
		d.Unverified = append(d.Unverified, fmt.Sprintf("whether it is CORE (FreeBSD) or SCALE (Linux): %s does not say. "+
			"Write version: CORE 13, SCALE 24.10 or FreeNAS at hosts: %s, and render again. The steps are the same, names of "+
			"interfaces differ", p.File(), h.Decl.Group))
	}
	r.ports = trueNASPorts(p, h, core || !known)
	for _, f := range []**config.File{&r.apply, &r.keeps, &r.changes, &r.undo, &r.loaderConf, &r.rc, &r.sysctlConf,
		&r.names} {
		*f = &config.File{Comment: "#"}
	}
	r.verify = &config.File{Name: "verify.sh", Comment: "#", Exec: true}
	r.verify.Form("#!/bin/sh")
	r.verify.Form(isFunction...)
	if core {
		r.loadDrivers()
		for _, x := range r.ports {
			r.port(x)
		}
	} else {
		r.scaleVerify()
	}
	if err := r.hosts(); err != nil {
		return d, err
	}
	r.verifyNames()
	r.verify.Form(verifyEnd...)
	steps, undo := r.byHand(core)
	d.Files = []config.File{steps, undo, *r.verify}
	shell, look := "Shell", "`ifconfig NAME up`, then `ifconfig NAME` shows `status: active`"
	if !core {
		look = "on SCALE `ip -br link` shows it UP, and not NO-CARRIER"
		shell = "System Settings > Shell"
	}
	r.whichPort(look)
	linked := ""
	if slices.ContainsFunc(r.ports, func(x *port) bool { return x.Link != "" }) {
		linked = ". It also looks at the links: each cable has to be plugged, and the other end on and set up"
	}
	d.Steps = []config.Step{
		{Do: "follow apply.md in TrueNAS' own interface, on a connection that does not run over the ports that it changes",
			Interrupts: "the ports that the plan names; TrueNAS takes the change back by itself after 60 seconds unless it " +
				"is saved"},
		{Do: fmt.Sprintf("put verify.sh onto a share of %s, and run it in TrueNAS' shell (%s): `sh "+
			"/mnt/POOL/SHARE/verify.sh`. Or, with the SSH service on, `scp verify.sh root@%s:/tmp/` and there `sh "+
			"/tmp/verify.sh`. It ends with \"as planned\" (0), or says what is not (1) or what is not known (3)%s", h.Name,
			shell, h.Name, linked)},
		{Do: "to take it back: undo.md", Interrupts: "the ports that the plan names; everything, and all other settings " +
			"made since, only where the whole configuration is put back, which restarts TrueNAS"},
	}
	d.Unverified = append(d.Unverified, "not tried: there is no TrueNAS here; names of menus differ a little between "+
		"versions")
	return d, nil
}

// trueNASPorts returns the ports with names of FreeBSD, or else without the names that only FreeBSD has.
func trueNASPorts(p *plan.Plan, h *plan.Host, core bool) []*port {
	list := findPorts(p, h)
	for _, x := range list {
		if x.guessed && !core {
			x.name = ""
		}
	}
	return list
}

// scaleVerify compares the values that Linux reports.
func (r *render) scaleVerify() {
	for _, p := range r.ports {
		if !p.Address.IsValid() {
			continue
		}
		why := "address and MTU of link " + p.Link
		r.verify.Add("ip-address(8)", why, fmt.Sprintf(`dev=$(ip -o address show to %s | awk '{ print $2; exit }')`,
			p.Address.Addr()))
		r.verify.Add("ip-address(8)", why, fmt.Sprintf(
			`ip -o address show | grep -qF ' %s ' || { echo "not as planned: no interface has address %s"; bad=1; }`,
			p.Address, p.Address))
		r.verify.Add("ip-link(8)", why, fmt.Sprintf(
			`ip -o link show dev "${dev:-none}" 2>/dev/null | grep -qF ' mtu %d ' || { echo "not as planned: the interface with %s does not have MTU %d"; bad=1; }`,
			p.MTU, p.Address.Addr(), p.MTU))
		r.verify.Add("ip-link(8)", "link "+p.Link+" is up", fmt.Sprintf(
			`ip -o link show dev "${dev:-none}" 2>/dev/null | grep -qF 'LOWER_UP' || { echo "not as planned: the interface with %s has no link: look at its cable at both ends"; bad=1; }`,
			p.Address.Addr()))
	}
}

// verifyNames resolves the peers' names as programs do.
func (r *render) verifyNames() {
	for _, l := range r.names.Lines {
		address, names, _ := strings.Cut(l.Text, " ")
		for _, name := range strings.Fields(names) {
			r.verify.Add(getent, l.Why, fmt.Sprintf(
				`getent hosts %s | awk -v a=%s '$1 == a { found = 1 } END { exit !found }' || { echo "not as planned: the name %s is not %s"; bad=1; }`,
				name, address, name, address))
		}
	}
}

// trueNASName returns the name of TrueNAS in a version. FreeNAS is the older name of CORE.
func trueNASName(version string, core, known bool) string {
	has := func(word string) bool { return strings.Contains(strings.ToLower(version), word) }
	switch {
	case core && has("freenas"):
		return version + " (FreeBSD; TrueNAS CORE by its later name)"
	case core && has("core"):
		return "TrueNAS " + version + " (FreeBSD)"
	case core:
		return "TrueNAS CORE " + version + " (FreeBSD)"
	case known:
		return "TrueNAS " + version + " (Linux)"
	case version != "":
		return "TrueNAS " + version
	}
	return "TrueNAS"
}

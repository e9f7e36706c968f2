package render

import (
	"fmt"
	"strings"
)

// run makes a line that runs only on the running system.
func run(command string) string { return `[ -n "$root" ] || ` + command }

// noPause disables pause of the whole link.
const noPause = "media autoselect mediaopt full-duplex"

// port configures one interface: now, and in rc.conf.
func (r *render) port(p *port) {
	if p.name == "" {
		return
	}
	if p.bond != nil {
		r.makeLagg(p)
	}
	at := p.name
	if p.bond == nil {
		r.keep(p.name+".mtu", fmt.Sprintf(`ifconfig %s | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p'`, p.name))
		r.undo.Add(ifconfig, "the MTU that apply found",
			run(fmt.Sprintf(`[ ! -s "$state/%s.mtu" ] || ifconfig %s mtu "$(cat "$state/%s.mtu")"`, p.name, p.name, p.name)))
	}
	r.changes.Add(document, "MTU of link "+p.Link, run(fmt.Sprintf("ifconfig %s mtu %d", p.name, p.MTU)))
	r.verify.Add(ifconfig, "MTU of link "+p.Link,
		fmt.Sprintf(`is "MTU of %s" %d "$(ifconfig %s | sed -n 's/.* mtu \([0-9][0-9]*\).*/\1/p')"`, p.name, p.MTU, p.name))
	media := ""
	if carries(r.q, r.h, p) && r.pauses(p) {
		p.media = noPause
		media = " " + noPause
	}
	words := strings.TrimSpace(fmt.Sprintf("%s mtu %d%s", p.lagg(), p.MTU, media))
	if p.VLAN > 0 {
		at = fmt.Sprintf("%s.%d", p.name, p.VLAN)
		why := fmt.Sprintf("link %s is tagged with VLAN %d", p.Link, p.VLAN)
		r.rc.Add(rcConf, "carries link "+p.Link, fmt.Sprintf(`ifconfig_%s="%s up"`, p.name, words))
		r.rc.Add(rcConf, why, fmt.Sprintf(`vlans_%s="%d"`, p.name, p.VLAN))
		r.changes.Add(ifconfig, "carries link "+p.Link, run(fmt.Sprintf("ifconfig %s up", p.name)))
		r.changes.Add(ifconfig, why, run(fmt.Sprintf(`ifconfig %s >/dev/null 2>&1 || ifconfig %s create`, at, at)))
		r.undo.Add(ifconfig, why, run(fmt.Sprintf(`! ifconfig %s >/dev/null 2>&1 || ifconfig %s destroy`, at, at)))
		words = ""
	}
	r.address(p, at, words)
}

// keep saves an old value for undo. A second apply keeps the values that the first one saved.
func (r *render) keep(name, command string) {
	r.keeps.Add("plan", "the old value, for undo",
		run(fmt.Sprintf(`[ -e "$state/%s" ] || { %s; } >"$state/%s"`, name, command, name)))
}

// address sets the address of the interface. words are its other settings in rc.conf.
func (r *render) address(p *port, at, words string) {
	if !p.Address.IsValid() {
		r.rc.Add(rcConf, "carries link "+p.Link, fmt.Sprintf(`ifconfig_%s="%s up"`, rcName(at), words))
		r.changes.Add(ifconfig, "carries link "+p.Link, run(fmt.Sprintf("ifconfig %s up", at)))
		return
	}
	ip, bits := p.Address.Addr(), p.Address.Bits()
	why := "address on link " + p.Link
	family, set, variable := "inet", p.Address.String(), "ifconfig_"+rcName(at)
	pattern := fmt.Sprintf("inet %s ", ip)
	if !ip.Is4() {
		family, set, variable = "inet6", fmt.Sprintf("%s prefixlen %d", ip, bits), variable+"_ipv6"
		pattern = fmt.Sprintf("inet6 %s ", ip)
		r.rc.Add(rcConf, "carries link "+p.Link, fmt.Sprintf(`ifconfig_%s="%s"`, rcName(at), strings.TrimSpace(words+" up")))
		words = ""
	}
	if p.VLAN == 0 && p.bond == nil {
		r.keep(at+".had", fmt.Sprintf(`ifconfig %s %s | grep -cF '%s' || true`, at, family, pattern))
	}
	r.changes.Add(ifconfig, why, run(fmt.Sprintf(`ifconfig %s %s | grep -qF '%s' || ifconfig %s %s %s alias`, at, family,
		pattern, at, family, set)))
	r.changes.Add(ifconfig, "carries link "+p.Link, run(fmt.Sprintf("ifconfig %s up", at)))
	r.rc.Add(rcConf, why+"; rc.conf(5) takes the last line of a name",
		fmt.Sprintf(`%s="%s"`, variable, strings.TrimSpace(family+" "+set+" "+words)))
	want := fmt.Sprintf("inet %s netmask %s", ip, netmask(bits))
	if !ip.Is4() {
		want = fmt.Sprintf("inet6 %s prefixlen %d", ip, bits)
	}
	r.verify.Add(ifconfig, why, fmt.Sprintf(
		`ifconfig %s %s | grep -qF '%s ' || { echo "not as planned: %s has no address %s"; bad=1; }`, at, family, want, at,
		p.Address))
	r.verify.Add(ifconfig, "link "+p.Link+" is up",
		fmt.Sprintf(`is "status of %s" active "$(ifconfig %s | sed -n 's/^[[:space:]]*status: //p')"`, p.name, p.name))
	if p.VLAN == 0 && p.bond == nil {
		r.undo.Add(ifconfig, why, run(fmt.Sprintf(`[ "$(cat "$state/%s.had")" != 0 ] || ifconfig %s %s %s -alias`, at, at,
			family, ip)))
	}
}

// rcName converts an interface's name for variables of rc.conf: mce0.711 is mce0_711.
func rcName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// netmask writes a prefix length as ifconfig does: 0xffffff00.
func netmask(bits int) string { return fmt.Sprintf("0x%08x", uint32(0xffffffff<<(32-bits))) }

// protocol returns the bond's mode in terms of lagg(4); empty if there is no equivalent.
func (p *port) protocol() string {
	if p.bond == nil {
		return ""
	}
	return map[string]string{"lacp": "lacp", "backup": "failover"}[p.bond.Mode]
}

// lagg returns the arguments that make an interface a bond; empty if it is not one.
func (p *port) lagg() string {
	if p.protocol() == "" {
		return ""
	}
	out := "laggproto " + p.protocol()
	for _, m := range p.of {
		out += " laggport " + m
	}
	return out
}

// makeLagg makes a bond. The plan refuses modes without an equivalent.
func (r *render) makeLagg(p *port) {
	proto := p.protocol()
	why := fmt.Sprintf("bond %s, mode %s", p.bond.Name, p.bond.Mode)
	r.changes.Add(lagg, why, run(fmt.Sprintf("ifconfig %s >/dev/null 2>&1 || ifconfig %s create", p.name, p.name)))
	r.changes.Add(lagg, why, run(fmt.Sprintf("ifconfig %s %s", p.name, p.lagg())))
	r.rc.Add(rcConf, why, fmt.Sprintf(`cloned_interfaces="${cloned_interfaces} %s"`, p.name))
	r.undo.Add(lagg, why, run(fmt.Sprintf("! ifconfig %s >/dev/null 2>&1 || ifconfig %s destroy", p.name, p.name)))
	r.verify.Add(lagg, why, fmt.Sprintf(
		`ifconfig %s | grep -qF 'laggproto %s' || { echo "not as planned: %s is not a lagg with %s"; bad=1; }`, p.name, proto,
		p.name, proto))
}

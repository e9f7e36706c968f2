package plan

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// HostLacks are what a host is not told of the plan.
func (p *Plan) HostLacks(h *Host) Lacks {
	l := &lacking{p: p, subject: "host " + h.Name}
	if h.Decl != nil {
		l.line = h.Decl.At.Line
	}
	switch h.OS {
	case "linux", "proxmox":
		l.linux(h)
	case "freebsd":
		l.freebsdNames(h)
		l.freebsd(h)
	case "truenas":
		l.trueNAS(h)
	case "windows":
		l.windows(h)
	case "":
		l.add(record.Warning, "", "write os: linux, freebsd, truenas, windows or proxmox", "the file does not say its system").leftOut()
	default:
		system := h.OS
		if system == "macos" {
			system = "macOS"
		}
		l.add(record.Warning, "", "set its addresses by hand, they stand in the plan", "there is no documented way to configure %s here", system).leftOut()
	}
	return l.out
}

// plugged says whether a port has something to be told: a cable, or the address of a function.
func (p *Port) plugged() bool { return p.Link != "" || p.Address.IsValid() }

// freeBSDName is how an interface's name looks: it stands in names of variables of rc.conf and in sysctls.
var freeBSDName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,13}[a-z0-9]$`)

// FreeBSDInterface says whether a name can be an interface's of FreeBSD.
func FreeBSDInterface(name string) bool { return freeBSDName.MatchString(name) }

func (l *lacking) freebsdNames(h *Host) {
	for _, p := range h.Ports {
		if p.plugged() && p.Declared && p.Interface != "" && !FreeBSDInterface(p.Interface) {
			l.add(record.Error, "", "write the interface's own name (ifconfig -l)",
				"port %s: %q cannot be written into rc.conf as an interface: a name has small letters, digits and _, such as mlxen0", p.ID, p.Interface)
		}
	}
}

// freebsd are the classes of a host with FreeBSD's network, and its bonds.
func (l *lacking) freebsd(h *Host) {
	q := l.p.QoS()
	for _, p := range h.Ports {
		if b := h.bondOf(p); b != nil && p.plugged() && b.Mode == "set" {
			l.teamOfWindows(h, b)
		}
		if q == nil || !p.plugged() || !h.carriesClasses(p) {
			continue
		}
		driver := p.driver("freebsd")
		if driver != "mlx5en" {
			why := "no documented command of its driver sets them"
			if p.Part != nil {
				if has, known := p.Part.Drivers["freebsd"].PFC.Get(); known && !has {
					why = "its driver has no PFC"
				}
			}
			if driver != "" {
				why = driver + ": " + why
			}
			l.add(record.Warning, LackClasses, "take a card with mlx5en (ConnectX-4 or newer), or leave the host out of the classes", "the fabric's classes are not set (%s)", why).at(p.ID)
			continue
		}
		if p.Declared && !strings.HasPrefix(p.Interface, "mce") {
			l.add(record.Warning, LackClasses, "write the driver's own name of it (mce0)", "the fabric's classes are not set: the number of its sysctls (dev.mce.N) is not known for an interface called %s", p.Interface).at(p.ID)
			continue
		}
		l.add(record.Warning, LackShares, "set them by hand if the host's own direction needs them",
			"the shares of the classes (%s) are not set: dev.mce.N.conf.qos.tc_rate_share takes one value for each traffic class of the card, and the driver has a rule of its own for their sum; the switch shares the link in its direction", q.shares()).at(p.ID)
		if q.Trust == "port" {
			l.add(record.Warning, "", "write trust: dscp", "trust: port: the driver has no such setting; the classes of the port go by DSCP").at(p.ID)
		}
	}
}

// teamOfWindows is a bond that only Windows has.
func (l *lacking) teamOfWindows(h *Host, b *fabric.Bond) {
	x := l.add(record.Error, "", "write mode: lacp or mode: backup", "mode set is Windows' own (switch embedded teaming), and the host runs %s", h.OS).by(ruleBondID)
	x.Subject, x.Line = "bond "+h.Name+"."+b.Name, b.At.Line
}

// shares are the classes with their shares, as people read them.
func (q *QoS) shares() string {
	var out []string
	for _, c := range q.Classes {
		if !c.Strict {
			out = append(out, fmt.Sprintf("%s %d %%", c.Name, c.Percent))
		}
	}
	return strings.Join(out, ", ")
}

func (l *lacking) trueNAS(h *Host) {
	seen := map[string]string{}
	for _, p := range h.Ports {
		if !p.Address.IsValid() {
			continue
		}
		key := p.Address.Masked().String()
		if _, ok := seen[key]; ok {
			l.add(record.Error, "", "give each link a subnet of its own, or join the ports in a bond", "several ports in %s, and TrueNAS allows one interface a subnet (its manual)", key).by(ruleSameSubnetID)
			break
		}
		seen[key] = p.ID
	}
	switch catalog.SystemOf(h.OS, h.Decl.Version) {
	case "freebsd":
		l.freebsdNames(h)
		l.freebsd(h)
		return
	case "":
		l.freebsdNames(h)
	}
	for _, b := range h.Decl.Bonds {
		if b.Mode == "set" {
			l.teamOfWindows(h, b)
		}
	}
	if q := l.p.QoS(); q != nil && slices.ContainsFunc(h.Ports, func(p *Port) bool { return p.plugged() && h.carriesClasses(p) }) {
		l.add(record.Warning, LackClasses, "run FreeBSD or Linux there, or leave the host out of the classes", "the fabric's classes are not set: no documented place of TrueNAS for them outlives an update")
	}
}

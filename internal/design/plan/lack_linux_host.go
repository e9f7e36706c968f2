package plan

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/fabric"
	"linerate/internal/record"
)

// linux are the lacks of a host with Linux or Proxmox.
func (l *lacking) linux(h *Host) {
	l.linuxNames(h)
	managers, why, ok := h.Managers()
	all := strings.Join(networkManagers, ", ") + ", " + NoManager
	switch {
	case !ok:
		l.add(record.Error, "", "write one of "+all, "settings: network: %q is none of %s", h.Decl.Settings["network"], all)
	case len(managers) == 0 && h.Decl.Settings["network"] == "":
		l.add(record.Warning, "", "write settings: {network: networkd, netplan, networkmanager, ifupdown or ifupdown2}", "its addresses and MTU are gone with a reboot: there are no files of a network manager, because %s", why)
	}
	for _, s := range h.Settings {
		p := portOf(h, s.Interface)
		if p == nil {
			continue
		}
		if link := l.p.Link(p.Link); s.Kind == SetLink && slices.Contains(managers, Netplan) && link != nil && link.InfiniBand {
			const reason = "it carries InfiniBand, of which the reference of netplan does not speak"
			if len(managers) == 1 {
				l.add(record.Warning, "", "write settings: {network: networkd} or another manager", "it is gone with a reboot: %s", reason).at(p.ID)
			} else {
				l.add(record.Info, "", "write the host's network manager (settings: {network: ..}) if it is another", "if netplan configures the host's network, it is gone with a reboot: %s", reason).at(p.ID)
			}
		}
		if s.Kind == SetQoS {
			l.linuxClasses(h, p, s.QoS)
		}
	}
}

func portOf(h *Host, name string) *Port {
	for _, p := range h.Ports {
		if p.Interface == name {
			return p
		}
	}
	return nil
}

// linuxNames looks at the names that the file gives interfaces, and at those of bonds and VLANs.
func (l *lacking) linuxNames(h *Host) {
	made := map[string]bool{}
	seen := map[string]bool{}
	look := func(name, of, fix string) {
		if why := UnfitInterface(name); why != "" && !seen[name] {
			seen[name] = true
			l.add(record.Error, "", fix, "%s: %q is no name of an interface: %s", of, name, why)
		}
	}
	used := map[string]bool{}
	for _, s := range h.Settings {
		used[s.Interface] = true
		for _, m := range s.Of {
			used[m] = true
		}
		switch s.Kind {
		case SetBond:
			made[s.Interface] = true
			look(s.Interface, "bond", "give the bond another name")
		case SetVLAN:
			made[s.Key] = true
			if UnfitInterface(s.Interface) == "" { // else it takes its name from one that is refused already
				look(s.Key, fmt.Sprintf("VLAN %d", s.Int), "write a shorter name for the interface under it (ports:)")
			}
		}
	}
	for _, p := range h.Ports {
		if p.Declared && used[p.Interface] && !made[p.Interface] {
			look(p.Interface, "port "+p.ID, "write the interface's own name (ip link)")
		}
	}
}

// UnfitInterface says why a name cannot be an interface's of Linux: the kernel takes up to 15 bytes without / and spaces
// (dev_valid_name); beyond that, a name that every format of files takes has letters, digits, - _ and dots.
func UnfitInterface(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > 15:
		return fmt.Sprintf("it has %d bytes, and Linux takes 15", len(name))
	case name == "lo" || name == "all" || name == "default":
		return "the kernel uses that name for something else"
	case !BareWord(name) || strings.ContainsAny(name, ":/"):
		return "it may have letters, digits, - _ and dots, and begins with a letter or digit"
	}
	return ""
}

// linuxClasses are the lacks of a port that gets the fabric's classes.
func (l *lacking) linuxClasses(h *Host, p *Port, q *QoS) {
	driver := p.driver("linux")
	if mark := q.RoCEMark(); mark >= 0 && h.SpeaksRoCEv2(p) && l.p.asksRDMA(h, p) && !strings.Contains(driver, "mlx") {
		l.add(record.Warning, LackClasses, "have its programs mark it, or take a card of NVIDIA's",
			"RoCE is not marked with DSCP %d: no document says how a card of the driver %s is told; traffic that is not marked is in no class", mark, orNotKnown(driver)).at(p.ID)
	}
	if strings.Contains(driver, "mlx4") && q.Trust == "dscp" && slices.ContainsFunc(q.Classes, func(c QoSClass) bool { return len(c.DSCP) > 0 }) {
		l.add(record.Warning, "", "write trust: pcp with a VLAN, or take a ConnectX-4 or newer", "a DSCP map is not set: no document gives one for the driver mlx4; a class goes by the priority of a VLAN tag there").at(p.ID)
	}
	if q.Trust == "port" {
		l.add(record.Warning, "", "write trust: dscp", "trust: port: Linux has no such setting; the classes of a port go by DSCP and tag").at(p.ID)
	}
}

// driver is the port's driver on a system, as the catalogue has it; empty if it has none.
func (p *Port) driver(system string) string {
	if p.Part == nil {
		return ""
	}
	return p.Part.Drivers[system].Driver
}

func orNotKnown(s string) string {
	if s == "" {
		return "not known"
	}
	return s
}

// RoCEMark is the DSCP that RoCE is sent with: that of the lossless class, else of one that is marked; -1: none.
func (q *QoS) RoCEMark() int {
	out := -1
	for _, c := range q.Classes {
		if len(c.DSCP) > 0 && !c.CNP && (c.Lossless || c.ECN && out < 0) {
			out = c.DSCP[0]
		}
	}
	return out
}

// SpeaksRoCEv2 says whether a port is to send RoCE version 2, whose packets carry a DSCP.
func (h *Host) SpeaksRoCEv2(p *Port) bool {
	if n := nic(h, p.Card); n != nil && n.RDMA != "" {
		return n.RDMA == "rocev2"
	}
	return p.Part != nil && slices.Contains(p.Part.RDMA, "rocev2")
}

// asksRDMA says whether the file asks for RDMA of a port: at its card, or of its host in an experiment. A card that only could is asked for none.
func (p *Plan) asksRDMA(h *Host, port *Port) bool {
	if n := nic(h, port.Card); n != nil && n.RDMA != "" {
		return n.RDMA != "none"
	}
	return slices.ContainsFunc(p.Fabric.Experiments, func(e *fabric.Experiment) bool {
		return wantsRDMA(e) && slices.ContainsFunc(slices.Concat(e.On, e.From, e.To), func(end string) bool {
			name, _, _ := strings.Cut(end, ".")
			return name == h.Name
		})
	})
}

// carriesClasses says whether the fabric's classes are for a port: of a card of its own, on Ethernet.
func (h *Host) carriesClasses(p *Port) bool {
	n := nic(h, p.Card)
	return n != nil && n.VF == "" && n.Mode != "ib"
}

// bondOf is the bond that a port is, or nil.
func (h *Host) bondOf(p *Port) *fabric.Bond {
	for _, b := range h.Decl.Bonds {
		if b.Name == p.Card && nic(h, p.Card) == nil {
			return b
		}
	}
	return nil
}

package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// findNames gives every port with a setting its variable, and the properties by which the machine finds it.
func (c *context) findNames() {
	used := map[string]bool{}
	for _, s := range c.host.Settings {
		used[s.Interface] = true
		for _, m := range s.Of {
			used[m] = true
		}
	}
	taken := map[string]bool{}
	for _, p := range c.host.Ports {
		if !used[p.Interface] || c.made[p.Interface] {
			continue
		}
		if p.Declared {
			c.interfaceName(p.Interface)
		}
		n := &portName{port: p, variable: variable(p, taken)}
		if p.Part != nil {
			n.ids = slices.Clone(p.Part.PCIIDs)
			c.count(n)
		}
		c.ports = append(c.ports, n)
		c.byName[p.Interface] = n
	}
}

// variable returns a shell variable that no other port has. The prefix distinguishes it from the shell's own variables.
func variable(p *plan.Port, taken map[string]bool) string {
	name := p.NIC
	if p.Index > 1 || strings.HasSuffix(p.ID, fmt.Sprintf(".%s.%d", p.NIC, p.Index)) {
		name = fmt.Sprintf("%sp%d", p.NIC, p.Index)
	}
	base := "if_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, name)
	v := base
	for i := 2; taken[v]; i++ {
		v = fmt.Sprintf("%s_%d", base, i)
	}
	taken[v] = true
	return v
}

// count finds the number of a port among all ports of the host whose NICs have the same PCI id.
func (c *context) count(n *portName) {
	nics := map[string]bool{}
	for _, p := range c.host.Ports {
		if p.Part == nil || !slices.ContainsFunc(p.Part.PCIIDs, func(id string) bool { return slices.Contains(n.ids, id) }) {
			continue
		}
		for _, id := range p.Part.PCIIDs {
			n.ids = xslices.AppendNew(n.ids, id)
		}
		n.same++
		nics[p.NIC] = true
		if p == n.port {
			n.which = n.same
		}
	}
	n.nics = len(nics)
}

// names writes how the script finds its interfaces. Nothing else happens before all of them are known. otherwise is the
// message if they are not.
func (c *context) names(f *config.File, otherwise string) {
	if len(c.ports) == 0 {
		return
	}
	f.Form("", "# What this machine calls the plan's ports. To say it yourself: "+c.ports[0].variable+"=NAME sh "+f.Name)
	for _, n := range c.ports {
		why := fmt.Sprintf("port %s", n.port.ID)
		if n.port.Part != nil {
			why += " of the " + n.port.Part.Name
		}
		if n.port.Declared {
			f.Add("plan", why+": its name is written in the file",
				fmt.Sprintf("%s=${%s:-%s}", n.variable, n.variable, c.interfaceName(n.port.Interface)))
		} else {
			f.Add("plan", why+": its name is not written in the file", fmt.Sprintf("%s=${%s:-}", n.variable, n.variable))
		}
	}
	for _, n := range c.ports {
		f.Add("kernel sysfs-class-net", fmt.Sprintf("port %s: %s", n.port.ID, n.how()),
			strings.TrimSpace(fmt.Sprintf("port %s %s %s %d %d %d %s", n.variable, c.q(n.port.Interface),
				c.q(strings.Join(n.ids, " ")), n.same, n.which, n.nics, n.module())))
	}
	f.Form(fmt.Sprintf(`[ -z "$lacking" ] || end 2 "%s"`, otherwise))
}

// module returns the kernel module of the port's NIC; empty: unknown.
func (n *portName) module() string {
	m, _, _ := strings.Cut(n.driver(), "/")
	if !device.BareWord(m) {
		return ""
	}
	return m
}

// how describes how a port is found.
func (n *portName) how() string {
	switch {
	case n.port.Declared:
		return "it has to be there"
	case len(n.ids) == 0:
		return "an interface of the plan's name, else it has to be said, because the NIC's PCI id is not known"
	case n.nics > 1:
		return fmt.Sprintf("an interface of the plan's name, else it has to be said, because %d NICs of this host have "+
			"one PCI id", n.nics)
	}
	return fmt.Sprintf("an interface of the plan's name, else number %d of the %d ports with the NIC's PCI id, in the "+
		"order of PCI address and port", n.which, n.same)
}

// readme describes the same for the README.
func (n *portName) readme() string {
	switch {
	case n.port.Declared:
		return n.port.Interface + ", as the fabric file says"
	case len(n.ids) == 0:
		return fmt.Sprintf("one called %s, else you say it: `%s=NAME`", n.port.Interface, n.variable)
	case n.nics > 1:
		return fmt.Sprintf("one called %s, else you say it, because %d NICs here have one PCI id: `%s=NAME`",
			n.port.Interface, n.nics, n.variable)
	}
	return fmt.Sprintf("found by the NIC's PCI id (%s), or you say it: `%s=NAME`", strings.Join(n.ids, ", "), n.variable)
}

package fabric

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/diag"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/device/families"
)

func (d *decoder) allHosts(n *node) {
	d.each(n, "host", single(), func(name, group string, p pair, own, st step) {
		if len(d.f.Hosts) >= maxHosts {
			d.bad(diag.TooLarge, p.key.at, "host "+name, fmt.Sprintf("there are more than %d hosts", maxHosts),
				"linerate stops at this limit",
				"shorten the range")
			d.src.stop()
			return
		}
		f, ok := d.fields(p.value, "host", "host "+quoteName(group), p.key.at)
		h := &Host{Name: name, Group: group, At: p.key.at}
		d.f.Hosts = append(d.f.Hosts, h)
		d.hosts[name] = h
		if ok {
			d.host(h, f, st)
		}
	})
}

func (d *decoder) host(h *Host, f *fields, st step) {
	h.Note = f.Note
	h.OS = f.choice("os", families.Hosts()...)
	h.Version, h.System, h.CPU, h.Memory = f.text("version"), f.text("system"), f.text("cpu"), f.text("memory")
	h.Connection = d.connection(f, h.Name)
	h.Slots = f.slots()
	if n := f.scalar("on"); n != nil {
		h.On, _ = d.pick(n, f.subject, st)
		d.onAt[h] = n.at
	}
	h.Guest, h.GuestSystem = f.guest()
	h.Price = f.price("price", nil)
	h.Settings = f.table("settings")
	shared := map[string]At{} // NICs, bonds and drives share one namespace
	free := func(name string, p pair, what string) {
		if at, ok := shared[name]; ok {
			d.bad(diag.NameTwice, p.key.at, f.subject,
				fmt.Sprintf("the host has two entries called %s, the first in line %d", name, at.Line),
				"the names of NICs, bonds and drives differ", "rename one")
			return
		}
		shared[name] = p.key.at
	}
	d.each(f.get("nics"), "nic", st, func(name, group string, p pair, own, st step) {
		free(name, p, "nic")
		h.NICs = append(h.NICs, d.nic(h, name, group, p, own, st))
	})
	d.each(f.get("bonds"), "bond", st, func(name, group string, p pair, own, st step) {
		free(name, p, "bond")
		h.Bonds = append(h.Bonds, d.bond(h, name, group, p, own))
	})
	d.each(f.get("drives"), "drive", st, func(name, group string, p pair, own, st step) {
		free(name, p, "drive")
		h.Drives = append(h.Drives, d.drive(h, name, group, p, own, st))
	})
}

// guest reads how the lab runs a host: guest: true, or the operating system of a guest.
func (f *fields) guest() (is bool, system string) {
	n := f.scalar("guest")
	if n == nil {
		return false, ""
	}
	switch strings.ToLower(n.text) {
	case "true", "yes", "on":
		return true, ""
	case "false", "no", "off":
		return false, ""
	case "systemd":
		return true, "systemd"
	}
	f.bad(diag.ValueUnknown, "guest", fmt.Sprintf("%s is not a guest", quote(n.text)), "guest is true, false or systemd",
		"write guest: true, or guest: systemd to try configuration files in it")
	return false, ""
}

// login reads the name of a secret. It refuses the secret itself.
func (f *fields) login() string {
	n := f.scalar("login")
	if n == nil {
		return ""
	}
	name, ok := strings.CutPrefix(n.text, "env:")
	if ok && name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !nameRune(r) || r == '-' }) {
		return n.text
	}
	f.bad(diag.SecretInFile, "login", "login is not the name of a variable", "fabric files have no passwords",
		"write login: env:NAME, and set the variable NAME where linerate runs")
	return ""
}

func (d *decoder) bond(h *Host, name, group string, p pair, own step) *Bond {
	b := &Bond{Name: name, At: p.key.at}
	f, ok := d.fields(p.value, "bond", "bond "+quoteName(h.Group)+"."+quoteName(group), p.key.at)
	if !ok {
		return b
	}
	b.Note = f.Note
	b.Mode = f.choice("mode", "lacp", "backup", "set")
	if n := f.scalar("subnet"); n != nil {
		b.Subnet = d.subnetName(n, f.subject, own)
	}
	words := f.words("of")
	if len(words) == 0 {
		f.bad(diag.KeyMissing, "of", "the bond has no ports", "", "write of: [NIC.1, NIC.2]")
	}
	for _, w := range words {
		for _, text := range d.several([]*node{w}, f.subject, own) {
			port, ok := d.portOf(h, strings.Split(text, "."), w.at, f.subject, text)
			if !ok {
				continue
			}
			if port.Index == 0 || slices.Contains(b.Of, port) {
				d.bad(diag.PortUsed, w.at, f.subject, fmt.Sprintf("%s is not another port of the bond", quote(text)),
					"a bond joins different ports", "name each port once")
				continue
			}
			for _, other := range h.Bonds {
				if slices.Contains(other.Of, port) {
					d.bad(diag.PortUsed, w.at, f.subject, fmt.Sprintf("%s is also in bond %s", port, other.Name),
						"a port belongs to one bond",
						"delete it in one of the two")
				}
			}
			b.Of = append(b.Of, port)
		}
	}
	return b
}

// bondOf returns the bond that a port is a member of.
func (h *Host) bondOf(p Port) *Bond {
	return xslices.First(h.Bonds, func(b *Bond) bool { return slices.Contains(b.Of, p) })
}

func (h *Host) nic(name string) *NIC {
	return xslices.First(h.NICs, func(n *NIC) bool { return n.Name == name })
}

func (h *Host) bond(name string) *Bond {
	return xslices.First(h.Bonds, func(b *Bond) bool { return b.Name == name })
}

func (h *Host) drive(name string) *Drive {
	return xslices.First(h.Drives, func(dr *Drive) bool { return dr.Name == name })
}

// allMachines checks virtual machines against their hosts, once all hosts are known.
func (d *decoder) allMachines() {
	functions := map[string]int{} // by port
	for _, h := range d.f.Hosts {
		subject := "host " + quoteName(h.Group)
		on := d.hosts[h.On]
		switch {
		case h.On == "":
		case on == nil:
			d.bad(diag.MachineInvalid, d.onAt[h], subject, fmt.Sprintf("no host is called %s", quote(h.On)),
				"on names the host of a virtual machine", d.nearHost(h.On))
		case on == h:
			d.bad(diag.MachineInvalid, d.onAt[h], subject, "the host runs on itself", "on names the host of a virtual machine",
				"name another host, or delete on")
		case on.On != "":
			d.bad(diag.MachineInvalid, d.onAt[h], subject, fmt.Sprintf("%s is a virtual machine itself", h.On),
				"virtual machines run on real hosts", "write on: "+on.On)
		}
		for _, n := range h.NICs {
			if n.VF != "" {
				d.function(h, on, n, functions)
			}
		}
	}
}

// function checks the port of a NIC that is a virtual function.
func (d *decoder) function(h, on *Host, n *NIC, functions map[string]int) {
	subject := "nic " + quoteName(h.Group) + "." + n.Name
	if on == nil {
		if h.On == "" {
			d.bad(diag.MachineInvalid, n.At, subject, "a virtual function needs a virtual machine", "this host has no key on",
				"write on: HOST, or part: instead of vf:")
		}
		return
	}
	port, ok := d.port(n.VF, n.At, subject)
	if !ok {
		return
	}
	nic := on.nic(port.NIC)
	if port.Host != on.Name || nic == nil || port.Index == 0 {
		d.bad(diag.MachineInvalid, n.At, subject, fmt.Sprintf("%s is not a port of a NIC of %s", quote(n.VF), on.Name),
			"the virtual machine runs on "+on.Name, fmt.Sprintf("write vf: %s.NIC.PORT", on.Name))
		return
	}
	n.VF = port.String()
	if functions[n.VF]++; nic.VFs > 0 && functions[n.VF] > nic.VFs {
		d.bad(diag.MachineInvalid, n.At, subject, fmt.Sprintf("%s has more than %d virtual functions", port, nic.VFs),
			fmt.Sprintf(
				"the limit is vfs of nic %s.%s in line %d", on.Name, nic.Name, nic.At.Line),
			"raise vfs, or spread the machines over more ports")
	}
}

func (d *decoder) nearHost(name string) string {
	if d.nears++; d.nears > 100 { // each search takes time in a large fabric
		return "write the name of a host of the file"
	}
	names := xslices.Map(d.f.Hosts, func(h *Host) string { return h.Name })
	for _, s := range d.f.Switches {
		names = append(names, s.Name)
	}
	var alike []string // the same name with another number: any of them may be meant
	for _, n := range names {
		if withoutDigits(n) == withoutDigits(name) {
			alike = append(alike, n)
		}
	}
	if len(alike) > 1 {
		return "write " + oneOf(alike, 8)
	}
	if near := nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	if len(names) == 0 {
		return "define it under hosts:"
	}
	return "write " + oneOf(names, 8)
}

func (f *fields) sizeOf(key string) unit.Bytes { return parsed(f, key, unit.ParseBytes) }

package linux

import (
	"fmt"
	"net/netip"
	"slices"

	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// iface is what the files that outlive a reboot say of one interface.
type iface struct {
	name      string // as it stands in the files: a name, or the mark that install.sh puts the name in place of
	file      string // the plan's name, for file names
	kind      string // ethernet, infiniband, bond, vlan
	mtu       int
	addresses []netip.Prefix
	routes    []plan.Setting
	members   []string // of a bond, as names
	mode      string
	hash      string // of a bond that spreads: by what
	primary   string // of a bond that is a backup: the member that works while it can
	preferred bool   // it is that member
	master    string // the bond that it is a member of
	parent    string // of a VLAN
	vlan      int
	tagged    []string // the VLANs on it
	why       string
	addressed map[netip.Prefix]string // why it has each address
}

// v4 and v6 are the addresses of each family.
func (i *iface) v4() []netip.Prefix { return i.family(true) }
func (i *iface) v6() []netip.Prefix { return i.family(false) }

func (i *iface) family(v4 bool) (out []netip.Prefix) {
	for _, a := range i.addresses {
		if a.Addr().Is4() == v4 {
			out = append(out, a)
		}
	}
	return out
}

// inFile is how a file names an interface. What only the machine knows is a mark that install.sh replaces.
func (c *context) inFile(name string) string {
	if p := c.byName[name]; p != nil && !p.port.Declared {
		return "@" + p.variable + "@"
	}
	return c.interfaceName(name)
}

// interfaces collects the settings by interface, bonds and VLANs after what they are made of.
func (c *context) interfaces() []*iface {
	var list []*iface
	get := func(name, why string) *iface {
		for _, i := range list {
			if i.file == name {
				return i
			}
		}
		i := &iface{name: c.inFile(name), file: c.interfaceName(name), kind: "ethernet", why: why, addressed: map[netip.Prefix]string{}}
		if p := c.byName[name]; p != nil && c.infiniBand(p.port) {
			i.kind = "infiniband"
		}
		list = append(list, i)
		return i
	}
	for _, s := range c.host.Settings {
		switch s.Kind {
		case plan.SetLink:
			get(s.Interface, s.Why).why = s.Why
		case plan.SetMTU:
			get(s.Interface, s.Why).mtu = s.Int
		case plan.SetAddress:
			i := get(s.Interface, s.Why)
			i.addresses = append(i.addresses, s.Prefix)
			i.addressed[s.Prefix] = s.Why
		case plan.SetRoute:
			i := get(s.Interface, s.Why)
			i.routes = append(i.routes, s)
		case plan.SetVLAN:
			v := get(s.Key, s.Why)
			v.kind, v.vlan, v.parent = "vlan", s.Int, c.inFile(s.Interface)
			p := get(s.Interface, s.Why)
			p.tagged = append(p.tagged, v.name)
		case plan.SetBond:
			b := get(s.Interface, s.Why)
			b.kind, b.mode = "bond", c.bondMode(s.Key)
			if s.Value != "" {
				b.hash = c.bondHash(s.Value)
			}
			for _, m := range s.Of {
				get(m, s.Why).master = b.name
				b.members = append(b.members, c.inFile(m))
			}
			if c.preferred(s) != "" {
				b.primary = b.members[0]
				get(s.Of[0], s.Why).preferred = true
			}
		}
	}
	rank := map[string]int{"ethernet": 0, "infiniband": 0, "bond": 1, "vlan": 2}
	slices.SortStableFunc(list, func(a, b *iface) int { return rank[a.kind] - rank[b.kind] })
	return list
}

func (c *context) infiniBand(p *plan.Port) bool {
	l := c.plan.Link(p.Link)
	return l != nil && l.InfiniBand
}

// persistent are the files that outlive a reboot, with the script that puts them in place.
func (c *context) persistent(d *device.Device) {
	list, why := c.inCharge()
	var files []placed
	for _, m := range list {
		for _, f := range m.files(c) {
			files = append(files, placed{f, m.name, folder(m, list)})
		}
	}
	if len(list) == 0 && c.host.Decl.Settings["network"] != "" {
		c.miss("files of a network manager that outlive a reboot: %s; settings: {network: networkd, netplan, networkmanager, ifupdown or ifupdown2} chooses one", why)
	}
	for _, f := range slices.Concat(c.sysctlFile(), c.modprobeFile(), c.boot()) {
		files = append(files, placed{f, "", ""})
	}
	if len(files) == 0 {
		return
	}
	d.Files = append(d.Files, c.install(files, list, why))
	for _, f := range files {
		f.Name = "files" + f.below + f.Path
		d.Files = append(d.Files, f.File)
	}
	text := "`sh install.sh` puts the files in place that outlive a reboot, and keeps what was there in " + c.storeDir() + "." + c.installs(list, why)
	d.Steps = append(d.Steps, device.Step{Do: text},
		device.Step{Do: "Reboot when it suits, and `sh verify.sh` again.", Interrupts: "everything on this machine"})
}

// placed is a file with the manager that reads it, or none, and where it is below files/.
type placed struct {
	device.File
	manager, below string
}

// sysctlFile is read at boot by systemd-sysctl or procps.
func (c *context) sysctlFile() []device.File {
	f := c.file("/etc/sysctl.d/90-linerate.conf")
	any := false
	for _, s := range c.host.Settings {
		if s.Kind == plan.SetSysctl {
			f.Add("sysctl.d(5)", s.Why, s.Key+" = "+s.Value)
			any = true
			if !device.Word(s.Key) || device.Plain(s.Value) != s.Value {
				c.fail(&device.Refused{Text: s.Key + " = " + s.Value, Language: "sysctl.d(5)", Why: "a key is one word and a value one line"})
			}
		}
	}
	if !any {
		return nil
	}
	return []device.File{f}
}

// modprobeFile tells a ConnectX-3's driver when it is loaded which priorities are paused.
func (c *context) modprobeFile() []device.File {
	mask, why := 0, ""
	for _, s := range c.host.Settings {
		if s.Kind == plan.SetQoS && c.byName[s.Interface].driver() != "" && c.byName[s.Interface].tools() == byMlnxQoS {
			for _, p := range s.QoS.Lossless() {
				mask |= 1 << p
			}
			why = s.Why
		}
	}
	if mask == 0 {
		return nil
	}
	f := c.file("/etc/modprobe.d/linerate-mlx4_en.conf")
	f.Add("mlnx mlx4 pfc", why+": what is paused, one bit a priority; the module has to be loaded anew", fmt.Sprintf("options mlx4_en pfctx=0x%02x pfcrx=0x%02x", mask, mask))
	return []device.File{f}
}

// file begins a file that belongs at a path of the host.
func (c *context) file(path string) device.File {
	f := device.File{Path: path, Comment: "#"}
	f.Note(fmt.Sprintf("linerate: %s of the fabric %s", c.host.Name, c.plan.Name))
	return f
}

func (c *context) storeDir() string { return "/var/lib/linerate/" + c.plan.Name + "/" + c.host.Name }

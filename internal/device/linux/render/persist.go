package render

import (
	"fmt"
	"net/netip"
	"slices"

	"linerate/internal/design/plan"
	"linerate/internal/device"
	"linerate/internal/device/config"
)

// iface has the settings of one interface in the files that survive a reboot.
type iface struct {
	name      string // in the files: a name, or the placeholder that install.sh replaces
	file      string // the plan's name, for file names
	kind      string // ethernet, infiniband, bond, vlan
	mtu       int
	addresses []netip.Prefix
	routes    []plan.Setting
	members   []string // of a bond, as names
	mode      string
	hash      string // of a bond that spreads: its hash policy
	primary   string // of a bond that is a backup: the preferred member
	preferred bool   // it is that member
	master    string // the bond that it belongs to
	parent    string // of a VLAN
	vlan      int
	tagged    []string // the VLANs on it
	why       string
	addressed map[netip.Prefix]string // why it has each address
}

// inFile names an interface in a file. If only the machine knows the name, it is a placeholder that install.sh
// replaces.
func (c *context) inFile(name string) string {
	if p := c.byName[name]; p != nil && !p.port.Declared {
		return "@" + p.variable + "@"
	}
	return c.interfaceName(name)
}

// interfaces collects the settings by interface, with bonds and VLANs after their members.
func (c *context) interfaces() []*iface {
	var list []*iface
	get := func(name, why string) *iface {
		for _, i := range list {
			if i.file == name {
				return i
			}
		}
		i := &iface{name: c.inFile(name), file: c.interfaceName(name), kind: "ethernet", why: why,
			addressed: map[netip.Prefix]string{}}
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

// persistent adds the files that survive a reboot, with the script that installs them.
func (c *context) persistent(d *config.Device) {
	list, why := c.inCharge()
	var files []placed
	for _, m := range list {
		for _, f := range m.files(c) {
			files = append(files, placed{f, m.name, folder(m, list)})
		}
	}
	if len(list) == 0 && c.host.Decl.Settings["network"] != "" {
		c.miss("files of a network manager that outlive a reboot: %s; settings: {network: networkd, netplan, "+
			"networkmanager, ifupdown or ifupdown2} chooses one", why)
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
	text := "`sh install.sh` puts the files in place that outlive a reboot, and keeps what was there in " + c.storeDir() +
		"." + c.installs(list, why)
	d.Steps = append(d.Steps, config.Step{Do: text},
		config.Step{Do: "Reboot when it suits, and `sh verify.sh` again.", Interrupts: "everything on this machine"})
}

// placed is a file with the manager that reads it, or none, and its place below files/.
type placed struct {
	config.File
	manager, below string
}

// sysctlFile returns a file that systemd-sysctl or procps reads at boot.
func (c *context) sysctlFile() []config.File {
	f := c.file("/etc/sysctl.d/90-linerate.conf")
	any := false
	for _, s := range c.host.Settings {
		if s.Kind == plan.SetSysctl {
			f.Add("sysctl.d(5)", s.Why, s.Key+" = "+s.AboveDefault())
			any = true
			if !device.BareWord(s.Key) || config.Plain(s.Value) != s.Value {
				c.fail(&config.Refused{Text: s.Key + " = " + s.Value, Language: "sysctl.d(5)",
					Why: "a key is one word and a value one line"})
			}
		}
	}
	if !any {
		return nil
	}
	return []config.File{f}
}

// modprobeFile returns a file with the paused priorities of a ConnectX-3's driver, for the time that it is loaded.
func (c *context) modprobeFile() []config.File {
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
	f.Add("mlnx mlx4 pfc", why+": what is paused, one bit a priority; the module has to be loaded again",
		fmt.Sprintf("options mlx4_en pfctx=0x%02x pfcrx=0x%02x", mask, mask))
	return []config.File{f}
}

// file returns an empty file for a path of the host.
func (c *context) file(path string) config.File {
	f := config.File{Path: path, Comment: "#"}
	f.Note(fmt.Sprintf("linerate: %s of the fabric %s", c.host.Name, c.plan.Name))
	return f
}

func (c *context) storeDir() string { return "/var/lib/linerate/" + c.plan.Name + "/" + c.host.Name }

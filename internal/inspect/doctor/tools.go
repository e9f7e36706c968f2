package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
)

// tool is a program on the host that facts or an experiment use.
type tool struct {
	names []string // any of them is enough
	use   string   // what is missing without it
	// packages by the family of systems (Needs.Family) where its name differs from the program's.
	packages map[string]string
	systems  []string // operating systems of the host; nil: linux
	wants    func(g *Gathered, h *Host) bool
	state    State // without it: an experiment of the file fails, or a fact is missing
}

// tools are the programs that facts, copy and command start by name. Interfaces, links, disciplines and PCI Express are
// read from the kernel itself, without ip, tc or lspci. The protocols of storage choose among programs, and report
// themselves what is missing for each.
var tools = []tool{
	{names: []string{"ethtool"}, use: "the modules in a NIC's cages: kind, light, heat", wants: hasNIC, state: Warning},
	{names: []string{"nft"}, use: "the firewall's rules", packages: map[string]string{"*": "nftables"}, wants: always,
		state: Warning},
	{names: []string{"lsblk"}, use: "which drives there are, and what lies on them",
		packages: map[string]string{"*": "util-linux", "alpine": "lsblk"}, wants: always, state: Warning},
	{names: []string{"dcb", "mlnx_qos"}, use: "PFC, ETS and the map of priorities in effect",
		packages: map[string]string{"debian": "iproute2", "fedora": "iproute", "suse": "iproute2", "arch": "iproute2"},
		wants: func(g *Gathered, h *Host) bool {
			return hasNIC(g, h) && g.Plan != nil && len(g.Plan.Fabric.Classes) > 0
		}, state: Warning},
	{names: []string{"ibv_devinfo"}, use: "what RDMA devices can", packages: map[string]string{"debian": "ibverbs-utils",
		"fedora": "libibverbs-utils", "suse": "libibverbs-utils", "arch": "rdma-core"}, wants: hasRDMA, state: Warning},
	{names: []string{"rdma"}, use: "how RDMA is divided among namespaces, and what is in use",
		packages: map[string]string{"debian": "iproute2", "fedora": "iproute", "suse": "iproute2", "arch": "iproute2"},
		wants:    hasRDMA, state: Warning},
	{names: []string{"mlxlink", "mstlink"}, use: "FEC, eyes and bit errors of NVIDIA NICs",
		packages: map[string]string{"*": "mstflint"}, wants: hasMellanox, state: Warning},
	{names: []string{"mlxconfig", "mstconfig"}, use: "the firmware settings of NVIDIA NICs",
		packages: map[string]string{"*": "mstflint"}, wants: hasMellanox, state: Warning},
	{names: []string{"pciconf"}, use: "slots and their speed", systems: []string{"freebsd"}, wants: always,
		state: Warning},
	{names: []string{"scp", "sftp", "rsync"}, use: "copies over ssh",
		packages: map[string]string{"debian": "openssh-client", "fedora": "openssh-clients", "suse": "openssh-clients",
			"arch": "openssh", "alpine": "openssh-client", "freebsd": "rsync"},
		systems: []string{"linux", "freebsd"}, wants: copies("ssh"), state: Problem},
	{names: []string{"smbclient"}, use: "copies over SMB", packages: map[string]string{"fedora": "samba-client",
		"suse": "samba-client", "alpine": "samba-client"}, systems: []string{"linux"}, wants: copies("smb"), state: Problem},
	{names: []string{"mpirun", "mpiexec"}, use: "commands that mpirun starts",
		packages: map[string]string{"debian": "openmpi-bin", "fedora": "openmpi", "suse": "openmpi4", "arch": "openmpi",
			"alpine": "openmpi", "freebsd": "openmpi"},
		systems: []string{"linux", "freebsd"}, wants: startsMPI, state: Problem},
}

// Programs returns the names of all tools.
func Programs() (names []string) {
	for _, t := range tools {
		names = append(names, t.names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var topicTools = Topic{
	ID: "tools", Why: "facts and experiments start some programs of the host's",
	host: func(g *Gathered, h *Host) []Line {
		if h.Needs == nil {
			return []Line{notKnown("the agent did not say which programs are there")}
		}
		var have []string
		type gap struct {
			names, whats []string
			state        State
		}
		missing := map[string]*gap{}
		var order []string
		for _, t := range tools {
			systems := t.systems
			if systems == nil {
				systems = []string{"linux"}
			}
			if !slices.Contains(systems, h.OS) || !t.wants(g, h) {
				continue
			}
			if i := slices.IndexFunc(t.names, func(n string) bool { return h.Needs.Programs[n] != "" }); i >= 0 {
				have = append(have, t.names[i])
				continue
			}
			command := h.install(t)
			l := missing[command]
			if l == nil {
				l = &gap{state: t.state}
				missing[command], order = l, append(order, command)
			}
			l.names, l.whats = append(l.names, strings.Join(t.names, " or ")), append(l.whats, t.use)
			if t.state == Problem {
				l.state = Problem
			}
		}
		var out []Line
		for _, command := range order {
			l := missing[command]
			text := fmt.Sprintf("%s: not on this host; without it there is not: %s", strings.Join(l.names, ", "),
				strings.Join(l.whats, "; "))
			out = append(out, Line{State: l.state, Text: text}.do(command))
		}
		switch {
		case out != nil:
		case len(have) == 0:
			out = []Line{ok("none is needed here")}
		default:
			out = []Line{ok("%s: all that facts and experiments start here", strings.Join(have, ", "))}
		}
		return out
	},
}

// install returns the command that installs a tool on the host's system.
func (h *Host) install(t tool) string {
	pack := t.names[len(t.names)-1]
	if len(t.names) == 1 {
		pack = t.names[0]
	}
	if p := t.packages["*"]; p != "" {
		pack = p
	}
	if p := t.packages[h.Needs.Family]; p != "" {
		pack = p
	}
	how := map[string]string{"debian": "apt-get install ", "fedora": "dnf install ", "suse": "zypper install ",
		"arch": "pacman -S ", "alpine": "apk add ", "freebsd": "pkg install "}[h.Needs.Family]
	if how == "" {
		return "command -v " + t.names[0] + "   # install it as " + orSystem(h.Needs.System) +
			" does; Debian calls its package " + t.debian()
	}
	return h.root(how + pack)
}

func orSystem(name string) string {
	return cmp.Or(name, "the system")
}

// debian returns the Debian package of the tool.
func (t tool) debian() string {
	for _, family := range []string{"debian", "*"} {
		if p := t.packages[family]; p != "" {
			return p
		}
	}
	return t.names[0]
}

func always(*Gathered, *Host) bool { return true }

// hasNIC reports whether the host has a NIC that is not one of a virtual machine.
func hasNIC(_ *Gathered, h *Host) bool { return h.nic("") }

// hasMellanox reports whether one of them is of the vendor 15b3.
func hasMellanox(_ *Gathered, h *Host) bool { return h.nic("15b3") }

func (h *Host) nic(vendor string) bool {
	if h.Facts == nil {
		return false
	}
	for _, d := range h.Facts.PCI {
		// 1af4: virtio
		if strings.HasPrefix(d.Class, "02") && (vendor == "" && d.Vendor != "1af4" || d.Vendor == vendor && vendor != "") {
			return true
		}
	}
	return false
}

func hasRDMA(_ *Gathered, h *Host) bool { return h.Facts != nil && len(h.Facts.RDMA) > 0 }

// copies reports whether an experiment of the file copies over this protocol from or to the host.
func copies(over string) func(*Gathered, *Host) bool {
	return func(g *Gathered, h *Host) bool {
		if !g.uses(h, "copy") {
			return false
		}
		for _, x := range g.Plan.Fabric.Experiments {
			if method.Named(x.Method).CopiesFiles && slices.Contains(x.Parameter("transport"), over) {
				return true
			}
		}
		return false
	}
}

// startsMPI reports whether a command of an experiment on the host starts with mpirun or mpiexec.
func startsMPI(g *Gathered, h *Host) bool {
	if !g.uses(h, method.Command) {
		return false
	}
	for _, x := range g.Plan.Fabric.Experiments {
		if !method.Named(x.Method).RunsCommand {
			continue
		}
		for _, command := range x.Parameter("command") {
			if words := strings.Fields(command); len(words) > 0 && (words[0] == "mpirun" || words[0] == "mpiexec") {
				return true
			}
		}
	}
	return false
}

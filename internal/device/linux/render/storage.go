package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/device/config"
)

// storage is one protocol of the fabric's drives and experiments, with the needs of its client and server.
type storage struct {
	transport      string
	client, server []need
}

// need is a module of the kernel or a program. No file of this folder installs it; verify.sh checks it.
type need struct {
	what   string // module, program, option
	name   string
	hint   string
	source config.Source
}

var storages = []storage{
	{"smb-direct", []need{
		{"option", "CONFIG_CIFS_SMB_DIRECT", "the kernels of Debian 12 (6.1) and Ubuntu 24.04 (6.8) are built without it: " +
			"build one with it", "example roce-100g"},
		{"module", "cifs", "NVIDIA's own driver package takes it away: use the kernel's driver", "example roce-100g"},
		{"program", "mount.cifs", "apt install cifs-utils", "example roce-100g"},
	}, []need{{"module", "ksmbd", "the kernel's own SMB server, with SMB Direct from Linux 5.15 on", "kernel smb"}}},
	{"smb", []need{{"module", "cifs", "the kernel's SMB client", "kernel smb"},
		{"program", "mount.cifs", "apt install cifs-utils", "example roce-100g"}}, nil},
	{"iscsi", []need{{"module", "iscsi_tcp", "the kernel's iSCSI initiator; over RDMA it is ib_iser", "modinfo(8)"},
		{"program", "iscsiadm", "apt install open-iscsi", "modinfo(8)"}},
		[]need{{"module", "iscsi_target_mod", "the kernel's iSCSI target; over RDMA ib_isert next to it", "modinfo(8)"}}},
	{"nvme-tcp", []need{{"module", "nvme_tcp", "the kernel's NVMe over TCP host", "modinfo(8)"},
		{"program", "nvme", "apt install nvme-cli", "modinfo(8)"}},
		[]need{{"module", "nvmet", "the kernel's NVMe target", "modinfo(8)"},
			{"module", "nvmet_tcp", "the same over TCP", "modinfo(8)"}}},
	{"nfs", []need{{"module", "nfs", "the kernel's NFS client", "modinfo(8)"},
		{"program", "mount.nfs", "apt install nfs-common", "modinfo(8)"}},
		[]need{{"module", "nfsd", "the kernel's NFS server", "modinfo(8)"}}},
}

// storageNeeds returns the needs of the host, each with the experiment or drive that has it.
func (c *context) storageNeeds() (list []need, why []string) {
	add := func(needs []need, because string) {
		for _, n := range needs {
			if !slices.ContainsFunc(list, func(x need) bool { return x.name == n.name }) {
				list, why = append(list, n), append(why, because)
			}
		}
	}
	for _, d := range c.host.Decl.Drives {
		for _, s := range storages {
			if _, shared := d.Shares[s.transport]; d.Export == s.transport || shared {
				add(s.server, "drive "+c.host.Name+"."+d.Name)
			}
		}
	}
	for _, e := range c.plan.Fabric.Experiments {
		for _, t := range e.Parameter("transport") {
			for _, s := range storages {
				if s.transport != t || !method.Named(e.Method).Stores && !method.Named(e.Method).CopiesFiles {
					continue
				}
				from, to := c.isIn(e.From), c.isIn(e.To)
				if from && !to {
					add(s.client, "experiment "+e.Name)
				}
				if to && !from {
					add(s.server, "experiment "+e.Name)
				}
			}
		}
	}
	return list, why
}

// isIn reports whether the host, or a part of it, is among an experiment's ends.
func (c *context) isIn(ends []string) bool {
	return slices.ContainsFunc(ends, func(e string) bool { host, _, _ := strings.Cut(e, "."); return host == c.host.Name })
}

func (c *context) verifyStorage(f *config.File) {
	list, why := c.storageNeeds()
	if len(list) == 0 {
		return
	}
	f.Lines = append(f.Lines, storageText...)
	for i, n := range list {
		f.Add(n.source, why[i], fmt.Sprintf(`needs "%s %s" "$(%s_of %s)" %s`, n.what, n.name, n.what, n.name, c.q(n.hint)))
	}
}

// storageText checks the needs of the fabric's storage. A missing program does not make the settings wrong: exit code
// 3.
var storageText = formLines(`
# needs WHAT FOUND HINT
needs() {
	all=$((all + 1))
	[ "$2" = there ] || bad=$((bad + 1))
	case $2 in
	there) say "ok $1 is there"; return ;;
	absent) say "missing: $1: $3" ;;
	*) say "not known: whether $1 is there" ;;
	esac
	[ "$worst" = 1 ] || worst=3
}
program_of() { if has "$1"; then echo there; else echo absent; fi; }
module_of() {
	if [ -d "/sys/module/$1" ]; then echo there
	elif has modinfo; then if modinfo "$1" >/dev/null 2>&1; then echo there; else echo absent; fi; fi
}
option_of() {
	if [ -r "/boot/config-$(uname -r)" ]; then
		if grep -q "^$1=[ym]" "/boot/config-$(uname -r)"; then echo there; else echo absent; fi
	elif [ -r /proc/config.gz ]; then
		if zcat /proc/config.gz | grep -q "^$1=[ym]"; then echo there; else echo absent; fi
	fi
}
`)

// byHand returns the work before the files, with a reboot: the firmware settings of the NICs, and how to mount a share
// over SMB Direct.
func (c *context) byHand() []config.Line {
	var out []config.Line
	add := func(source config.Source, why, format string, args ...any) {
		out = append(out, config.Line{Text: fmt.Sprintf(format, args...), Why: why, Source: source})
	}
	for _, n := range c.host.Decl.NICs {
		var port *portName
		for _, p := range c.ports {
			if p.port.NIC == n.Name && port == nil {
				port = p
			}
		}
		if !port.mellanox() || n.Part == nil {
			continue
		}
		if n.Mode == "eth" && len(n.Part.InfiniBand) > 0 {
			var words []string
			for i := range max(1, len(n.Part.Ports)) {
				words = append(words, fmt.Sprintf("LINK_TYPE_P%d=2", i+1))
			}
			add("example roce-100g", fmt.Sprintf("NIC %s: mode: eth; the NIC can be InfiniBand as well", n.Name),
				"`mlxconfig -d DEVICE set %s`, then a reboot, if `mlxconfig -d DEVICE query` does not show ETH(2) for its "+
					"ports. DEVICE is what `mst status` shows.", strings.Join(words, " "))
		}
		if n.VFs > 0 {
			add("example roce-100g", fmt.Sprintf("NIC %s: vfs: %d", n.Name, n.VFs),
				"`mlxconfig -d DEVICE set SRIOV_EN=1 NUM_OF_VFS=%d`, then a reboot, if `mlxconfig -d DEVICE query` does not "+
					"show SRIOV_EN True(1) and as many functions.", n.VFs)
		}
	}
	list, why := c.storageNeeds()
	for i, n := range list {
		if n.name == "CONFIG_CIFS_SMB_DIRECT" {
			add("example roce-100g", why[i]+": SMB Direct",
				"The kernel needs CONFIG_CIFS_SMB_DIRECT (verify.sh looks). A share is then mounted with `mount -t cifs "+
					"//SERVER/SHARE FOLDER -o credentials=FILE,vers=3.1.1,rdma,multichannel,max_channels=4`.")
		}
	}
	return out
}

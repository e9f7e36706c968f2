package storage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// OneConnection checks the number of connections between storage clients and servers.
var OneConnection = check.Check{
	ID:     "one-connection",
	Title:  "connections between storage clients and servers",
	Why:    "one TCP connection is one core at each end, and one member of a bond",
	Worst:  record.Warning,
	Source: "nfs(5): nconnect; iscsiadm(8); serverfault 541769: NFS 2 of 8 Gb/s",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for _, m := range h.Facts.Storage.Mounts {
				p, ok := w.Over(h, m.Server)
				if !ok || m.SMB() || m.RDMA() || m.Connections() > 1 || p.Port.Speed < check.FastLink {
					continue
				}
				f := oneConnection(p.Port.Speed)
				f.Subject, f.Have, f.Want = h.Subject(m.At), "one connection to "+m.Server.String(), "several (nconnect)"
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: m.Source, Line: m.Line}}
				f.Fix = fmt.Sprintf("umount %s, and every other mount of that server, then mount with -o nconnect=8 (and in "+
					"/etc/fstab)", m.At)
				f.Undo = "mount without nconnect"
				r.Found(f, h.Subject(m.At))
			}
			of := sessions(h.Facts.Storage.ISCSI)
			for _, target := range slices.Sorted(maps.Keys(of)) {
				list := of[target]
				p, ok := w.Over(h, list[0].Portal.Addr())
				if !ok || len(list) > 1 || list[0].Connections.Or(1) > 1 || list[0].Transport == "iser" ||
					p.Port.Speed < check.FastLink {
					continue
				}
				f := oneConnection(p.Port.Speed)
				f.Subject, f.Have, f.Want = h.Subject(target), "one session, over "+list[0].Portal.String(),
					"several, with multipath"
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: list[0].Source, Line: list[0].Line}}
				f.Fix = fmt.Sprintf("iscsiadm -m node -T %s --op update -n node.session.nr_sessions -v 4, log out and in, and "+
					"multipathd over them", target)
				f.Undo = fmt.Sprintf("iscsiadm -m node -T %s --op update -n node.session.nr_sessions -v 1", target)
				if h.Traits().PowerShell {
					f.Fix = fmt.Sprintf("Multipath-IO (Install-WindowsFeature, Enable-MSDSMAutomaticClaim -BusType iSCSI, a "+
						"restart), then a session for each pair of addresses: Connect-IscsiTarget -NodeAddress %s -IsMultipathEnabled "+
						"$true -IsPersistent $true -InitiatorPortalAddress .. -TargetPortalAddress ..", check.Quoted("windows", target))
					f.Undo = "Disconnect-IscsiTarget of the sessions that were added"
				}
				r.Found(f, h.Subject(target))
			}
		}
	},
}

// oneConnection returns the finding on a single connection, by the link's rate.
func oneConnection(rate unit.BitRate) record.Finding {
	f := record.Finding{Severity: record.Info, Consequence: "the link's " + rate.String() +
		" are bound by what one core does for one connection"}
	if rate >= 25e9 {
		f.Severity = record.Warning
	}
	return f
}

// sessions returns the sessions by target.
func sessions(list []facts.ISCSISession) map[string][]facts.ISCSISession {
	out := map[string][]facts.ISCSISession{}
	for _, s := range list {
		if s.Target != "" {
			out[s.Target] = append(out[s.Target], s)
		}
	}
	return out
}

// NVMeQueues compares the queues of NVMe over a network with those of the adapter and with the CPUs.
var NVMeQueues = check.Check{
	ID:    "nvme-queue-mismatch",
	Title: "queues of NVMe over a network against those of the NIC, and CPUs",
	Why: "each queue is a connection. With more of them than the NIC has queues several share one, with fewer some " +
		"of the NIC's stay idle. With one or two all CPUs wait for them",
	Worst: record.Warning,
	Source: "linux-nvme list, 2026-02 (061027): 263 MB/s, and 986 with as many as the NIC has; nvme-connect(1): " +
		"nr-io-queues",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for _, c := range h.Facts.Storage.NVMe {
				p, ok := w.Over(h, c.Target.Addr())
				queues, known := c.Queues.Get()
				if !ok || c.Transport != "tcp" && c.Transport != "rdma" || !known || queues == 0 {
					continue
				}
				has, known := p.Nic.Queues.Get()
				if c.Transport == "rdma" || !known || queues == has {
					fewQueues(h, &c, queues, p, r)
					continue
				}
				f := record.Finding{
					Severity: record.Info, Subject: h.Subject(c.Name), Have: fmt.Sprintf("%d queues, and %s has %d", queues,
						p.Nic.Name, has), Want: "as many as the NIC has",
					Evidence: []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line},
						{Host: h.Name, Source: "ethtool -l " + p.Nic.Name, Line: fmt.Sprintf("%s: %d receive queues", p.Nic.Name, has)}},
					Consequence: "queues of the drive share queues of the NIC; how much that costs shows a measurement with " +
						"either number",
					Fix:  fmt.Sprintf("nvme disconnect -d %s, then nvme connect with -i %d", c.Name, has),
					Undo: fmt.Sprintf("nvme connect with -i %d", queues),
				}
				if queues >= 2*has || has >= 2*queues {
					f.Severity = record.Warning
				}
				if queues < has {
					f.Consequence = "queues of the NIC stay idle; how much that costs shows a measurement with either number"
				}
				r.Found(f, h.Subject(c.Name))
			}
		}
	},
}

// fewQueues reports whether a controller has so few queues that most CPUs share one. The queues of the NIC do not
// matter here: over RDMA it has one for each queue of the controller.
func fewQueues(h *check.Host, c *facts.NVMeController, queues int, p check.Port, r *check.Report) {
	cores, known := h.Facts.CPUs().Get()
	if !known || queues > 2 || cores < 4*queues || p.Port.Speed < check.FastLink {
		return
	}
	r.Found(record.Finding{
		Severity: record.Warning, Subject: h.Subject(c.Name), Have: fmt.Sprintf("%d %s for %d CPUs", queues,
			check.Plural(queues, "queue", "queues"), cores), Want: "one for each CPU that uses it, or 8",
		Evidence: []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}},
		Consequence: "what several programs ask of the drive goes through one connection and one core; how much that " +
			"costs shows a measurement with either number",
		Fix: fmt.Sprintf("nvme disconnect -d %s, then nvme connect with -i %d; if the target allows no more, raise its "+
			"limit (nvmet: attr_qid_max)", c.Name, min(cores, 8)),
		Undo: fmt.Sprintf("nvme connect with -i %d", queues),
	}, h.Subject(c.Name))
}

// smbOneChannel checks the kernel's SMB client of Linux.
func smbOneChannel(w *check.World, r *check.Report) {
	windowsOneChannel(w, r)
	for _, h := range w.Hosts {
		c := h.Facts.Storage.SMB
		if c == nil {
			continue
		}
		for _, s := range c.Servers {
			p, ok := w.Over(h, s.Address)
			if !ok || s.Channels > 1 || s.RDMA || p.Port.Speed < check.FastLink || !s.Multi.Or(false) {
				continue
			}
			f := oneConnection(p.Port.Speed)
			f.Subject, f.Have, f.Want = h.Subject("server "+s.Name), "one connection, and the server offers more",
				"several (multichannel)"
			f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: s.Source, Line: s.Line}}
			f.Fix = "umount its shares and mount them with -o multichannel,max_channels=4"
			f.Undo = "mount without multichannel"
			r.Found(f, h.Subject("server "+s.Name))
		}
	}
}

// smbDirectOff checks Linux mounts over RDMA that are signed or encrypted, and kernels without SMB Direct.
func smbDirectOff(w *check.World, r *check.Report) {
	windowsDirectOff(w, r)
	for _, h := range w.Hosts {
		for _, m := range h.Facts.Storage.Mounts {
			if !m.SMB() || !m.RDMA() || !m.Signed() {
				continue
			}
			r.Found(record.Finding{Severity: record.Warning, Subject: h.Subject(m.At),
				Have:        "over RDMA, and every packet is signed or encrypted",
				Want:        "over RDMA without, on a network of its own",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: m.Source, Line: m.Line}},
				Consequence: "data goes in messages and not by RDMA reads and writes: the CPU signs and copies all of it",
				Fix:         "mount it without sign, seal and sec=..i; the server has to allow it",
				Undo:        "mount it with the options above"}, h.Subject(m.At))
		}
		c := h.Facts.Storage.SMB
		if c == nil || c.Features == nil || slices.Contains(c.Features, "SMB_DIRECT") || !check.WantsRDMA(h) {
			continue
		}
		for _, s := range c.Servers {
			if _, ok := w.Over(h, s.Address); !ok {
				continue
			}
			r.Found(record.Finding{
				Severity: record.Info, Subject: h.Subject("SMB client"), Have: "this kernel has no SMB Direct (" +
					strings.Join(c.Features, ",") + ")", Want: "CONFIG_CIFS_SMB_DIRECT=y, if SMB is to go over RDMA",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.FeaturesProof.Source, Line: c.FeaturesProof.Line}},
				Consequence: "SMB goes over TCP; the NIC's RDMA is not used for it",
				Fix:         "a kernel that has it (grep CIFS_SMB_DIRECT /boot/config-$(uname -r)), and mount with -o rdma",
			}, h.Subject())
			break
		}
	}
}

// SMBChannel checks the number of SMB connections.
var SMBChannel = check.Check{
	ID:    "smb-single-channel",
	Title: "connections of SMB",
	Why: "one connection is one core at each end; with RSS, RDMA or several links SMB 3 opens more, if both ends " +
		"let it",
	Worst:  record.Warning,
	Source: "mount.cifs(8): multichannel; [MS-SMB2] 2.2.4; fs/smb/client/cifs_debug.c; Microsoft Learn: SMB Multichannel",
	// An adapter without RSS makes SMB open one connection.
	Because: []string{"one-rx-queue"},
	Look:    smbOneChannel,
}

// SMBDirect checks for settings that prevent SMB over RDMA.
var SMBDirect = check.Check{
	ID:    "smb-direct-off",
	Title: "what keeps SMB from RDMA",
	Why: "signed or encrypted packets cannot be moved by RDMA reads and writes on Linux, and not every kernel has " +
		"SMB Direct",
	Worst: record.Warning,
	Source: "Linux, commit bb4c0419476b: signing disables RDMA reads and writes; fs/smb/client/cifs_debug.c: " +
		"SMB_DIRECT; Microsoft Learn, SMB Direct: before Server 2022 encryption disables direct data placement",
	Look: smbDirectOff,
}

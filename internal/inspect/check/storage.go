package check

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// over is the port of the plan that a host reaches an address through, if another host of the plan has it.
func (w *World) over(h *Host, addr netip.Addr) (plugged, bool) {
	for _, p := range w.plugged(h) {
		if addr.IsValid() && p.port.Address.IsValid() && p.port.Address.Contains(addr) && addr != p.port.Address.Addr() {
			return p, true
		}
	}
	return plugged{}, false
}

var checkOneConnection = Check{
	ID:     "one-connection",
	Title:  "connections between storage clients and servers",
	Why:    "one TCP connection is one core at each end, and one member of a bond",
	Worst:  record.Warning,
	Source: "nfs(5): nconnect; iscsiadm(8); serverfault 541769: NFS 2 of 8 Gb/s",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, m := range h.Facts.Storage.Mounts {
				p, ok := w.over(h, m.Server)
				if !ok || m.SMB() || m.RDMA() || m.Connections() > 1 || p.port.Speed < fast {
					continue
				}
				f := oneConnection(p.port.Speed)
				f.Subject, f.Have, f.Want = h.Name+": "+m.At, "one connection to "+m.Server.String(), "several (nconnect)"
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: m.Source, Line: m.Line}}
				f.Fix = fmt.Sprintf("umount %s, and every other mount of that server, then mount with -o nconnect=8 (and in /etc/fstab)", m.At)
				f.Undo = "mount without nconnect"
				r.found(f, h.Name+": "+m.At)
			}
			of := sessions(h.Facts.Storage.ISCSI)
			for _, target := range slices.Sorted(maps.Keys(of)) {
				list := of[target]
				p, ok := w.over(h, list[0].Portal.Addr())
				if !ok || len(list) > 1 || list[0].Connections.Or(1) > 1 || list[0].Transport == "iser" || p.port.Speed < fast {
					continue
				}
				f := oneConnection(p.port.Speed)
				f.Subject, f.Have, f.Want = h.Name+": "+target, "one session, over "+list[0].Portal.String(), "several, with multipath"
				f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: list[0].Source, Line: list[0].Line}}
				f.Fix = fmt.Sprintf("iscsiadm -m node -T %s --op update -n node.session.nr_sessions -v 4, log out and in, and multipathd over them", target)
				f.Undo = fmt.Sprintf("iscsiadm -m node -T %s --op update -n node.session.nr_sessions -v 1", target)
				if h.system() == "windows" {
					f.Fix = fmt.Sprintf("Multipath-IO (Install-WindowsFeature, Enable-MSDSMAutomaticClaim -BusType iSCSI, a restart), then a session for each pair of addresses: Connect-IscsiTarget -NodeAddress %s -IsMultipathEnabled $true -IsPersistent $true -InitiatorPortalAddress .. -TargetPortalAddress ..", quoted("windows", target))
					f.Undo = "Disconnect-IscsiTarget of the sessions that were added"
				}
				r.found(f, h.Name+": "+target)
			}
		}
	},
}

// oneConnection is what one connection costs by the link's rate.
func oneConnection(rate unit.BitRate) record.Finding {
	f := record.Finding{Severity: record.Info, Consequence: "the link's " + rate.String() + " are bound by what one core does for one connection"}
	if rate >= 25e9 {
		f.Severity = record.Warning
	}
	return f
}

// sessions are those of each target.
func sessions(list []facts.ISCSISession) map[string][]facts.ISCSISession {
	out := map[string][]facts.ISCSISession{}
	for _, s := range list {
		if s.Target != "" {
			out[s.Target] = append(out[s.Target], s)
		}
	}
	return out
}

var checkNVMeQueues = Check{
	ID:     "nvme-queue-mismatch",
	Title:  "queues of NVMe over a network against those of the card, and processors",
	Why:    "each queue is a connection: with more of them than the card has queues several share one, with fewer some of the card's stay idle; with one or two all processors wait for them",
	Worst:  record.Warning,
	Source: "linux-nvme list, 2026-02 (061027): 263 MB/s, and 986 with as many as the card has; nvme-connect(1): nr-io-queues",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for _, c := range h.Facts.Storage.NVMe {
				p, ok := w.over(h, c.Target.Addr())
				queues, known := c.Queues.Get()
				if !ok || c.Transport != "tcp" && c.Transport != "rdma" || !known || queues == 0 {
					continue
				}
				has, known := p.nic.Queues.Get()
				if c.Transport == "rdma" || !known || queues == has {
					fewQueues(h, &c, queues, p, r)
					continue
				}
				f := record.Finding{
					Severity: record.Info, Subject: h.Name + ": " + c.Name, Have: fmt.Sprintf("%d queues, and %s has %d", queues, p.nic.Name, has), Want: "as many as the card has",
					Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}, {Host: h.Name, Source: "ethtool -l " + p.nic.Name, Line: fmt.Sprintf("%s: %d receive queues", p.nic.Name, has)}},
					Consequence: "queues of the drive share queues of the card; how much that costs shows a measurement with either number",
					Fix:         fmt.Sprintf("nvme disconnect -d %s, then nvme connect with -i %d", c.Name, has), Undo: fmt.Sprintf("nvme connect with -i %d", queues),
				}
				if queues >= 2*has || has >= 2*queues {
					f.Severity = record.Warning
				}
				if queues < has {
					f.Consequence = "queues of the card stay idle; how much that costs shows a measurement with either number"
				}
				r.found(f, h.Name+": "+c.Name)
			}
		}
	},
}

// fewQueues says whether a way to a drive has so few queues that most of the processors wait for another one's. Which queues the card
// has does not matter then: over RDMA they are its own, one for each of the drive's.
func fewQueues(h *Host, c *facts.NVMeController, queues int, p plugged, r *report) {
	cores, known := h.Facts.Processors().Get()
	if !known || queues > 2 || cores < 4*queues || p.port.Speed < fast {
		return
	}
	r.found(record.Finding{
		Severity: record.Warning, Subject: h.Name + ": " + c.Name, Have: fmt.Sprintf("%d %s for %d processors", queues, plural(queues, "queue", "queues"), cores), Want: "one for each processor that uses it, or 8",
		Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.Source, Line: c.Line}},
		Consequence: "what several programs ask of the drive goes through one connection and one core; how much that costs shows a measurement with either number",
		Fix:         fmt.Sprintf("nvme disconnect -d %s, then nvme connect with -i %d; if the target allows no more, raise its limit (nvmet: attr_qid_max)", c.Name, min(cores, 8)),
		Undo:        fmt.Sprintf("nvme connect with -i %d", queues),
	}, h.Name+": "+c.Name)
}

// smbOneChannel looks at the kernel's SMB client of Linux.
func smbOneChannel(w *World, r *report) {
	windowsOneChannel(w, r)
	for _, h := range w.Hosts {
		c := h.Facts.Storage.SMB
		if c == nil {
			continue
		}
		for _, s := range c.Servers {
			p, ok := w.over(h, s.Address)
			if !ok || s.Channels > 1 || s.RDMA || p.port.Speed < fast || !s.Multi.Or(false) {
				continue
			}
			f := oneConnection(p.port.Speed)
			f.Subject, f.Have, f.Want = h.Name+": server "+s.Name, "one connection, and the server offers more", "several (multichannel)"
			f.Evidence = []record.EvidenceLine{{Host: h.Name, Source: s.Source, Line: s.Line}}
			f.Fix = "umount its shares and mount them with -o multichannel,max_channels=4"
			f.Undo = "mount without multichannel"
			r.found(f, h.Name+": server "+s.Name)
		}
	}
}

// smbDirectOff looks at mounts of Linux that go over RDMA and are signed or encrypted, and at kernels without SMB Direct.
func smbDirectOff(w *World, r *report) {
	windowsDirectOff(w, r)
	for _, h := range w.Hosts {
		for _, m := range h.Facts.Storage.Mounts {
			if !m.SMB() || !m.RDMA() || !m.Signed() {
				continue
			}
			r.found(record.Finding{
				Severity: record.Warning, Subject: h.Name + ": " + m.At, Have: "over RDMA, and every packet is signed or encrypted", Want: "over RDMA without, on a network of its own",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: m.Source, Line: m.Line}},
				Consequence: "data goes in messages and not by RDMA reads and writes: the processor signs and copies all of it",
				Fix:         "mount it without sign, seal and sec=..i; the server has to allow it", Undo: "mount it with the options above",
			}, h.Name+": "+m.At)
		}
		c := h.Facts.Storage.SMB
		if c == nil || c.Features == nil || slices.Contains(c.Features, "SMB_DIRECT") || !wantsRDMA(h) {
			continue
		}
		for _, s := range c.Servers {
			if _, ok := w.over(h, s.Address); !ok {
				continue
			}
			r.found(record.Finding{
				Severity: record.Info, Subject: h.Name + ": SMB client", Have: "this kernel has no SMB Direct (" + strings.Join(c.Features, ",") + ")", Want: "CONFIG_CIFS_SMB_DIRECT=y, if SMB is to go over RDMA",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: c.FeaturesProof.Source, Line: c.FeaturesProof.Line}},
				Consequence: "SMB goes over TCP; the card's RDMA is not used for it",
				Fix:         "a kernel that has it (grep CIFS_SMB_DIRECT /boot/config-$(uname -r)), and mount with -o rdma",
			}, h.Name)
			break
		}
	}
}

var checkSMBChannel = Check{
	ID:     "smb-single-channel",
	Title:  "connections of SMB",
	Why:    "one connection is one core at each end; with RSS, RDMA or several links SMB 3 opens more, if both ends let it",
	Worst:  record.Warning,
	Source: "mount.cifs(8): multichannel; [MS-SMB2] 2.2.4; fs/smb/client/cifs_debug.c; Microsoft Learn: SMB Multichannel",
	// An adapter without RSS is why SMB opens one connection.
	Because: []string{"one-rx-queue"},
	look:    smbOneChannel,
}

var checkSMBDirect = Check{
	ID:     "smb-direct-off",
	Title:  "what keeps SMB from RDMA",
	Why:    "signed or encrypted packets cannot be moved by RDMA reads and writes on Linux, and not every kernel has SMB Direct",
	Worst:  record.Warning,
	Source: "Linux, commit bb4c0419476b: signing disables RDMA reads and writes; fs/smb/client/cifs_debug.c: SMB_DIRECT; Microsoft Learn, SMB Direct: before Server 2022 encryption disables direct data placement",
	look:   smbDirectOff,
}

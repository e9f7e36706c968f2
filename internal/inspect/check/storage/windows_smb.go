package storage

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// The first builds of Windows with a feature.
const (
	placedEncrypted = 20348 // Server 2022: SMB Direct places encrypted and signed data, too
)

// windowsOneChannel checks the pairs of addresses that Windows' SMB client uses for each server, and settings that
// forbid more.
func windowsOneChannel(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		if h.Facts.SMB == nil {
			continue
		}
		for _, side := range []struct {
			name string
			of   facts.SMBSide
		}{{"Client", h.Facts.SMB.Client}, {"Server", h.Facts.SMB.Server}} {
			if on, known := side.of.Multichannel.Get(); !known || on {
				continue
			}
			set := "Set-Smb" + side.name + "Configuration -EnableMultiChannel %s -Confirm:$false"
			r.Found(record.Finding{Severity: record.Warning, Subject: h.Subject("SMB " + strings.ToLower(side.name)),
				Have: "multichannel is off", Want: "on",
				Evidence:    []record.EvidenceLine{check.Proven(h, side.of.Proofs["multichannel"])},
				Consequence: "one TCP connection to each server, which is one core at each end; no second link, and no RDMA",
				Fix:         fmt.Sprintf(set, "$true"), Undo: fmt.Sprintf(set, "$false")}, h.Subject("SMB settings"))
		}
		if !h.Facts.SMB.Client.Multichannel.Or(true) {
			continue // which is why there is one pair
		}
		var servers []string
		of := map[string][]facts.SMBChannel{}
		for _, c := range h.Facts.SMB.Channels {
			if !c.Selected.Or(false) {
				continue
			}
			if of[c.Server] == nil {
				servers = append(servers, c.Server)
			}
			of[c.Server] = append(of[c.Server], c)
		}
		for _, server := range servers {
			c := of[server][0]
			rss, known := c.RSS.Get()
			rdma, known2 := c.RDMA.Get()
			if len(of[server]) != 1 || !known || !known2 || rss || rdma || server == "" {
				continue
			}
			f := record.Finding{
				Severity: record.Warning, Subject: h.Subject("server " + server),
				Have: "one pair of addresses, without RSS and without RDMA", Want: "RSS or RDMA at both ends, or several links",
				Evidence:    []record.EvidenceLine{check.Proven(h, c.Proof)},
				Consequence: "one TCP connection, which is one core at each end",
				Fix: "Enable-NetAdapterRss -Name ADAPTER\nof the adapter with " + c.Client.String() +
					"\na Samba server has to say it of its own: interfaces = \"" + c.Remote.String() + ";capability=RSS\"",
				Undo: "Disable-NetAdapterRss -Name ADAPTER",
			}
			if n := withAddress(h.Facts, c.Client); n != nil {
				name := check.Quoted("windows", n.Name)
				f.Fix, f.Undo = strings.Replace(f.Fix, "ADAPTER, of the one with "+c.Client.String(), name, 1),
					"Disable-NetAdapterRss -Name "+name
			}
			if p, ok := w.Over(h, c.Remote); ok && p.Port.Speed < check.FastLink {
				f.Severity = record.Info
			}
			r.Found(f, h.Subject("SMB"), h.Subject("server "+server))
		}
	}
}

func withAddress(f *facts.Facts, a netip.Addr) *facts.Interface {
	return xslices.At(f.NICs, func(x *facts.Interface) bool {
		return slices.ContainsFunc(x.Addresses, func(p netip.Prefix) bool { return p.Addr() == a })
	})
}

// hasRDMA reports whether RDMA is on at any adapter of a host with Windows.
func hasRDMA(h *check.Host) bool {
	return slices.ContainsFunc(h.Facts.NICs, func(n facts.Interface) bool {
		return n.Windows != nil && n.Windows.RDMA != nil && n.Windows.RDMA.Enabled.Or(false)
	})
}

// windowsDirectOff checks for settings that prevent SMB over RDMA on Windows where the plan or the adapters have it.
func windowsDirectOff(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		s := h.Facts.SMB
		if !h.Traits().PowerShell || !check.WantsRDMA(h) && !hasRDMA(h) {
			continue
		}
		const tcp = "SMB goes over TCP; the NIC's RDMA is not used for it"
		found := func(about, have, want string, p facts.Proof, consequence, fix, undo string) {
			r.Found(record.Finding{Severity: record.Warning, Subject: h.Subject("SMB"), Have: have, Want: want,
				Evidence: []record.EvidenceLine{check.Proven(h, p)}, Consequence: consequence, Fix: fix, Undo: undo},
				h.Subject("SMB "+about))
		}
		if v := h.Facts.Windows; v != nil {
			if edition := v.Edition.Or(""); strings.HasPrefix(edition, "Core") || strings.HasSuffix(edition, " Home") {
				found("edition", "the edition is Home ("+edition+")", "Pro for Workstations, Enterprise, Education or Server; "+
					"of Pro sources differ", v.Proofs["edition"], tcp, "another edition of Windows", "")
			}
		}
		if s == nil {
			continue
		}
		if state, known := s.Direct.Get(); known && state == "Disabled" {
			found("feature", "the feature SMB Direct is off", "on", s.Client.Proofs["direct"], tcp,
				"Enable-WindowsOptionalFeature -Online -FeatureName SMBDirect, and restart",
				"Disable-WindowsOptionalFeature -Online -FeatureName SMBDirect")
		}
		for _, side := range []struct {
			name string
			of   facts.SMBSide
		}{{"client", s.Client}, {"server", s.Server}} {
			if d := side.of.MaxDialect.Or(""); d != "" && d < "3" {
				found("dialect", "the "+side.name+" speaks SMB "+d+" at most", "3.0 or later", side.of.Proofs["dialect"],
					tcp+", and there is no multichannel", lastDialect(side.name), "")
			}
			kind, aspect := "", ""
			switch {
			case side.of.Encrypt.Or(false):
				kind, aspect = "encrypted", "encryption"
			case side.of.RequireSigning.Or(false):
				kind, aspect = "signed", "signing"
			default:
				continue
			}
			build, known := h.Facts.Windows.BuildNumber()
			if known && build >= placedEncrypted {
				continue // check smb-signing reports its cost
			}
			p := side.of.Proofs[aspect]
			fix, undo := plainSMB(side.name, aspect)
			have := "every packet of the " + side.name + " is " + kind
			if known {
				have += fmt.Sprintf(", on build %d", build)
			}
			found(side.name+" "+aspect, have, "neither signed nor encrypted on the storage network, or Windows Server 2022 "+
				"(build 20348) and later", p, "data goes in messages and is not placed by RDMA: as slow as TCP", fix, undo)
		}
	}
}

func lastDialect(side string) string {
	if side == "server" {
		return "Set-SmbServerConfiguration -Smb2DialectMax None -Confirm:$false"
	}
	return `Remove-ItemProperty -Path HKLM:\SYSTEM\CurrentControlSet\Services\LanmanWorkstation\Parameters -Name MaxSMB2Dialect; where it is not there: Set-SmbClientConfiguration -Smb2DialectMax None`
}

// plainSMB returns the commands that switch signing or encryption off on a side, and on again.
func plainSMB(side, aspect string) (fix, undo string) {
	name, key := map[string]string{"client": "Client", "server": "Server"}[side], "RequireSecuritySignature"
	if aspect == "encryption" {
		key = map[string]string{"client": "RequireEncryption", "server": "EncryptData"}[side]
	}
	set := "Set-Smb" + name + "Configuration -" + key + " %s -Confirm:$false"
	return fmt.Sprintf(set, "$false"), fmt.Sprintf(set, "$true")
}

// Signing checks whether SMB signs or encrypts its traffic.
var Signing = check.Check{
	ID:    "smb-signing",
	Title: "whether SMB signs or encrypts what it carries",
	Why: "each packet is then worked on by a CPU at either end; new releases of Windows require signing by " +
		"themselves",
	Worst:   record.Info,
	Source:  "Microsoft Learn: Control SMB signing behavior; SMB Direct: encryption and signing",
	Because: []string{"smb-direct-off"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			if h.Facts.SMB == nil || w.Fastest(h) < check.FastLink {
				continue
			}
			for _, side := range []struct {
				name string
				of   facts.SMBSide
			}{{"client", h.Facts.SMB.Client}, {"server", h.Facts.SMB.Server}} {
				kind, aspect := "signed", "signing"
				if side.of.Encrypt.Or(false) {
					kind, aspect = "encrypted", "encryption"
				} else if !side.of.RequireSigning.Or(false) {
					continue
				}
				fix, undo := plainSMB(side.name, aspect)
				r.Found(record.Finding{Severity: record.Info, Subject: h.Subject("SMB " + side.name),
					Have:        "every packet is " + kind,
					Want:        "that, where others are on the network; neither, on links of two hosts that no other host reaches",
					Evidence:    []record.EvidenceLine{check.Proven(h, side.of.Proofs[aspect])},
					Consequence: "CPU time for each byte; how much that costs shows a measurement of SMB with either setting",
					Fix:         fix, Undo: undo}, h.Subject("SMB "+side.name+" "+aspect))
			}
		}
	},
}

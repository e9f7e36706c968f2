package host

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

// Configured compares a host's configuration with the settings in effect.
var Configured = check.Check{
	ID:    "host-config-not-applied",
	Title: "what a host's configuration asks for against what is in effect",
	Why: "a file that was changed and not applied, or a setting that something changed since: after the next start " +
		"the machine is another one",
	Worst: record.Warning,
	Source: "rc.conf(5), loader.conf(5), sysctl.conf(5), interfaces(5), netplan-yaml, systemd.network(5), " +
		"nm-settings-keyfile(5), sysctl.d(5)",
	// These checks report differences from the plan, with the file that configures the setting.
	Because: []string{"mtu", "receive-window-cap", "send-buffer-cap"},
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; n.Configured != nil {
					configuredMTU(w, h, n, r)
					configuredAddresses(w, h, n, r)
					configuredOffloads(w, h, n, r)
					configuredMedia(w, h, n, r)
				}
			}
			configuredSettings(h, r)
		}
	},
}

func configuredMTU(w *check.World, h *check.Host, n *facts.Interface, r *check.Report) {
	configured := n.Configured.MTU
	if configured == 0 || n.MTU == 0 || n.MTU == configured {
		return
	}
	r.Found(record.Finding{
		Severity: w.There(h, n.Name, record.Warning), Subject: h.Subject(n.Name), Have: fmt.Sprintf("MTU %d", n.MTU),
		Want: fmt.Sprintf("%d, as %s asks", configured, fileOf(n.Configured.Proofs["mtu"])),
		Evidence: []record.EvidenceLine{check.Proven(h, n.Configured.Proofs["mtu"]),
			check.Seen(h, n, "mtu", "ip link", fmt.Sprintf("%s: mtu %d", n.Name, n.MTU))},
		Consequence: "at the next start the MTU is another one, on this end alone",
		Fix: check.SetMTU.On(h, "nic", n.Name, "mtu", configured, "frame",
			configured+14) + "\nor take it out of the file",
		Undo: check.SetMTU.On(h, "nic", n.Name, "mtu", n.MTU, "frame", n.MTU+14),
	}, h.Subject(n.Name))
}

// configuredAddresses examines only machines with at least one known address in effect.
func configuredAddresses(w *check.World, h *check.Host, n *facts.Interface, r *check.Report) {
	if !slices.ContainsFunc(h.Facts.NICs, func(m facts.Interface) bool { return len(m.Addresses) > 0 }) {
		return
	}
	for _, a := range n.Configured.Addresses {
		if slices.ContainsFunc(w.Plugged(h), func(p check.Port) bool { return p.Port.Address == a }) {
			continue // the plan has it, and "address" reports it
		}
		var other string
		for _, m := range h.Facts.NICs {
			for _, b := range m.Addresses {
				switch {
				case a == b && m.Name == n.Name:
					other = "here"
				case a.Addr() == b.Addr() && other == "":
					other = fmt.Sprintf("%s at %s", b, m.Name)
				}
			}
		}
		if other == "here" {
			continue
		}
		f := record.Finding{Severity: w.There(h, n.Name, record.Warning), Subject: h.Subject(n.Name),
			Have: "no such address", Want: fmt.Sprintf("%s, as %s asks", a, fileOf(n.Configured.Proofs["addresses"])),
			Evidence:    []record.EvidenceLine{check.Proven(h, n.Configured.Proofs["addresses"])},
			Consequence: "who asks for that address gets no answer, until the next start",
			Fix:         check.AddAddress.On(h, check.Addressed(n.Name, a)...) + "\nor take it out of the file",
			Undo:        check.DelAddress.On(h, check.Addressed(n.Name, a)...)}
		if other != "" {
			f.Have, f.Fix, f.Undo = other, "look which of both is meant, and apply or mend the file", ""
			f.Consequence = "at the next start the address is elsewhere"
		}
		if p, ok := n.Proofs["addresses"]; ok {
			f.Evidence = append(f.Evidence, check.Proven(h, p))
		}
		r.Found(f, h.Subject(n.Name+": "+a.String()))
	}
}

// configuredOffloads omits features that the NIC does not have.
func configuredOffloads(w *check.World, h *check.Host, n *facts.Interface, r *check.Report) {
	if n.Offloads == nil {
		return
	}
	var on, off []string
	for _, name := range slices.Sorted(maps.Keys(n.Configured.Offloads)) {
		now, known := n.Offloads[name]
		switch configured := n.Configured.Offloads[name]; {
		case !known || now == configured || n.Fixed[name]:
		case configured:
			on = append(on, name)
		default:
			off = append(off, name)
		}
	}
	if len(on)+len(off) == 0 {
		return
	}
	f := record.Finding{Severity: w.There(h, n.Name, record.Warning), Subject: h.Subject(n.Name),
		Have: unit.List(on) + " off", Want: "on, as " + fileOf(n.Configured.Proofs["offloads"]) + " asks",
		Evidence:    []record.EvidenceLine{check.Proven(h, n.Configured.Proofs["offloads"])},
		Consequence: "the CPU does what the NIC was to do", Fix: "apply the line of the file, or mend it"}
	if len(on) == 0 {
		f.Severity, f.Have, f.Want = record.Info, unit.List(off)+" on", "off, as "+fileOf(
			n.Configured.Proofs["offloads"])+" asks"
		f.Consequence = "nothing now; at the next start the CPU does more"
	}
	if p, ok := n.Proofs["offloads"]; ok {
		f.Evidence = append(f.Evidence, check.Proven(h, p))
	}
	r.Found(f, h.Subject(n.Name+": offloads"))
}

func configuredMedia(w *check.World, h *check.Host, n *facts.Interface, r *check.Report) {
	if n.Configured.Media == "" || n.Wire.Media == "" || strings.EqualFold(n.Configured.Media, n.Wire.Media) {
		return
	}
	r.Found(record.Finding{Severity: w.There(h, n.Name, record.Warning), Subject: h.Subject(n.Name),
		Have: "media " + n.Wire.Media, Want: n.Configured.Media + ", as " + fileOf(n.Configured.Proofs["media"]) + " asks",
		Evidence:    []record.EvidenceLine{check.Proven(h, n.Configured.Proofs["media"]), check.Proven(h, n.Proofs["media"])},
		Consequence: "the link runs in another way than it is configured, and may have another speed at the next start",
		Fix:         "ifconfig " + n.Name + " media " + n.Configured.Media + "\nthe link goes down for a moment",
		Undo:        "ifconfig " + n.Name + " media " + n.Wire.Media}, h.Subject(n.Name+": media"))
}

// configuredSettings reports kernel settings that differ from files, and those that affect network speed one by one.
func configuredSettings(h *check.Host, r *check.Report) {
	for i := range h.Facts.ConfiguredSettings {
		s := &h.Facts.ConfiguredSettings[i]
		if !s.Differs() {
			continue
		}
		now := strings.Join(strings.Fields(s.Now), " ")
		f := record.Finding{Severity: record.Info, Subject: h.Subject(s.Name), Have: now,
			Want:        s.Value + ", as " + fileOf(s.Proof) + " asks",
			Evidence:    []record.EvidenceLine{check.Proven(h, s.Proof), check.Proven(h, s.NowProof)},
			Consequence: "at the next start the setting is another one",
			Fix:         "sysctl " + s.Name + "=" + check.Quoted(h.System(), s.Value) + "\nor mend the file",
			Undo:        "sysctl " + s.Name + "=" + check.Quoted(h.System(), now)}
		if h.Traits().Proc {
			f.Fix, f.Undo = "sysctl -w "+f.Fix[len("sysctl "):], "sysctl -w "+f.Undo[len("sysctl "):]
		}
		if strings.HasSuffix(s.Proof.Source, "loader.conf") {
			f.Fix, f.Undo = "a restart, if the file was changed since the last one; else something sets it later", ""
		}
		if counts(s.Name) {
			f.Severity = record.Warning
		}
		about := []record.Subject{h.Subject(s.Name)}
		if boundsBuffers(s.Name) {
			about = append(about, h.Subject())
		}
		r.Found(f, about...)
	}
}

// counts reports whether a connection's speed depends on a setting.
func counts(name string) bool {
	for _, p := range []string{"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_", "net.core.rmem_max",
		"net.core.wmem_max", "net.core.netdev_max_backlog", "net.inet.tcp.", "kern.ipc.maxsockbuf",
		"kern.ipc.nmb", "net.ipv4.conf.all.arp_", "net.isr."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// interval reports whether a setting bounds the buffers of a connection, whose cost other checks report.
func boundsBuffers(name string) bool {
	return slices.Contains([]string{"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.core.rmem_max", "net.core.wmem_max",
		"net.inet.tcp.recvbuf_max", "net.inet.tcp.sendbuf_max", "kern.ipc.maxsockbuf"}, name)
}

// fileOf returns the file of a proof as a path. In a pasted session the source is "cat /etc/rc.conf".
func fileOf(p facts.Proof) string {
	words := strings.Fields(p.Source)
	if len(words) == 0 {
		return "a file"
	}
	return "/" + strings.TrimPrefix(words[len(words)-1], "/")
}

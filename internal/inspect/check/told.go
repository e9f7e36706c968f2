package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkTold = Check{
	ID:     "host-config-not-applied",
	Title:  "what a host's configuration asks for against what is in effect",
	Why:    "a file that was changed and not applied, or a setting that something changed since: after the next start the machine is another one",
	Worst:  record.Warning,
	Source: "rc.conf(5), loader.conf(5), sysctl.conf(5), interfaces(5), netplan-yaml, systemd.network(5), nm-settings-keyfile(5), sysctl.d(5)",
	// What the plan misses is told there, with the file that asks for it.
	Because: []string{"mtu", "receive-window-cap", "send-buffer-cap"},
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; n.Told != nil {
					toldMTU(w, h, n, r)
					toldAddresses(w, h, n, r)
					toldOffloads(w, h, n, r)
					toldMedia(w, h, n, r)
				}
			}
			toldSettings(h, r)
		}
	},
}

func toldMTU(w *World, h *Host, n *facts.Interface, r *report) {
	told := n.Told.MTU
	if told == 0 || n.MTU == 0 || n.MTU == told {
		return
	}
	r.found(record.Finding{
		Severity: w.there(h, n.Name, record.Warning), Subject: h.Name + ": " + n.Name, Have: fmt.Sprintf("MTU %d", n.MTU), Want: fmt.Sprintf("%d, as %s asks", told, fileOf(n.Told.Proofs["mtu"])),
		Evidence:    []record.EvidenceLine{proven(h, n.Told.Proofs["mtu"]), seen(h, n, "mtu", "ip link", fmt.Sprintf("%s: mtu %d", n.Name, n.MTU))},
		Consequence: "at the next start the MTU is another one, on this end alone",
		Fix:         setMTU.on(h, "nic", n.Name, "mtu", told, "frame", told+14) + "; or take it out of the file", Undo: setMTU.on(h, "nic", n.Name, "mtu", n.MTU, "frame", n.MTU+14),
	}, h.Name+": "+n.Name)
}

// toldAddresses looks only at machines of which some address in effect is known.
func toldAddresses(w *World, h *Host, n *facts.Interface, r *report) {
	if !slices.ContainsFunc(h.Facts.NICs, func(m facts.Interface) bool { return len(m.Addresses) > 0 }) {
		return
	}
	for _, a := range n.Told.Addresses {
		if slices.ContainsFunc(w.plugged(h), func(p plugged) bool { return p.port.Address == a }) {
			continue // the plan has it, and "address" tells of it
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
		f := record.Finding{
			Severity: w.there(h, n.Name, record.Warning), Subject: h.Name + ": " + n.Name, Have: "no such address", Want: fmt.Sprintf("%s, as %s asks", a, fileOf(n.Told.Proofs["addresses"])),
			Evidence:    []record.EvidenceLine{proven(h, n.Told.Proofs["addresses"])},
			Consequence: "who asks for that address gets no answer, until the next start",
			Fix:         addAddress.on(h, addressed(n.Name, a)...) + "; or take it out of the file",
			Undo:        delAddress.on(h, addressed(n.Name, a)...),
		}
		if other != "" {
			f.Have, f.Fix, f.Undo = other, "look which of both is meant, and apply or mend the file", ""
			f.Consequence = "at the next start the address is elsewhere"
		}
		if p, ok := n.Proofs["addresses"]; ok {
			f.Evidence = append(f.Evidence, proven(h, p))
		}
		r.found(f, h.Name+": "+n.Name+": "+a.String())
	}
}

// toldOffloads leaves out what the card cannot.
func toldOffloads(w *World, h *Host, n *facts.Interface, r *report) {
	if n.Offloads == nil {
		return
	}
	var on, off []string
	for _, name := range slices.Sorted(maps.Keys(n.Told.Offloads)) {
		now, known := n.Offloads[name]
		switch told := n.Told.Offloads[name]; {
		case !known || now == told || n.Fixed[name]:
		case told:
			on = append(on, name)
		default:
			off = append(off, name)
		}
	}
	if len(on)+len(off) == 0 {
		return
	}
	f := record.Finding{
		Severity: w.there(h, n.Name, record.Warning), Subject: h.Name + ": " + n.Name, Have: words(on) + " off", Want: "on, as " + fileOf(n.Told.Proofs["offloads"]) + " asks",
		Evidence:    []record.EvidenceLine{proven(h, n.Told.Proofs["offloads"])},
		Consequence: "the processor does what the card was to do",
		Fix:         "apply the line of the file, or mend it",
	}
	if len(on) == 0 {
		f.Severity, f.Have, f.Want = record.Info, words(off)+" on", "off, as "+fileOf(n.Told.Proofs["offloads"])+" asks"
		f.Consequence = "nothing now; at the next start the processor does more"
	}
	if p, ok := n.Proofs["offloads"]; ok {
		f.Evidence = append(f.Evidence, proven(h, p))
	}
	r.found(f, h.Name+": "+n.Name+": offloads")
}

func toldMedia(w *World, h *Host, n *facts.Interface, r *report) {
	if n.Told.Media == "" || n.Wire.Media == "" || strings.EqualFold(n.Told.Media, n.Wire.Media) {
		return
	}
	r.found(record.Finding{
		Severity: w.there(h, n.Name, record.Warning), Subject: h.Name + ": " + n.Name, Have: "media " + n.Wire.Media, Want: n.Told.Media + ", as " + fileOf(n.Told.Proofs["media"]) + " asks",
		Evidence:    []record.EvidenceLine{proven(h, n.Told.Proofs["media"]), proven(h, n.Proofs["media"])},
		Consequence: "the link runs in another way than it is told to, and may have another speed at the next start",
		Fix:         "ifconfig " + n.Name + " media " + n.Told.Media + " (the link goes down for a moment)", Undo: "ifconfig " + n.Name + " media " + n.Wire.Media,
	}, h.Name+": "+n.Name+": media")
}

// toldSettings tells the settings of the kernel that are others than files ask for, those of the network's speed one by one.
func toldSettings(h *Host, r *report) {
	for i := range h.Facts.ToldSettings {
		s := &h.Facts.ToldSettings[i]
		if !s.Differs() {
			continue
		}
		now := strings.Join(strings.Fields(s.Now), " ")
		f := record.Finding{
			Severity: record.Info, Subject: h.Name + ": " + s.Name, Have: now, Want: s.Value + ", as " + fileOf(s.Proof) + " asks",
			Evidence:    []record.EvidenceLine{proven(h, s.Proof), proven(h, s.NowProof)},
			Consequence: "at the next start the setting is another one",
			Fix:         "sysctl " + s.Name + "=" + quoted(h.system(), s.Value) + ", or mend the file", Undo: "sysctl " + s.Name + "=" + quoted(h.system(), now),
		}
		if h.system() == "linux" {
			f.Fix, f.Undo = "sysctl -w "+f.Fix[len("sysctl "):], "sysctl -w "+f.Undo[len("sysctl "):]
		}
		if strings.HasSuffix(s.Proof.Source, "loader.conf") {
			f.Fix, f.Undo = "a restart, if the file was changed since the last one; else something sets it later", ""
		}
		if counts(s.Name) {
			f.Severity = record.Warning
		}
		about := []string{h.Name + ": " + s.Name}
		if window(s.Name) {
			about = append(about, h.Name)
		}
		r.found(f, about...)
	}
}

// counts says whether a setting is one that a connection's speed depends on.
func counts(name string) bool {
	for _, p := range []string{"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.ipv4.tcp_", "net.core.rmem_max", "net.core.wmem_max", "net.core.netdev_max_backlog", "net.inet.tcp.", "kern.ipc.maxsockbuf",
		"kern.ipc.nmb", "net.ipv4.conf.all.arp_", "net.isr."} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// window says whether a setting bounds the buffers of a connection, of which other checks tell what that costs.
func window(name string) bool {
	return slices.Contains([]string{"net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem", "net.core.rmem_max", "net.core.wmem_max", "net.inet.tcp.recvbuf_max", "net.inet.tcp.sendbuf_max", "kern.ipc.maxsockbuf"}, name)
}

// fileOf is the file of a proof as a path; of a pasted session "cat /etc/rc.conf" is the source.
func fileOf(p facts.Proof) string {
	words := strings.Fields(p.Source)
	if len(words) == 0 {
		return "a file"
	}
	return "/" + strings.TrimPrefix(words[len(words)-1], "/")
}

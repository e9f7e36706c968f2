package check

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// offload is a feature that lets the processor handle many packets as one.
type offload struct{ feature, flag, side string }

// offloads are those of each system, by the flag of its own command. FreeBSD has neither GSO nor GRO: there a card's own LRO does
// for receiving what GRO does in Linux.
var offloads = map[string][]offload{
	"linux":   {{"tx-tcp-segmentation", "tso", "sending"}, {"tx-generic-segmentation", "gso", "sending"}, {"rx-gro", "gro", "receiving"}},
	"windows": {{"tx-checksum-ip-generic", "ChecksumOffload", "sending"}, {"tx-tcp-segmentation", "Lso", "sending"}, {"rx-gro", "Rsc", "receiving"}},
	"freebsd": {{"tx-checksum-ip-generic", "txcsum", "sending"}, {"tx-tcp-segmentation", "tso4", "sending"}, {"rx-lro", "lro", "receiving"}},
}

// switchOffloads is the command that switches some of them.
func switchOffloads(h *Host, nic string, flags []string, on bool) string {
	if h.system() == "windows" {
		var each []string
		for _, f := range flags {
			each = append(each, map[bool]string{true: "Enable", false: "Disable"}[on]+"-NetAdapter"+f+" -Name "+quoted("windows", nic))
		}
		return strings.Join(each, "; ")
	}
	if h.system() == "freebsd" {
		sign := map[bool]string{true: " ", false: " -"}[on]
		return "ifconfig " + quoted("freebsd", nic) + sign + strings.Join(flags, sign)
	}
	word := map[bool]string{true: " on", false: " off"}[on]
	return "ethtool -K " + quoted("linux", nic) + " " + strings.Join(flags, word+" ") + word
}

// memberWithout says whether a member of a bond has a feature off.
func (h *Host) memberWithout(n *facts.Interface, feature string) bool {
	if n.Bond == nil {
		return false
	}
	return slices.ContainsFunc(n.Bond.Members, func(m facts.BondMember) bool {
		member := h.Facts.NIC(m.Name)
		if member == nil {
			return false
		}
		on, known := member.Offloads[feature]
		return known && !on
	})
}

var checkOffloads = Check{
	ID:     "offloads-off",
	Title:  "segmentation and receive offload",
	Why:    "without them the processor handles every packet of the wire by itself, and one core bears a few Gb/s",
	Worst:  record.Error,
	Source: "ethtool(8); measured in the lab: 49 Gb/s with them, 7.0 Gb/s without at MTU 1500",
	look: func(w *World, r *report) {
		offloadWords(w, r)
		for p := range w.ports() {
			h := p.host
			if p.nic.Offloads == nil {
				r.notKnown(p.subject()+": offloads", "they are not in the capture")
				continue
			}
			var off, fixed []string
			sending := 0
			f := record.Finding{Severity: record.Warning, Subject: p.subject(), Want: "on"}
			for _, o := range offloads[h.system()] {
				on, known := p.nic.Offloads[o.feature]
				if o.feature == "rx-gro" && p.nic.Kind == "veth" {
					continue // what a virtual cable brings was never cut into packets
				}
				if !known || on || w.plannedOff(h, p.nic.Name, o.feature, o.flag) {
					continue
				}
				if h.memberWithout(p.nic, o.feature) {
					continue // a bond can do what all of its members can: it is theirs to say
				}
				if p.nic.Fixed[o.feature] {
					fixed = append(fixed, o.flag)
					continue
				}
				off = append(off, o.flag)
				aspect := "offloads"
				if h.system() == "windows" {
					aspect = o.feature
				}
				if e := seen(h, p.nic, aspect, "ethtool -k "+p.nic.Name, o.feature+": off"); !slices.Contains(f.Evidence, e) {
					f.Evidence = append(f.Evidence, e)
				}
				if o.side == "sending" {
					sending++
				}
			}
			if len(off) == 0 {
				continue
			}
			if h.system() == "linux" && slices.Contains(off, "tso") { // what the kernel keeps TSO off without
				for _, need := range []struct{ flag, feature, or string }{{"sg", "tx-scatter-gather", ""}, {"tx", "tx-checksum-ip-generic", "tx-checksum-ipv4"}} {
					on, known := p.nic.Offloads[need.feature]
					if p.nic.Fixed[need.feature] && need.or != "" {
						need.feature = need.or
						on, known = p.nic.Offloads[need.or]
					}
					if known && !on && !p.nic.Offloads[need.or] && !p.nic.Fixed[need.feature] {
						off = append([]string{need.flag}, off...)
						f.Evidence = append(f.Evidence, seen(h, p.nic, "offloads", "ethtool -k "+p.nic.Name, need.feature+": off"))
					}
				}
			}
			f.Have = words(off) + " off"
			f.Fix, f.Undo = switchOffloads(h, p.nic.Name, off, true), switchOffloads(h, p.nic.Name, off, false)
			f.Consequence = "each packet costs processor time of its own"
			if len(fixed) > 0 {
				f.Consequence += fmt.Sprintf(" (%s cannot be switched on here)", words(fixed))
			}
			// GSO alone does for TCP what TSO does, on the processor; without both nothing does. Receiving has GRO alone. What it
			// costs in FreeBSD was not measured.
			if h.system() == "linux" && (sending == 2 || slices.Contains(off, "gro")) {
				f.Severity = record.Error
				f.Consequence += ": a link of 10 Gb/s and more is then bound by one core"
			}
			r.found(f, p.subject())
		}
	},
}

// plannedOff says whether the file itself asks for the feature to be off.
func (w *World) plannedOff(h *Host, nic, feature, flag string) bool {
	for _, s := range h.Plan.Settings {
		if s.Kind == plan.SetOffload && s.Interface == nic && s.Value == "off" && (s.Key == feature || s.Key == flag) {
			return true
		}
	}
	return false
}

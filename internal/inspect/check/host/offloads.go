package host

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// switchOffloads returns the command that switches offloads on or off.
func switchOffloads(h *check.Host, nic string, flags []string, on bool) string {
	if h.Traits().PowerShell {
		var each []string
		for _, f := range flags {
			each = append(each, unit.If(on, "Enable", "Disable")+"-NetAdapter"+f+" -Name "+check.Quoted("windows", nic))
		}
		return strings.Join(each, "; ")
	}
	if h.Traits().Ifconfig {
		sign := unit.If(on, " ", " -")
		return "ifconfig " + check.Quoted("freebsd", nic) + sign + strings.Join(flags, sign)
	}
	word := unit.If(on, " on", " off")
	return "ethtool -K " + check.Quoted("linux", nic) + " " + strings.Join(flags, word+" ") + word
}

// memberWithout reports whether a member of a bond has a feature off.
func memberWithout(h *check.Host, n *facts.Interface, feature string) bool {
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

// Offloads checks that segmentation and receive offload are on.
var Offloads = check.Check{
	ID:     "offloads-off",
	Title:  "segmentation and receive offload",
	Why:    "without them the CPU handles every packet of the wire by itself, and one core bears a few Gb/s",
	Worst:  record.Error,
	Source: "ethtool(8); measured in the lab: 49 Gb/s with them, 7.0 Gb/s without at MTU 1500",
	Look: func(w *check.World, r *check.Report) {
		offloadWords(w, r)
		for p := range w.Ports() {
			h := p.Host
			if p.Nic.Offloads == nil {
				r.NotKnownOf(p.Subject(), "offloads", "they are not in the snapshot")
				continue
			}
			var off, fixed []string
			sending := 0
			f := record.Finding{Severity: record.Warning, Subject: p.Subject(), Want: "on"}
			for _, o := range h.Traits().Offloads {
				on, known := p.Nic.Offloads[o.Feature]
				if o.Feature == "rx-gro" && p.Nic.Kind == "veth" {
					continue // data on a virtual cable is never segmented
				}
				if !known || on || plannedOff(w, h, p.Nic.Name, o.Feature, o.Flag) {
					continue
				}
				if memberWithout(h, p.Nic, o.Feature) {
					continue // a bond has the features that all of its members have: its members are judged
				}
				if p.Nic.Fixed[o.Feature] {
					fixed = append(fixed, o.Flag)
					continue
				}
				off = append(off, o.Flag)
				aspect := "offloads"
				if h.Traits().PowerShell {
					aspect = o.Feature
				}
				if e := check.Seen(h, p.Nic, aspect, "ethtool -k "+p.Nic.Name, o.Feature+": off"); !slices.Contains(f.Evidence, e) {
					f.Evidence = append(f.Evidence, e)
				}
				if o.Side == "sending" {
					sending++
				}
			}
			if len(off) == 0 {
				continue
			}
			if h.Traits().Proc && slices.Contains(off, "tso") { // the kernel keeps TSO off without it
				for _, need := range []struct{ flag, feature, or string }{{"sg", "tx-scatter-gather", ""},
					{"tx", "tx-checksum-ip-generic", "tx-checksum-ipv4"}} {
					on, known := p.Nic.Offloads[need.feature]
					if p.Nic.Fixed[need.feature] && need.or != "" {
						need.feature = need.or
						on, known = p.Nic.Offloads[need.or]
					}
					if known && !on && !p.Nic.Offloads[need.or] && !p.Nic.Fixed[need.feature] {
						off = append([]string{need.flag}, off...)
						f.Evidence = append(f.Evidence, check.Seen(h, p.Nic, "offloads", "ethtool -k "+p.Nic.Name, need.feature+": off"))
					}
				}
			}
			f.Have = unit.List(off) + " off"
			f.Fix, f.Undo = switchOffloads(h, p.Nic.Name, off, true), switchOffloads(h, p.Nic.Name, off, false)
			f.Consequence = "each packet costs CPU time of its own"
			if len(fixed) > 0 {
				f.Consequence += fmt.Sprintf(" (%s cannot be switched on here)", unit.List(fixed))
			}
			// Without TSO, GSO still combines packets on the CPU; without both, nothing does. Receiving has only GRO. The cost
			// in FreeBSD was not measured.
			if h.Traits().Proc && (sending == 2 || slices.Contains(off, "gro")) {
				f.Severity = record.Error
				f.Consequence += ": a link of 10 Gb/s and more is then bound by one core"
			}
			r.Found(f, p.Subject())
		}
	},
}

// plannedOff reports whether the fabric file itself switches the feature off.
func plannedOff(w *check.World, h *check.Host, nic, feature, flag string) bool {
	for _, s := range h.Plan.Settings {
		if s.Kind == plan.SetOffload && s.Interface == nic && s.Value == "off" && (s.Key == feature || s.Key == flag) {
			return true
		}
	}
	return false
}

// offloadWords reports interfaces whose driver logged that an offload was switched off. The state of the interface
// itself is newer, and decides where it is known.
func offloadWords(w *check.World, r *check.Report) {
	for _, h := range w.Hosts {
		if value, ok := h.Facts.Sysctl("net.inet.tcp.tso"); ok && value == "0" && h.Plan != nil {
			p := h.Facts.Sysctls["net.inet.tcp.tso"]
			r.Found(record.Finding{Severity: record.Warning, Subject: h.Subject("net.inet.tcp.tso"),
				Have: "segmentation offload is off for all interfaces", Want: "1",
				Evidence:    []record.EvidenceLine{{Host: h.Name, Source: p.Source, Line: p.Line}},
				Consequence: "each packet costs CPU time of its own",
				Fix:         "sysctl net.inet.tcp.tso=1\nand take the line out of /etc/sysctl.conf that sets it to 0",
				Undo:        "sysctl net.inet.tcp.tso=0"}, h.Subject())
		}
	}
	at := map[string]int{}
	var found []record.Finding
	for h, e := range w.Events(facts.OffloadOff) {
		if rate, known := e.Rate.Get(); !known || rate < 10e9 {
			continue
		}
		if n := check.NicOf(h, e.Subject); n != nil && n.Offloads != nil || h.Plan != nil && !w.Carries(h, e.Subject) {
			continue
		}
		subject := check.SubjectOf(h, e.Subject)
		line := record.EvidenceLine{Host: h.Name, Source: e.Source, Line: e.Line}
		i, ok := at[subject.String()]
		if ok { // tso6 next to tso4
			found[i].Have += " and " + e.Detail
			found[i].Evidence = append(found[i].Evidence, line)
			continue
		}
		at[subject.String()] = len(found)
		found = append(found, record.Finding{
			Severity: record.Warning, Subject: subject, Have: e.Detail, Want: "on, unless the host bridges or routes for others",
			Evidence: []record.EvidenceLine{line}, Consequence: "each packet costs CPU time of its own",
			Fix: "look whether it is still so (" + check.ShowOffloads.On(h, "nic", e.Subject) + "), then " +
				check.OffloadsOn.On(h, "nic", e.Subject) + "; and find who switches it off at boot",
			Undo: check.OffloadsOff.On(h, "nic", e.Subject), About: check.About(h, e.Subject),
		})
	}
	for _, f := range found {
		f.Have += " switched off, as its driver says"
		r.Found(f, slices.Clone(f.About)...)
	}
}

package check

import (
	"fmt"
	"strings"

	"linerate/plan"
)

// offloads are the features that let the processor handle many packets as one.
var offloads = []struct{ feature, flag, side string }{
	{"tx-tcp-segmentation", "tso", "sending"},
	{"tx-generic-segmentation", "gso", "sending"},
	{"rx-gro", "gro", "receiving"},
}

var checkOffloads = Check{
	ID:     "offloads-off",
	Title:  "segmentation and receive offload",
	Why:    "without them the processor handles every packet of the wire by itself, and one core bears a few Gb/s",
	Worst:  plan.Error,
	Source: "ethtool(8); measured in the lab: 49 Gb/s with them, 7.0 Gb/s without at MTU 1500",
	look: func(w *World, r *report) {
		for p := range w.ports() {
			h := p.host
			if p.nic.Offloads == nil {
				r.notKnown(p.subject()+": offloads", "they are not in the capture")
				continue
			}
			var off, fixed []string
			sending := 0
			f := Finding{Severity: plan.Warning, Subject: p.subject(), Want: "on"}
			for _, o := range offloads {
				on, known := p.nic.Offloads[o.feature]
				if o.feature == "rx-gro" && p.nic.Kind == "veth" {
					continue // what a virtual cable brings was never cut into packets
				}
				if !known || on || w.plannedOff(h, p.nic.Name, o.feature, o.flag) {
					continue
				}
				if p.nic.Fixed[o.feature] {
					fixed = append(fixed, o.flag)
					continue
				}
				off = append(off, o.flag)
				f.Evidence = append(f.Evidence, Evidence{h.Name, "ethtool -k " + p.nic.Name, o.feature + ": off"})
				if o.side == "sending" {
					sending++
				}
			}
			if len(off) == 0 {
				continue
			}
			f.Have = words(off) + " off"
			f.Fix = "ethtool -K " + p.nic.Name + " " + strings.Join(off, " on ") + " on"
			f.Undo = "ethtool -K " + p.nic.Name + " " + strings.Join(off, " off ") + " off"
			f.Consequence = "each packet costs processor time of its own"
			if len(fixed) > 0 {
				f.Consequence += fmt.Sprintf(" (%s cannot be switched on here)", words(fixed))
			}
			// GSO alone does for TCP what TSO does, on the processor; without both nothing does. Receiving has GRO alone.
			if sending == 2 || len(off) > sending {
				f.Severity = plan.Error
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

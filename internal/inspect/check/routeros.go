package check

import (
	"fmt"
	"regexp"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

var checkEgressRate = Check{
	ID:     "pfc-egress-rate",
	Title:  "the egress rate of paused queues (RouterOS)",
	Why:    "RouterOS obeys PFC only on queues with an egress rate, even if that is the rate of the port",
	Worst:  record.Error,
	Source: "MikroTik, Quality of Service: egress-rate-queueN",
	look: func(w *World, r *report) {
		routeros := func(h *Host, n *facts.Interface) bool { return h.Facts.OS == "routeros" && n.Asked != nil }
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			if !routeros(h, n) {
				return ""
			}
			for _, class := range n.Asked.PFCReceive.Or(nil) {
				if !egressRate(n, class).IsKnown() {
					return fmt.Sprint(class)
				}
			}
			return ""
		}) {
			class := g.first().Asked.PFCReceive.Or(nil)[0]
			set := fmt.Sprintf("%s port set %s egress-rate-queue%d=", qosMenu, g.first().Name, class)
			r.found(record.Finding{
				Severity: record.Warning, Subject: g.subject(), Have: fmt.Sprintf("PFC is to be obeyed for class %d, and queue %d has no egress rate", class, class), Want: "an egress rate of the link's speed",
				Evidence:    g.proofs(g.first().Asked.Proofs["pfc"]),
				Consequence: "the port does not wait when its other end asks it to: that one drops what it cannot take",
				Fix:         set + "100.0Gbps, the speed of the link, and so on for each port", Undo: qosMenu + fmt.Sprintf(" port set %s !egress-rate-queue%d", g.first().Name, class),
			}, g.about()...)
		}
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			for _, class := range lossless(classesOf(n)) {
				rate, known := egressRate(n, class).Get()
				if speed, up := n.Speed.Get(); h.Facts.OS == "routeros" && known && up && rate < speed {
					return fmt.Sprint(class, rate, speed)
				}
			}
			return ""
		}) {
			n := g.first()
			for _, class := range lossless(classesOf(n)) {
				rate, speed := egressRate(n, class).Or(n.Speed.Or(0)), n.Speed.Or(0)
				if rate >= speed {
					continue
				}
				loss := 1 - float64(rate)/float64(speed)
				f := record.Finding{
					Severity: record.Error, Subject: g.subject(), Have: fmt.Sprintf("queue %d may send %s", class, rate), Want: speed.String() + ", the speed of the link",
					Evidence:    g.proofs(firstRate(n, class), n.Proofs["speed"]),
					Consequence: fmt.Sprintf("class %d gets %s of the link's %s at most", class, rate, speed), Loss: unit.Known(loss),
					Fix:  fmt.Sprintf("%s port set %s egress-rate-queue%d=%.1fGbps", qosMenu, n.Name, class, float64(speed)/1e9),
					Undo: fmt.Sprintf("%s port set %s egress-rate-queue%d=%.1fGbps", qosMenu, n.Name, class, float64(rate)/1e9),
				}
				if loss < 0.1 {
					f.Severity = record.Warning
				}
				r.found(f, g.about()...)
			}
		}
		cages(w, r)
	},
}

// egressRate is the egress rate of a queue of a port: of what is in effect, else of what was set.
func egressRate(n *facts.Interface, class int) unit.Opt[unit.BitRate] {
	for _, c := range []*facts.Classes{n.Effect, n.Asked} {
		if c != nil {
			if rate := c.Queues[class].Rate; rate.IsKnown() {
				return rate
			}
		}
	}
	return unit.Unknown[unit.BitRate]("it is not in the capture")
}

func firstRate(n *facts.Interface, class int) facts.Proof {
	for _, c := range []*facts.Classes{n.Effect, n.Asked} {
		if c != nil && c.Queues[class].Rate.IsKnown() {
			return c.Proofs[fmt.Sprintf("rate %d", class)]
		}
	}
	return facts.Proof{}
}

var lane = regexp.MustCompile(`^(q?sfp[a-z0-9]*-\d+)-([1-4])$`)

// cages tells of cages whose four interfaces all have a rate of their own: the manual wants them alike, and what the last three do
// while the cage runs as one port is not documented.
func cages(w *World, r *report) {
	for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
		m := lane.FindStringSubmatch(n.Name)
		if h.Facts.OS != "routeros" || m == nil || m[2] == "1" {
			return ""
		}
		first := h.Facts.NIC(m[1] + "-1")
		if first == nil {
			return ""
		}
		for _, class := range lossless(classesOf(n)) {
			a, ok := egressRate(n, class).Get()
			b, ok2 := egressRate(first, class).Get()
			if ok && ok2 && a == b {
				return fmt.Sprint(class, a)
			}
		}
		return ""
	}) {
		n := g.first()
		class := lossless(classesOf(n))[0]
		rate := egressRate(n, class).Or(0)
		r.found(record.Finding{
			Severity: record.Info, Subject: g.subject(), Have: fmt.Sprintf("queue %d of the further interfaces of a cage may send %s each, as that of the first one", class, rate),
			Want:        "all interfaces of a cage alike, which they are",
			Evidence:    g.proofs(firstRate(n, class)),
			Consequence: "none known: PFC is obeyed only with an egress rate; what it does on these while the cage runs as one port is not documented",
			Fix:         fmt.Sprintf("none; if the cage is split, the rate of each part (%.1fGbps for four of 100)", 25.0),
		}, g.about()...)
	}
}

var checkCage = Check{
	ID:     "cage-interfaces",
	Title:  "the four interfaces of a cage (RouterOS)",
	Why:    "a cage shows as four interfaces; all of them are to be set alike, or the port's classes are not what the first one says",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: QSFP ports",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			m := lane.FindStringSubmatch(n.Name)
			if h.Facts.OS != "routeros" || m == nil || n.Effect == nil || m[2] == "1" {
				return ""
			}
			first := h.Facts.NIC(m[1] + "-1")
			if first == nil || first.Effect == nil || len(lossless(first.Effect)) == 0 {
				return ""
			}
			return differs(first.Effect, n.Effect)
		}) {
			n := g.first()
			m := lane.FindStringSubmatch(n.Name)
			first := g.host.Facts.NIC(m[1] + "-1")
			r.found(record.Finding{
				Severity: record.Warning, Subject: g.subject(), Have: differs(first.Effect, n.Effect), Want: "as " + first.Name,
				Evidence:    g.proofs(n.Effect.Proofs["trust"], first.Effect.Proofs["trust"]),
				Consequence: "the manual wants all interfaces of a cage alike; what the port does otherwise is not documented",
				Fix:         "the same " + qosMenu + " port set for all interfaces of the cage: " + m[1] + "-1," + m[1] + "-2," + m[1] + "-3," + m[1] + "-4",
			}, g.about()...)
		}
	},
}

// differs says in which aspect two interfaces of a cage are not alike; empty: in none that is known.
func differs(a, b *facts.Classes) string {
	for _, x := range aspects[:2] {
		va, _, ok := x.of(a)
		vb, _, ok2 := x.of(b)
		if ok && ok2 && va != vb {
			return x.name + " is " + vb + ", that of the first interface of the cage " + va
		}
	}
	return ""
}

var checkDCBXRelease = Check{
	ID:     "dcbx-release",
	Title:  "releases that know DCBX (RouterOS)",
	Why:    "lldp-dcbx begins with RouterOS 7.17: an older one refuses the command, and announces nothing",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: lldp-dcbx; release notes of 7.17",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			major, minor, known := facts.RouterOSRelease(h.Facts.Kernel)
			if _, on := announces(n); h.Facts.OS != "routeros" || !on || known && (major > 7 || major == 7 && minor >= 17) {
				return ""
			}
			return "dcbx"
		}) {
			proof, _ := announces(g.first())
			f := record.Finding{
				Severity: record.Info, Subject: g.host.Name, Have: "lldp-dcbx is set; which release runs is not in the capture", Want: "RouterOS 7.17 or later", Evidence: g.proofs(proof),
				Consequence: "nothing from 7.17 on; an older release refuses the command and announces nothing", Fix: "look: /system resource print",
			}
			if _, _, known := facts.RouterOSRelease(g.host.Facts.Kernel); known {
				f.Severity, f.Have = record.Warning, "lldp-dcbx is set, and "+g.host.Facts.Kernel+" does not know it"
				f.Consequence, f.Fix = "the switch announces nothing: hosts that wait for its settings get none", "/system package update install (the switch restarts)"
			}
			r.found(f, g.host.Name+": dcbx")
		}
	},
}

var checkNotOffloaded = Check{
	ID:     "qos-not-offloaded",
	Title:  "traffic classes that the chip does not know (RouterOS)",
	Why:    "without qos-hw-offloading profiles, queues and PFC are only written down: the chip forwards as if there were none",
	Worst:  record.Error,
	Source: "MikroTik, Quality of Service: qos-hw-offloading",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			c := classesOf(n)
			if h.Facts.OS != "routeros" || len(lossless(c)) == 0 || c.Offload.Or(true) {
				return ""
			}
			return "off"
		}) {
			c := classesOf(g.first())
			r.found(record.Finding{
				Severity: record.Error, Subject: g.subject(), Have: "QoS in hardware is off", Want: "on",
				Evidence:    g.proofs(c.Proofs["offload"], c.Proofs["pfc"]),
				Consequence: "no class is lossless: the switch drops RDMA traffic when a queue is full",
				Fix:         "/interface ethernet switch set switch1 qos-hw-offloading=yes", Undo: "/interface ethernet switch set switch1 qos-hw-offloading=no, then restart",
			}, g.about()...)
		}
	},
}

var checkCPUForwarding = Check{
	ID:     "switch-cpu-forwarding",
	Title:  "ports that the switch's processor forwards for",
	Why:    "the processor of a switch is there to manage it: it forwards a few hundred Mb/s where the chip does all ports at once",
	Worst:  record.Error,
	Source: "MikroTik, Bridging and Switching: hardware offloading; document 004: 454 Mb/s of a CRS504",
	look: func(w *World, r *report) {
		for _, g := range w.portsAlike(func(h *Host, n *facts.Interface) string {
			if n.Hardware.Or(true) || n.Master == "" {
				return ""
			}
			inHardware := func(o facts.Interface) bool { return o.Master == n.Master && o.Hardware.Or(false) }
			if !slices.ContainsFunc(h.Facts.NICs, inHardware) { // a machine without such a chip has none
				return ""
			}
			return n.Master
		}) {
			n := g.first()
			r.found(record.Finding{
				Severity: record.Error, Subject: g.subject(), Have: "the processor forwards, not the chip", Want: "the chip forwards, as for other ports of " + n.Master,
				Evidence:    g.proofs(n.Proofs["hardware"]),
				Consequence: "some hundred Mb/s for all traffic to and from these ports together",
				Fix:         "/interface bridge port set [find where interface=" + n.Name + "] hw=yes; if print still shows no H: what the chip cannot do (bridge filters, another bridge with hardware offload) keeps it off",
				Undo:        "/interface bridge port set [find where interface=" + n.Name + "] hw=no",
			}, g.about()...)
		}
	},
}

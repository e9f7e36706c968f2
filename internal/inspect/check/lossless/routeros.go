package lossless

import (
	"fmt"
	"regexp"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"
	routeros "linerate/internal/device/routeros/parse"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// EgressRate checks the egress rate of paused queues (RouterOS).
var EgressRate = check.Check{
	ID:     "pfc-egress-rate",
	Title:  "the egress rate of paused queues (RouterOS)",
	Why:    "RouterOS obeys PFC only on queues with an egress rate, even if that is the rate of the port",
	Worst:  record.Error,
	Source: "MikroTik, Quality of Service: egress-rate-queueN",
	Look: func(w *check.World, r *check.Report) {
		routeros := func(h *check.Host, n *facts.Interface) bool {
			return families.Traits(h.Facts.OS).Menus && n.Asked != nil
		}
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
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
			class := g.First().Asked.PFCReceive.Or(nil)[0]
			set := fmt.Sprintf("%s port set %s egress-rate-queue%d=", qosMenu, g.First().Name, class)
			r.Found(record.Finding{
				Severity: record.Warning, Subject: g.Subject(), Have: fmt.Sprintf("PFC is to be obeyed for class %d, and queue "+
					"%d has no egress rate", class, class), Want: "an egress rate of the link's speed",
				Evidence:    g.Proofs(g.First().Asked.Proofs["pfc"]),
				Consequence: "the port does not wait when its other end asks it to: that one drops what it cannot take",
				Fix:         set + "100.0Gbps, the speed of the link, and so on for each port",
				Undo:        qosMenu + fmt.Sprintf(" port set %s !egress-rate-queue%d", g.First().Name, class),
			}, g.About()...)
		}
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			for _, class := range check.Lossless(check.ClassesOf(n)) {
				rate, known := egressRate(n, class).Get()
				if speed, up := n.Speed.Get(); families.Traits(h.Facts.OS).Menus && known && up && rate < speed {
					return fmt.Sprint(class, rate, speed)
				}
			}
			return ""
		}) {
			n := g.First()
			for _, class := range check.Lossless(check.ClassesOf(n)) {
				rate, speed := egressRate(n, class).Or(n.Speed.Or(0)), n.Speed.Or(0)
				if rate >= speed {
					continue
				}
				loss := 1 - float64(rate)/float64(speed)
				f := record.Finding{Severity: record.Error, Subject: g.Subject(),
					Have: fmt.Sprintf("queue %d may send %s", class, rate), Want: speed.String() + ", the speed of the link",
					Evidence:    g.Proofs(firstRate(n, class), n.Proofs["speed"]),
					Consequence: fmt.Sprintf("class %d gets %s of the link's %s at most", class, rate, speed), Loss: unit.Known(loss),
					Fix:  fmt.Sprintf("%s port set %s egress-rate-queue%d=%.1fGbps", qosMenu, n.Name, class, float64(speed)/1e9),
					Undo: fmt.Sprintf("%s port set %s egress-rate-queue%d=%.1fGbps", qosMenu, n.Name, class, float64(rate)/1e9)}
				if loss < 0.1 {
					f.Severity = record.Warning
				}
				r.Found(f, g.About()...)
			}
		}
		cages(w, r)
	},
}

// egressRate returns the egress rate of a port's queue: the one in effect, or else the configured one.
func egressRate(n *facts.Interface, class int) unit.Opt[unit.BitRate] {
	for _, c := range []*facts.Classes{n.Effect, n.Asked} {
		if c != nil {
			if rate := c.Queues[class].Rate; rate.IsKnown() {
				return rate
			}
		}
	}
	return unit.Unknown[unit.BitRate]("it is not in the snapshot")
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

// cages reports cages whose four interfaces all have a rate of their own: the manual requires equal rates, and does not
// document the effect of the last three while the cage runs as one port.
func cages(w *check.World, r *check.Report) {
	for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
		m := lane.FindStringSubmatch(n.Name)
		if !families.Traits(h.Facts.OS).Menus || m == nil || m[2] == "1" {
			return ""
		}
		first := h.Facts.NIC(m[1] + "-1")
		if first == nil {
			return ""
		}
		for _, class := range check.Lossless(check.ClassesOf(n)) {
			a, ok := egressRate(n, class).Get()
			b, ok2 := egressRate(first, class).Get()
			if ok && ok2 && a == b {
				return fmt.Sprint(class, a)
			}
		}
		return ""
	}) {
		n := g.First()
		class := check.Lossless(check.ClassesOf(n))[0]
		rate := egressRate(n, class).Or(0)
		r.Found(record.Finding{
			Severity: record.Info, Subject: g.Subject(), Have: fmt.Sprintf("queue %d of the further interfaces of a cage may "+
				"send %s each, as that of the first one", class, rate),
			Want:     "all interfaces of a cage alike, which they are",
			Evidence: g.Proofs(firstRate(n, class)),
			Consequence: "none known: PFC is obeyed only with an egress rate; what it does on these while the cage runs as " +
				"one port is not documented",
			Fix: fmt.Sprintf("none; if the cage is split, the rate of each part (%.1fGbps for four of 100)", 25.0),
		}, g.About()...)
	}
}

// Cage checks that the four interfaces of a cage have equal settings (RouterOS).
var Cage = check.Check{
	ID:    "cage-interfaces",
	Title: "the four interfaces of a cage (RouterOS)",
	Why: "a cage shows as four interfaces; all of them are to be set alike, or the port's classes are not what the " +
		"first one says",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: QSFP ports",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			m := lane.FindStringSubmatch(n.Name)
			if !families.Traits(h.Facts.OS).Menus || m == nil || n.Effect == nil || m[2] == "1" {
				return ""
			}
			first := h.Facts.NIC(m[1] + "-1")
			if first == nil || first.Effect == nil || len(check.Lossless(first.Effect)) == 0 {
				return ""
			}
			return differs(first.Effect, n.Effect)
		}) {
			n := g.First()
			m := lane.FindStringSubmatch(n.Name)
			first := g.Host.Facts.NIC(m[1] + "-1")
			r.Found(record.Finding{
				Severity: record.Warning, Subject: g.Subject(), Have: differs(first.Effect, n.Effect), Want: "as " + first.Name,
				Evidence:    g.Proofs(n.Effect.Proofs["trust"], first.Effect.Proofs["trust"]),
				Consequence: "the manual wants all interfaces of a cage alike; what the port does otherwise is not documented",
				Fix: "the same " + qosMenu + " port set for all interfaces of the cage: " + m[1] + "-1," + m[1] + "-2," +
					m[1] + "-3," + m[1] + "-4",
			}, g.About()...)
		}
	},
}

// differs names the aspect in which two interfaces of a cage differ; empty: none is known.
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

// DCBXRelease checks that the release supports DCBX (RouterOS).
var DCBXRelease = check.Check{
	ID:     "dcbx-release",
	Title:  "releases that know DCBX (RouterOS)",
	Why:    "lldp-dcbx begins with RouterOS 7.17: an older one refuses the command, and announces nothing",
	Worst:  record.Warning,
	Source: "MikroTik, Quality of Service: lldp-dcbx; release notes of 7.17",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			major, minor, known := routeros.RouterOSRelease(h.Facts.Kernel)
			if _, on := announces(n); !families.Traits(h.Facts.OS).Menus || !on ||
				known && (major > 7 || major == 7 && minor >= 17) {
				return ""
			}
			return "dcbx"
		}) {
			proof, _ := announces(g.First())
			f := record.Finding{Severity: record.Info, Subject: g.Host.Subject(),
				Have: "lldp-dcbx is set; which release runs is not in the snapshot", Want: "RouterOS 7.17 or later",
				Evidence:    g.Proofs(proof),
				Consequence: "nothing from 7.17 on; an older release refuses the command and announces nothing",
				Fix:         "look: /system resource print"}
			if _, _, known := routeros.RouterOSRelease(g.Host.Facts.Kernel); known {
				f.Severity, f.Have = record.Warning, "lldp-dcbx is set, and "+g.Host.Facts.Kernel+" does not know it"
				f.Consequence, f.Fix = "the switch announces nothing: hosts that wait for its settings get none",
					"/system package update install (the switch restarts)"
			}
			r.Found(f, g.Host.Subject("dcbx"))
		}
	},
}

// NotOffloaded checks for traffic classes that are not offloaded to the chip (RouterOS).
var NotOffloaded = check.Check{
	ID:    "qos-not-offloaded",
	Title: "traffic classes that the chip does not know (RouterOS)",
	Why: "without qos-hw-offloading profiles, queues and PFC are only written down: the chip forwards as if there " +
		"were none",
	Worst:  record.Error,
	Source: "MikroTik, Quality of Service: qos-hw-offloading",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			c := check.ClassesOf(n)
			if !families.Traits(h.Facts.OS).Menus || len(check.Lossless(c)) == 0 || c.Offload.Or(true) {
				return ""
			}
			return "off"
		}) {
			c := check.ClassesOf(g.First())
			r.Found(record.Finding{Severity: record.Error, Subject: g.Subject(), Have: "QoS in hardware is off", Want: "on",
				Evidence:    g.Proofs(c.Proofs["offload"], c.Proofs["pfc"]),
				Consequence: "no class is lossless: the switch drops RDMA traffic when a queue is full",
				Fix:         "/interface ethernet switch set switch1 qos-hw-offloading=yes",
				Undo:        "/interface ethernet switch set switch1 qos-hw-offloading=no, then restart"}, g.About()...)
		}
	},
}

// CPUForwarding checks for ports for which the switch's CPU forwards.
var CPUForwarding = check.Check{
	ID:    "switch-cpu-forwarding",
	Title: "ports that the switch's CPU forwards for",
	Why: "the CPU of a switch is there to manage it: it forwards a few hundred Mb/s where the chip does all " +
		"ports at once",
	Worst:  record.Error,
	Source: "MikroTik, Bridging and Switching: hardware offloading; document 004: 454 Mb/s of a CRS504",
	Look: func(w *check.World, r *check.Report) {
		for _, g := range w.PortsAlike(func(h *check.Host, n *facts.Interface) string {
			if n.Hardware.Or(true) || n.Master == "" {
				return ""
			}
			inHardware := func(o facts.Interface) bool { return o.Master == n.Master && o.Hardware.Or(false) }
			if !slices.ContainsFunc(h.Facts.NICs, inHardware) { // a machine without a switch chip
				return ""
			}
			return n.Master
		}) {
			n := g.First()
			r.Found(record.Finding{
				Severity: record.Error, Subject: g.Subject(), Have: "the CPU forwards, not the chip",
				Want:        "the chip forwards, as for other ports of " + n.Master,
				Evidence:    g.Proofs(n.Proofs["hardware"]),
				Consequence: "some hundred Mb/s for all traffic to and from these ports together",
				Fix: "/interface bridge port set [find where interface=" + n.Name + "] hw=yes; if print still shows no " +
					"H: what the chip cannot do (bridge filters, another bridge with hardware offload) keeps it off",
				Undo: "/interface bridge port set [find where interface=" + n.Name + "] hw=no",
			}, g.About()...)
		}
	},
}

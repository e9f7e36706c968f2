package render

import (
	"fmt"
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
)

// ecnMin and ecnMax are the marking thresholds of the RoCE mode, in bytes of the queue.
const ecnMin, ecnMax = 150000, 1500000

// defaultCable is the cable length in metres that PFC's buffers assume by default.
const defaultCable = 100

// classes configures the fabric's traffic classes: with the RoCE mode if it only differs in shares, else one by one.
func (r *render) classes() {
	if r.Gaps.Has(device.GapClasses, "") {
		return
	}
	shares, other := dcb.RoCEMode(r.QoS, "dscp")
	if len(other) > 0 {
		r.Apply.Note("The RoCE mode does not fit: " + strings.Join(other, "; ") + ".")
		r.trust()
		r.queues()
		r.scheduling()
		r.marking()
		r.pfc()
	} else {
		r.roce(len(shares) == 0)
		if len(shares) > 0 {
			r.Apply.Note(
				"The RoCE mode gives half of the link to each of its two classes; the plan does not: " + strings.Join(shares,
					"; ") + ".",
			)
			r.scheduling()
			r.Device.Unverified = append(r.Device.Unverified,
				"shares other than the RoCE mode's own: the guide changes pools and priorities after `nv set qos roce`, and the "+
					"scheduler without it; the two together are not in it. Look at the Exception List of `nv show qos roce`")
		}
	}
	if len(r.QoS.Lossless()) > 0 {
		r.cable()
		r.watchdog()
	}
}

// roce adds the command of the RoCE mode. equal reports whether the mode's shares are the plan's.
func (r *render) roce(equal bool) {
	r.set(docRoCE, "one lossless class with priority 3 and DSCP 26, marked, notifications strict: this is what the "+
		"mode sets up", "qos roce mode lossless", "qos roce")
	tree := func(want, why string, where ...string) {
		r.ExpectAt(docRoCE, "tree", "nv show qos roce", why, want, where...)
	}
	tree("lossless", "the mode", "mode")
	tree("3", "the lossless priority", "pfc", "pfc-priority")
	tree("enabled", "the switch obeys pauses", "pfc", "rx-enabled")
	tree("enabled", "and sends them", "pfc", "tx-enabled")
	tree("ECN", "class of RoCE is marked", "congestion-control", "congestion-mode")
	tree("146.48 KB", "from 150,000 bytes on; an interface may show 153 or 156 KB, which is how the chip rounds",
		"congestion-control", "min-threshold")
	tree("1.43 MB", "all from 1,500,000 bytes on", "congestion-control", "max-threshold")
	tree("pcp,dscp", "packets are sorted by DSCP, and those without IP by PCP", "trust", "trust-mode")
	row := func(want, why string) { r.ExpectLine(docRoCE, "nv show qos roce", why, want) }
	row("3 3 24,25,26,27,28,29,30,31 3", "DSCP 26 goes to priority 3")
	if equal {
		row("3 3 3 DWRR-50%", "priority 3 has half of the link")
	}
	row("6 6 6 strict-priority", "notifications go first")
}

func (r *render) trust() {
	level := map[string]string{"dscp": "l3", "pcp": "l2", "port": "port"}[r.QoS.Trust]
	r.set(docQoS, "packets are sorted into classes by "+r.QoS.Trust, "qos mapping default-global trust "+level,
		"qos mapping default-global")
	for _, c := range r.QoS.Classes {
		if off := c.OffBlock(); len(off) > 0 && r.QoS.Trust == "dscp" {
			r.set(docQoS, fmt.Sprintf("class %s: by default DSCP %s has another priority", config.Plain(c.Name),
				config.Numbers(off, ", ")),
				fmt.Sprintf("qos mapping default-global dscp %s switch-priority %d", config.Numbers(off, ","), c.Priority),
				"qos mapping default-global")
		}
	}
}

// queues puts priorities without a class into one traffic class; by default each has its own.
func (r *render) queues() {
	for _, s := range dcb.Shares(r.QoS) {
		for _, p := range s.Priorities {
			if p != s.Class.Priority {
				r.set(docQoS, "all priorities of no class share one traffic class",
					fmt.Sprintf("qos egress-queue-mapping default-global switch-priority %d traffic-class %d", p, s.Class.Priority),
					"qos egress-queue-mapping default-global")
			}
		}
	}
}

func (r *render) scheduling() {
	for _, s := range dcb.Shares(r.QoS) {
		c := s.Class
		at := fmt.Sprintf("qos egress-scheduler default-global traffic-class %d ", c.Priority)
		back := "qos egress-scheduler default-global"
		why := dcb.ShareWhy(c)
		if c.Strict {
			r.set(docQoS, why, at+"mode strict", back)
			r.schedule(c, "strict")
			continue
		}
		r.set(docQoS, why, at+"mode dwrr", back)
		r.set(docQoS, why, at+fmt.Sprintf("bw-percent %d", c.Percent), back)
		r.schedule(c, fmt.Sprintf("dwrr %d", c.Percent))
	}
	// The guide says that queues without a value have no scheduling; these carry nothing.
}

func (r *render) schedule(c device.Class, how string) {
	r.ExpectLine(docQoS, "nv show qos egress-scheduler default-global", "the share of class "+config.Plain(c.Name),
		fmt.Sprintf("%d %s", c.Priority, how))
}

func (r *render) marking() {
	for _, c := range r.QoS.Classes {
		if !c.ECN {
			continue
		}
		at, back := fmt.Sprintf("qos congestion-control default-global traffic-class %d ", c.Priority),
			"qos congestion-control default-global"
		why := dcb.MarkedWhy(c) + ", between the thresholds of NVIDIA's RoCE mode"
		r.set(docQoS, why, at+fmt.Sprintf("min-threshold %d", ecnMin), back)
		r.set(docQoS, why, at+fmt.Sprintf("max-threshold %d", ecnMax), back)
		r.set(refQoS, why, at+"ecn enable", back)
		r.ExpectLine(docQoS, "nv show qos congestion-control default-global", "class "+config.Plain(c.Name)+" is marked",
			fmt.Sprintf("%d enable disable %d B %d B 100", c.Priority, ecnMin, ecnMax))
	}
}

func (r *render) pfc() {
	lossless := r.QoS.Lossless()
	if len(lossless) == 0 {
		return
	}
	why := "half of the buffer is for the lossless classes, as the guide's example has it"
	r.set(docQoS, why, "qos traffic-pool default-lossless memory-percent 50",
		"qos traffic-pool default-lossless memory-percent")
	r.set(docQoS, why, "qos traffic-pool default-lossy memory-percent 50", "qos traffic-pool default-lossy memory-percent")
	for _, p := range lossless {
		r.set(docQoS, r.LosslessWhy(p), fmt.Sprintf("qos pfc default-global switch-priority %d", p), "qos pfc default-global")
	}
	r.set(docQoS, "the switch sends pauses", "qos pfc default-global tx enable", "qos pfc default-global")
	r.set(docQoS, "and obeys them", "qos pfc default-global rx enable", "qos pfc default-global")
	for _, e := range [][2]string{{"rx", "enable"}, {"tx", "enable"},
		{"[switch-priority]", config.Numbers(lossless, ",")}} {
		r.ExpectAt(docQoS, "tree", "nv show qos pfc default-global", "the lossless classes are paused", e[1], e[0])
	}
}

// cable sets the length of cables that are longer than PFC assumes: the buffer must hold the data in transit when a
// pause is sent.
func (r *render) cable() {
	longest, unknown := 0.0, false
	for _, x := range r.Ports {
		longest = max(longest, x.Length.Or(0))
		unknown = unknown || !x.Length.IsKnown()
	}
	if longest <= defaultCable {
		text := fmt.Sprintf("PFC's buffers are for cables of %d m by default, which is enough for the plan's.", defaultCable)
		if unknown {
			text = fmt.Sprintf("PFC's buffers are for cables of %d m by default; the plan does not know the length of every "+
				"cable.", defaultCable)
		}
		r.Apply.Note(text)
		return
	}
	r.set(docQoS, fmt.Sprintf("the longest cable has %g m", longest),
		fmt.Sprintf("qos pfc default-global cable-length %d", int(longest+0.999)), "qos pfc default-global cable-length")
}

func (r *render) watchdog() {
	if r.JoinsSwitches() {
		r.set(refQoS, "several switches: the watchdog frees a queue that a broken NIC pauses for ever",
			"interface "+r.all+" qos pfc-watchdog state enable", "interface "+r.all+" qos pfc-watchdog state")
	}
}

// tlvs announces the classes to the hosts, which are not willing and only show differences.
func (r *render) tlvs() {
	if r.QoS.DCBX != "switch" || r.Gaps.Has(device.GapDCBX, "") {
		return
	}
	word := "enabled"
	if r.version.Before(5, 15) {
		word = "on"
	}
	for _, tlv := range []string{"dcbx-pfc-tlv", "dcbx-ets-config-tlv", "dcbx-ets-recomm-tlv"} {
		r.set(refLLDP, "dcbx: switch: the switch announces the classes",
			fmt.Sprintf("interface %s lldp %s %s", r.all, tlv, word), fmt.Sprintf("interface %s lldp %s", r.all, tlv))
	}
}

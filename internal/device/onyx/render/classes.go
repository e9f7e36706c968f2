package render

import (
	"fmt"
	"strings"

	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
)

// ecnMin and ecnMax are the marking thresholds of NVIDIA's RoCE mode, in KB of the queue (manual, show roce).
const ecnMin, ecnMax = 150, 1500

// classes configures the fabric's traffic classes: with the roce command if it does the same, else one by one.
func (r *render) classes() {
	version := dcb.VersionOf(r.Switch)
	shares, other := dcb.RoCEMode(r.QoS, "dscp")
	differs := append(shares, other...)
	switch {
	case r.chip != dcb.Spectrum:
	case len(differs) > 0:
		r.Apply.Note("The command roce does not fit: " + strings.Join(differs, "; ") + ".")
	case !version.AtLeast(roceSince...):
		r.Apply.Note("The command roce is there from 3.8.2000 on; the file does not say that the switch has it.")
	default:
		r.roce()
		return
	}
	for _, step := range []func(){r.trust, r.sort, r.scheduling, r.marking, r.pool, r.pfc} {
		step()
		r.block()
	}
}

// roce adds the roce command.
func (r *render) roce() {
	r.mode = "lossless"
	r.Apply.Add(manualRoCE, "one lossless class with priority 3 and DSCP 26, marked, half of the link; notifications "+
		"strict: this is all that the mode sets up", "roce lossless")
	r.undo.Add(manualRoCE, "leaves the mode with all that it set", "no roce")
	for _, e := range []struct{ want, why string }{
		{"RoCE mode : lossless", "the mode"},
		{"Port trust mode: L3", "packets are sorted by DSCP"},
		{"Mode: ecn, absolute", "class roce is marked"},
		{fmt.Sprintf("Min : %d", ecnMin), "marking begins, in KB"},
		{fmt.Sprintf("Max : %d", ecnMax), "all is marked, in KB"},
		{"PFC : enabled", "the lossless class is paused"},
		{"switch-priority 3: enabled", "and no other one"},
		{"3 3 RoCE WRR 50%", "priority 3 has half of the link"},
		{"6 6 CNP Strict", "notifications go first"},
	} {
		r.ExpectLine(manualRoCE, "show roce", e.why, e.want)
	}
	r.pfcExpect()
	r.watchdog()
}

func (r *render) trust() {
	level := map[string]string{"dscp": "L3", "pcp": "L2", "port": "port"}[r.QoS.Trust]
	r.each(&r.Apply, manualQoS, "packets are sorted into classes by "+r.QoS.Trust, "qos trust "+level)
	r.each(&r.undo, manualQoS, "the default, L2", "no qos trust")
	for _, x := range r.Ports {
		r.ExpectAt(manualQoS, "json", "show qos interface ethernet "+name(x), "what sorts packets", level, "0",
			"Eth"+name(x), "0", "Trust mode")
	}
}

// sort maps code points and priorities to their traffic class. By default code points map to priorities in blocks of
// eight, and each priority to the traffic class of its number.
func (r *render) sort() {
	for _, s := range dcb.Shares(r.QoS) {
		if len(s.Priorities) < 2 {
			continue
		}
		r.each(&r.Apply, intelMFD, "all priorities of no class share one traffic class",
			fmt.Sprintf("traffic-class %d bind switch-priority %s", s.Class.Priority, config.Numbers(s.Priorities, " ")))
		for _, p := range s.Priorities {
			if p != s.Class.Priority {
				r.each(&r.undo, intelMFD, "the default: each priority has the traffic class of its number",
					fmt.Sprintf("traffic-class %d bind switch-priority %d", p, p))
			}
		}
	}
}

// scheduling gives each class its share. Unused traffic classes are strict, so that the weights of the others add up to
// 100, as by default.
func (r *render) scheduling() {
	for _, s := range dcb.Shares(r.QoS) {
		c := s.Class
		how := "dcb ets strict"
		if !c.Strict {
			how = fmt.Sprintf("dcb ets wrr %d", c.Percent)
		}
		r.each(&r.Apply, modClass, dcb.ShareWhy(c), fmt.Sprintf("traffic-class %d %s", c.Priority, how))
		r.etsExpect(c)
	}
	for _, tc := range dcb.Empty(r.QoS) {
		r.each(&r.Apply, modClass, "carries nothing: its weight would be missing from the others",
			fmt.Sprintf("traffic-class %d dcb ets strict", tc))
	}
	for tc := range 8 {
		r.each(&r.undo, fixtureETS, "the default weights, which alternate and add up to 100",
			fmt.Sprintf("traffic-class %d dcb ets wrr %d", tc, 12+tc%2))
	}
}

func (r *render) etsExpect(c device.Class) {
	for _, x := range r.Ports {
		at := []string{"0", "Eth" + name(x), "2", "ETS per TC", "0", fmt.Sprint(c.Priority), "0"}
		command := "show dcb ets interface ethernet " + name(x)
		if c.Strict {
			r.ExpectAt(fixtureETS, "json", command, "class "+config.Plain(c.Name)+" goes first", "Strict",
				append(at, "S.Mode")...)
			continue
		}
		r.ExpectAt(fixtureETS, "json", command, "the share of class "+config.Plain(c.Name), fmt.Sprint(c.Percent),
			append(at, "W(%)")...)
	}
}

func (r *render) marking() {
	for _, c := range r.QoS.Classes {
		if !c.ECN || r.Gaps.Has(device.GapECN, c.Name) {
			continue
		}
		r.each(&r.Apply, modClass, fmt.Sprintf("%s, from %d KB in the queue on", dcb.MarkedWhy(c), ecnMin),
			fmt.Sprintf("traffic-class %d congestion-control ecn minimum-absolute %d maximum-absolute %d", c.Priority, ecnMin,
				ecnMax))
		r.each(&r.undo, modClass, "no marking, the default",
			fmt.Sprintf("no traffic-class %d congestion-control", c.Priority))
		for _, x := range r.Ports {
			at := fmt.Sprint(c.Priority + 1)
			command := "show interfaces ethernet " + name(x) + " congestion-control"
			for _, e := range [][2]string{{"Mode", "ECN"}, {"Minimum threshold", fmt.Sprintf("%d KB", ecnMin)},
				{"Maximum threshold", fmt.Sprintf("%d KB", ecnMax)}} {
				r.ExpectAt(fixtureECN, "json", command, "class "+config.Plain(c.Name)+" is marked", e[1], at, e[0])
			}
		}
	}
}

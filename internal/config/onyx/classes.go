package onyx

import (
	"fmt"
	"strings"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// What NVIDIA's RoCE mode marks from and to, in KB of the queue (manual, show roce).
const ecnMin, ecnMax = 150, 1500

// classes sets up the fabric's traffic classes: by the one command where it does the same, else one by one.
func (r *render) classes() {
	version := dcb.VersionOf(r.s)
	shares, other := dcb.RoCEMode(r.q, "dscp")
	differs := append(shares, other...)
	switch {
	case r.chip != dcb.Spectrum:
	case len(differs) > 0:
		r.apply.Note("The command roce does not fit: " + strings.Join(differs, "; ") + ".")
	case !version.AtLeast(roceSince...):
		r.apply.Note("The command roce is there from 3.8.2000 on; the file does not say that the switch has it.")
	default:
		r.roce()
		return
	}
	for _, step := range []func(){r.trust, r.sort, r.scheduling, r.marking, r.pool, r.pfc} {
		step()
		r.block()
	}
}

// roce is the one command.
func (r *render) roce() {
	r.mode = "lossless"
	r.apply.Add(manualRoCE, "one lossless class with priority 3 and DSCP 26, marked, half of the link; notifications strict: this is all that the mode sets up", "roce lossless")
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
		r.expect = append(r.expect, dcb.Expect{Command: "show roce", Form: "lines", Where: []string{}, Want: e.want, Why: e.why, By: manualRoCE})
	}
	r.pfcExpect()
	r.watchdog()
}

func (r *render) trust() {
	level := map[string]string{"dscp": "L3", "pcp": "L2", "port": "port"}[r.q.Trust]
	r.each(&r.apply, manualQoS, "packets are sorted into classes by "+r.q.Trust, "qos trust "+level)
	r.each(&r.undo, manualQoS, "the default, L2", "no qos trust")
	for _, x := range r.ports {
		r.expect = append(r.expect, dcb.Expect{Command: "show qos interface ethernet " + name(x), Form: "json", Where: []string{"0", "Eth" + name(x), "0", "Trust mode"},
			Want: level, Why: "what sorts packets", By: manualQoS})
	}
}

// sort brings code points and priorities to their traffic class. By default code points go to priorities in blocks of eight, and
// each priority to the traffic class of its number.
func (r *render) sort() {
	for _, s := range dcb.Shares(r.q) {
		if len(s.Priorities) < 2 {
			continue
		}
		r.each(&r.apply, intelMFD, "all priorities of no class share one traffic class", fmt.Sprintf("traffic-class %d bind switch-priority %s",
			s.Class.Priority, device.Numbers(s.Priorities, " ")))
		for _, p := range s.Priorities {
			if p != s.Class.Priority {
				r.each(&r.undo, intelMFD, "the default: each priority has the traffic class of its number", fmt.Sprintf("traffic-class %d bind switch-priority %d", p, p))
			}
		}
	}
}

// scheduling gives each class its share. The traffic classes that are left over carry nothing and are strict, so that the weights of
// all others add up to 100, as they do by default.
func (r *render) scheduling() {
	for _, s := range dcb.Shares(r.q) {
		c := s.Class
		why, how := fmt.Sprintf("class %s: %d %% of the link", c.Name, c.Percent), fmt.Sprintf("dcb ets wrr %d", c.Percent)
		if c.Strict {
			why, how = fmt.Sprintf("class %s goes first: %s", c.Name, c.Why), "dcb ets strict"
		}
		r.each(&r.apply, modClass, device.Plain(why), fmt.Sprintf("traffic-class %d %s", c.Priority, how))
		r.etsExpect(c)
	}
	for _, tc := range dcb.Empty(r.q) {
		r.each(&r.apply, modClass, "carries nothing: its weight would be missing from the others", fmt.Sprintf("traffic-class %d dcb ets strict", tc))
	}
	for tc := range 8 {
		r.each(&r.undo, fixtureETS, "the default weights, which alternate and add up to 100", fmt.Sprintf("traffic-class %d dcb ets wrr %d", tc, 12+tc%2))
	}
}

func (r *render) etsExpect(c plan.QoSClass) {
	for _, x := range r.ports {
		at := []string{"0", "Eth" + name(x), "2", "ETS per TC", "0", fmt.Sprint(c.Priority), "0"}
		command := "show dcb ets interface ethernet " + name(x)
		if c.Strict {
			r.expect = append(r.expect, dcb.Expect{Command: command, Form: "json", Where: append(at, "S.Mode"), Want: "Strict", Why: "class " + device.Plain(c.Name) + " goes first", By: fixtureETS})
			continue
		}
		r.expect = append(r.expect, dcb.Expect{Command: command, Form: "json", Where: append(at, "W(%)"), Want: fmt.Sprint(c.Percent), Why: "the share of class " + device.Plain(c.Name), By: fixtureETS})
	}
}

func (r *render) marking() {
	for _, c := range r.q.Classes {
		if !c.ECN {
			continue
		}
		if r.lacks.Has(plan.LackECN, c.Name) {
			continue
		}
		r.each(&r.apply, modClass, fmt.Sprintf("class %s is marked instead of dropped, from %d KB in the queue on", device.Plain(c.Name), ecnMin),
			fmt.Sprintf("traffic-class %d congestion-control ecn minimum-absolute %d maximum-absolute %d", c.Priority, ecnMin, ecnMax))
		r.each(&r.undo, modClass, "no marking, the default", fmt.Sprintf("no traffic-class %d congestion-control", c.Priority))
		for _, x := range r.ports {
			at := fmt.Sprint(c.Priority + 1)
			command := "show interfaces ethernet " + name(x) + " congestion-control"
			for _, e := range [][2]string{{"Mode", "ECN"}, {"Minimum threshold", fmt.Sprintf("%d KB", ecnMin)}, {"Maximum threshold", fmt.Sprintf("%d KB", ecnMax)}} {
				r.expect = append(r.expect, dcb.Expect{Command: command, Form: "json", Where: []string{at, e[0]}, Want: e[1], Why: "class " + device.Plain(c.Name) + " is marked", By: fixtureECN})
			}
		}
	}
}

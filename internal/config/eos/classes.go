package eos

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// A user's guide has these of an Arista reference design for a leaf; where Arista's own is was not found.
const ecnMin, ecnMax = 256, 512 // kbytes of the queue

// controlTC is the traffic class that EOS keeps for itself. No class of the plan has it.
const controlTC = plan.EOSOwn

// restTC is the traffic class of ordinary traffic. EOS sorts DSCP 0 to 7 and priority 0 into traffic class 1 by default, and 8 to
// 15 and priority 1 into 0; the rest of the fabric goes where EOS has its best effort, unless a class of the file has priority 1.
func restTC(q *plan.QoS) int {
	for _, c := range q.Classes {
		if c.Priority == 1 && !c.Default {
			return 0
		}
	}
	return 1
}

// trafficClass is the number of a class's traffic class and of its queue.
func trafficClass(q *plan.QoS, c plan.QoSClass) int {
	if c.Default {
		return restTC(q)
	}
	return c.Priority
}

// maps sort every code point or priority into its traffic class, and each traffic class into the queue of its number.
func (r *render) maps() {
	switch r.q.Trust {
	case "dscp":
		of := map[int][]int{}
		why := map[int]string{}
		taken := map[int]bool{}
		for _, c := range r.q.Classes {
			tc := trafficClass(r.q, c)
			why[tc] = "code points of class " + device.Plain(c.Name)
			for _, d := range c.DSCP {
				of[tc] = append(of[tc], d)
				taken[d] = true
			}
		}
		rest := restTC(r.q)
		why[rest] = "all code points of no class; 56 to 63 stay with EOS's control traffic"
		for d := range 56 {
			if !taken[d] {
				of[rest] = append(of[rest], d)
			}
		}
		for tc := range controlTC {
			if len(of[tc]) > 0 {
				slices.Sort(of[tc])
				r.apply.Add(avdQoS, why[tc], fmt.Sprintf("qos map dscp %s to traffic-class %d", device.Numbers(of[tc], " "), tc))
			}
		}
	case "pcp":
		for _, s := range dcb.Shares(r.q) {
			var of []int
			for _, p := range s.Priorities {
				if p != controlTC {
					of = append(of, p)
				}
			}
			if len(of) > 0 {
				r.apply.Add(avdQoS, "priorities of class "+device.Plain(s.Class.Name), fmt.Sprintf("qos map cos %s to traffic-class %d", device.Numbers(of, " "), trafficClass(r.q, s.Class)))
			}
		}
	}
	for _, c := range r.q.Classes {
		if tc := trafficClass(r.q, c); tc != controlTC {
			r.apply.Add(avdQoS, "the queue of class "+device.Plain(c.Name), fmt.Sprintf("qos map traffic-class %d to tx-queue %d", tc, tc))
		}
	}
}

// shares are a profile of queues. Which word names a queue depends on the chip: Arista's generator has uc-tx-queue and tx-queue, and
// says only that it is so.
func (r *render) shares() {
	if r.lacks.Has(plan.LackShares, "") {
		return
	}
	chip := dcb.Chip(r.s)
	r.queue = "uc-tx-queue"
	r.d.Unverified = append(r.d.Unverified, "the word uc-tx-queue: Arista's generator has it beside tx-queue and says that it depends on the platform; that "+chip+" takes it is from a user's guide. If the switch refuses it, write tx-queue")
	r.apply.Add(avdQoS, "shares of the link and marking, for the ports below", "qos profile "+profile)
	for _, c := range r.q.Classes {
		tc := trafficClass(r.q, c)
		if tc == controlTC {
			continue
		}
		why := device.Plain(fmt.Sprintf("class %s: %d %% of the link", c.Name, c.Percent))
		if c.Strict {
			why = device.Plain(fmt.Sprintf("class %s goes first: %s", c.Name, c.Why))
		}
		r.apply.Add(avdQoS, why, "   "+r.queue+" "+strconv.Itoa(tc))
		if c.Strict {
			r.apply.Add(avdQoS, why, "      priority strict")
		} else {
			r.apply.Add(avdQoS, why, "      no priority")
			r.apply.Add(avdQoS, why, fmt.Sprintf("      bandwidth percent %d", c.Percent))
		}
		if c.ECN {
			r.apply.Add(avdQoS, fmt.Sprintf("class %s is marked instead of dropped", device.Plain(c.Name)),
				fmt.Sprintf("      random-detect ecn minimum-threshold %d kbytes maximum-threshold %d kbytes max-mark-probability 100", ecnMin, ecnMax))
			r.d.Unverified = append(r.d.Unverified, fmt.Sprintf("the thresholds of marking, %d and %d kbytes: a user's guide has them of an Arista reference design; NVIDIA's switches have 150 and 1500", ecnMin, ecnMax))
		}
	}
	r.apply.Form("exit")
}

package render

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/xslices"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/eos"
)

// ecnMin and ecnMax come from an Arista reference design for a leaf, as quoted in a user's guide. The original was not
// found.
const ecnMin, ecnMax = 256, 512 // kbytes of the queue

// controlTC is the traffic class that EOS reserves. No class of the plan has it.
const controlTC = eos.ControlPriority

// restTC returns the traffic class of ordinary traffic. EOS sorts DSCP 0 to 7 and priority 0 into traffic class 1 by
// default, and 8 to 15 and priority 1 into 0. Best-effort traffic stays there, unless a class of the file has priority
// 1.
func restTC(q *device.QoS) int {
	for _, c := range q.Classes {
		if c.Priority == 1 && !c.Default {
			return 0
		}
	}
	return 1
}

// trafficClass returns the number of a class's traffic class and queue.
func trafficClass(q *device.QoS, c device.Class) int {
	if c.Default {
		return restTC(q)
	}
	return c.Priority
}

// maps sorts every code point or priority into its traffic class, and each traffic class into the queue of its number.
func (r *render) maps() {
	switch r.QoS.Trust {
	case "dscp":
		of := map[int][]int{}
		why := map[int]string{}
		taken := map[int]bool{}
		for _, c := range r.QoS.Classes {
			tc := trafficClass(r.QoS, c)
			why[tc] = "code points of class " + config.Plain(c.Name)
			for _, d := range c.DSCP {
				of[tc] = append(of[tc], d)
				taken[d] = true
			}
		}
		rest := restTC(r.QoS)
		why[rest] = "all code points of no class; 56 to 63 stay with EOS's control traffic"
		for d := range 56 {
			if !taken[d] {
				of[rest] = append(of[rest], d)
			}
		}
		for tc := range controlTC {
			if len(of[tc]) > 0 {
				slices.Sort(of[tc])
				r.Apply.Add(avdQoS, why[tc], fmt.Sprintf("qos map dscp %s to traffic-class %d", config.Numbers(of[tc], " "), tc))
			}
		}
	case "pcp":
		for _, s := range dcb.Shares(r.QoS) {
			of := xslices.Filter(s.Priorities, func(p int) bool { return p != controlTC })
			if len(of) > 0 {
				r.Apply.Add(avdQoS, "priorities of class "+config.Plain(s.Class.Name),
					fmt.Sprintf("qos map cos %s to traffic-class %d", config.Numbers(of, " "), trafficClass(r.QoS, s.Class)))
			}
		}
	}
	for _, c := range r.QoS.Classes {
		if tc := trafficClass(r.QoS, c); tc != controlTC {
			r.Apply.Add(avdQoS, "the queue of class "+config.Plain(c.Name),
				fmt.Sprintf("qos map traffic-class %d to tx-queue %d", tc, tc))
		}
	}
}

// shares writes a profile of queues. The keyword for a queue depends on the chip: Arista's generator has uc-tx-queue
// and tx-queue, without a criterion.
func (r *render) shares() {
	if r.Gaps.Has(device.GapShares, "") {
		return
	}
	chip := dcb.Chip(r.Switch)
	r.queue = "uc-tx-queue"
	r.Device.Unverified = append(r.Device.Unverified,
		"the word uc-tx-queue: Arista's generator has it next to tx-queue and says that it depends on the platform; that "+
			chip+" takes it is from a user's guide. If the switch refuses it, write tx-queue")
	r.Apply.Add(avdQoS, "shares of the link and marking, for the ports below", "qos profile "+profile)
	for _, c := range r.QoS.Classes {
		tc := trafficClass(r.QoS, c)
		if tc == controlTC {
			continue
		}
		why := dcb.ShareWhy(c)
		r.Apply.Add(avdQoS, why, "   "+r.queue+" "+strconv.Itoa(tc))
		if c.Strict {
			r.Apply.Add(avdQoS, why, "      priority strict")
		} else {
			r.Apply.Add(avdQoS, why, "      no priority")
			r.Apply.Add(avdQoS, why, fmt.Sprintf("      bandwidth percent %d", c.Percent))
		}
		if c.ECN {
			r.Apply.Add(avdQoS, dcb.MarkedWhy(c),
				fmt.Sprintf("      random-detect ecn minimum-threshold %d kbytes maximum-threshold %d kbytes "+
					"max-mark-probability 100", ecnMin, ecnMax))
			r.Device.Unverified = append(r.Device.Unverified,
				fmt.Sprintf("the thresholds of marking, %d and %d kbytes: a user's guide has them of an Arista reference "+
					"design; NVIDIA's switches have 150 and 1500", ecnMin, ecnMax))
		}
	}
	r.Apply.Form("exit")
}

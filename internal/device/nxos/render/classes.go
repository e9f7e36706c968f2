package render

import (
	"fmt"
	"slices"

	"linerate/internal/base/xslices"
	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
	"linerate/internal/device/nxos"
)

// Names of the objects that apply.txt creates.
const (
	classPrefix   = "LINERATE-" // before the number of the class's group
	classPolicy   = "LINERATE-CLASSES"
	networkPolicy = "LINERATE-NETWORK"
	queuePolicy   = "LINERATE-QUEUES"
)

// The thresholds of Microsoft's guide: marking starts at 300 kbytes of the queue.
const (
	ecnKilobytes   = 300
	ecnProbability = 100
)

// sorted returns the classes that packets are sorted into: all except the rest.
func (r *render) sorted() []device.Class {
	return xslices.Filter(r.QoS.Classes, func(c device.Class) bool {
		return !c.Default && (r.QoS.PCP() || len(c.DSCP) > 0)
	})
}

func className(c device.Class) string { return fmt.Sprintf("%s%d", classPrefix, nxos.Group(c)) }

// classes sorts packets into qos-groups.
func (r *render) classes() {
	for _, c := range r.sorted() {
		why := "packets of class " + config.Plain(c.Name)
		r.Apply.Add(script, why, "class-map type qos match-any "+className(c))
		if r.QoS.PCP() {
			r.Apply.Add(azureQoS, why, fmt.Sprintf("  match cos %d", c.Priority))
		} else {
			r.Apply.Add(script, why, "  match dscp "+config.Numbers(c.DSCP, ","))
		}
	}
	r.Apply.Add(script, "packets are sorted into classes by "+r.QoS.Trust, "policy-map type qos "+classPolicy)
	for _, c := range r.sorted() {
		why := "the group of class " + config.Plain(c.Name)
		r.Apply.Add(azureQoS, why, "  class "+className(c))
		r.Apply.Add(azureQoS, why, fmt.Sprintf("    set qos-group %d", nxos.Group(c)))
	}
	r.Apply.Add(script, "all traffic of no class", "  class class-default")
	r.Apply.Add(script, "all traffic of no class", fmt.Sprintf("    set qos-group %d", nxos.DefaultGroup))
}

// networkQoS sets which groups are paused, and the MTU of each.
func (r *render) networkQoS() {
	jumbo := false
	for _, x := range r.Ports {
		jumbo = jumbo || x.MTU > standardMTU && x.MTU <= nxos.MTU
	}
	mtu := func(why string) {
		if jumbo {
			r.Apply.Add(azureQoS, why, fmt.Sprintf("    mtu %d", nxos.MTU))
		}
	}
	if !jumbo && len(r.QoS.Lossless()) == 0 {
		return
	}
	r.Apply.Add(azureQoS, "PFC and MTU of the groups, on the whole switch", "policy-map type network-qos "+networkPolicy)
	for _, c := range r.QoS.Classes {
		group := fmt.Sprintf("c-8q-nq%d", nxos.Group(c))
		if c.Default {
			group = "c-8q-nq-default"
		}
		if !c.Lossless && !jumbo {
			continue
		}
		why := "class " + config.Plain(c.Name)
		r.Apply.Add(azureQoS, why, "  class type network-qos "+group)
		mtu(why + ": room for the hosts' packets")
		if c.Lossless {
			r.Apply.Add(azureQoS, why+" is lossless", fmt.Sprintf("    pause pfc-cos %d", c.Priority))
		}
	}
}

// queuing shares the link among the queues, which have the numbers of the groups.
func (r *render) queuing() {
	r.Apply.Add(azureQoS, "shares of the link and marking", "policy-map type queuing "+queuePolicy)
	used := map[int]bool{}
	for _, c := range r.QoS.Classes {
		group := nxos.Group(c)
		used[group] = true
		queue := fmt.Sprintf("c-out-8q-q%d", group)
		if c.Default {
			queue = "c-out-8q-q-default"
		}
		why, by := dcb.ShareWhy(c), azureQoS
		share := fmt.Sprintf("    bandwidth remaining percent %d", c.Percent)
		if c.Strict {
			share, by = "    priority level 1", script
		}
		r.Apply.Add(azureQoS, why, "  class type queuing "+queue)
		r.Apply.Add(by, why, share)
		if c.ECN {
			r.Apply.Add(azureQoS, dcb.MarkedWhy(c), fmt.Sprintf("    random-detect minimum-threshold %d kbytes "+
				"maximum-threshold %d kbytes drop-probability %d weight 0 ecn", ecnKilobytes, ecnKilobytes, ecnProbability))
			r.Device.Unverified = append(r.Device.Unverified, fmt.Sprintf(
				"the threshold of marking, %d kbytes: Microsoft's guide has it for storage; the script has 950 to 3000 kbytes",
				ecnKilobytes))
		}
	}
	for group := 1; group < 8; group++ {
		if !used[group] {
			why := "no class has this queue"
			r.Apply.Add(azureQoS, why, fmt.Sprintf("  class type queuing c-out-8q-q%d", group))
			r.Apply.Add(azureQoS, why, "    bandwidth remaining percent 0")
		}
	}
	if !used[nxos.DefaultGroup] {
		why := "all traffic of no class: eight classes have the whole link"
		r.Apply.Add(azureQoS, why, "  class type queuing c-out-8q-q-default")
		r.Apply.Add(azureQoS, why, "    bandwidth remaining percent 0")
	}
}

// system applies both policies to the whole switch.
func (r *render) system() {
	r.Apply.Add(azureQoS, "policies of the whole switch", "system qos")
	r.Apply.Add(azureQoS, "shares of the link and marking", "  service-policy type queuing output "+queuePolicy)
	if r.hasNetworkPolicy() {
		r.Apply.Add(azureQoS, "PFC and MTU of the groups", "  service-policy type network-qos "+networkPolicy)
	}
}

// hasNetworkPolicy reports whether networkQoS wrote a policy.
func (r *render) hasNetworkPolicy() bool {
	return slices.ContainsFunc(r.Apply.Lines, func(l config.Line) bool {
		return l.Text == "policy-map type network-qos "+networkPolicy
	})
}

package render

import (
	"fmt"
	"slices"

	"linerate/internal/device"
	"linerate/internal/device/config"
)

// lossless returns the paused traffic classes.
func (r *render) lossless() []int { return r.q.Lossless() }

func (r *render) pfcName() string { return "pfc-tc" + config.Numbers(r.lossless(), "-") }

// pfc makes the profile that pauses the lossless classes, and names them if the release requires it.
func (r *render) pfc() {
	list := r.lossless()
	if len(list) == 0 {
		return
	}
	name, values := must(r.pfcName()), fmt.Sprintf("traffic-class=%s rx=yes tx=yes", config.Numbers(list, ","))
	why := fmt.Sprintf("PFC on priority %s alone, in both directions; the thresholds stay auto",
		config.Numbers(list, ", "))
	menu := menuQoS + " priority-flow-control"
	r.apply.Add(manualQoS, why, unless(menu, "name="+name, "name="+name+" "+values, values))
	r.expect(manualQoS, why, menu, "name="+name+" rx=yes tx=yes", "there is no PFC profile "+r.pfcName()+" with rx and tx")
	if !r.v.new || len(list) > 1 { // for several the plan reports that their buffers stay auto
		return
	}
	r.apply.Add(manualQoS723, "which class gets the buffers for lossless traffic",
		fmt.Sprintf("%s settings set lossless-traffic-class=%d lossless-buffers=auto", menuQoS, list[0]))
}

// trust makes the ports sort by the packets' marks, and obey and send PFC. It writes all settings, which overrides an
// earlier configuration (the roce-100g document's forced profile).
func (r *render) trust() {
	l2, l3 := "ignore", "keep"
	why := "DSCP sorts the packets and is kept; with both trusts at ignore the port's profile would be forced on all " +
		"traffic"
	if r.q.PCP() {
		l2, l3 = "keep", "ignore"
		why = "the PCP of the VLAN tag sorts the packets and is kept; with both trusts at ignore the port's profile would " +
			"be forced on all traffic"
	}
	base := fmt.Sprintf("profile=default map=default tx-manager=default trust-l2=%s trust-l3=%s", l2, l3)
	list := r.lossless()
	for _, p := range r.ports {
		set, text := base, "port "+p.id+": "+why
		if len(list) > 0 {
			set += " pfc=" + must(r.pfcName())
			for _, tc := range list {
				set += fmt.Sprintf(" egress-rate-queue%d=%s", tc, p.laneRate())
			}
			text += "; PFC is obeyed only with an egress rate, the planned speed of the link"
		}
		if p.follows {
			text += "; all interfaces of a cage alike"
		}
		r.apply.Add(manualQoS, text, fmt.Sprintf("%s port set %s %s", menuQoS, p.name, set))
	}
	r.check(manualQoS, "set is not yet in effect: the roce-100g document set trust-l3=keep and printed ignore",
		menuQoS+" port", "does not have trust-l2="+l2+" trust-l3="+l3+" profile=default", func(p port) string {
			return fmt.Sprintf("name=%s profile=default trust-l2=%s trust-l3=%s", must(p.name), l2, l3)
		})
	if len(list) == 0 {
		return
	}
	r.check(manualQoS, "PFC works on ports that have its profile", menuQoS+" port", "does not have pfc="+r.pfcName(),
		func(p port) string { return fmt.Sprintf("name=%s pfc=%s", must(p.name), must(r.pfcName())) })
}

// offload puts the settings into effect.
func (r *render) offload() {
	r.apply.Add(manualQoS, "only now the settings take effect", menuSwitch+" set switch1 qos-hw-offloading=yes")
	r.expect(manualQoS, "without it nothing of the above is in effect", menuSwitch, "name=switch1 qos-hw-offloading=yes",
		"switch1 has qos-hw-offloading=no")
	if r.q.DCBX == "switch" {
		why := "dcbx: switch, so the switch announces the classes; from RouterOS 7.17 on; no class is in the " +
			"low-priority-group, which it could not announce"
		r.apply.Add(manualQoS, why, "/ip neighbor discovery-settings set lldp-dcbx=yes")
		r.verify.Add(manualScript, why,
			`:if ([/ip neighbor discovery-settings get lldp-dcbx] != true) do={ :put "not as planned: lldp-dcbx is not yes"; :set linerateBad ($linerateBad + 1) }`)
	}
	r.verify.Add(manualQoS, "to compare by eye: the egress rates of the lossless queues", menuQoS+" port print rates")
	r.verify.Add(manualQoS, "to compare by eye: WRED-ACTUAL should be no and ECN-ACTUAL yes on the marked queues alone",
		menuQoS+" tx-manager queue print")
	r.notes()
}

func (r *render) notes() {
	d, list := r.d, r.lossless()
	if slices.ContainsFunc(r.q.Classes, func(c device.Class) bool { return c.ECN && c.Lossless }) {
		d.Unverified = append(d.Unverified, "verify.rsc prints the queues at its end. Whether ecn=yes also shows "+
			"WRED-ACTUAL yes on this chip is not documented; the roce-100g document saw it. If so, packets without ECT in "+
			"that queue can be"+" dropped, which is why only the marked class is sorted into it")
	}
	if len(list) == 0 {
		return
	}
	d.Unverified = append(d.Unverified, "the egress rates are printed by verify.rsc, to be compared by eye; they are "+
		"the planned speeds: if a link comes up slower, set egress-rate-queue of its ports to that speed")
	if i := slices.IndexFunc(r.ports, func(p port) bool { return p.follows }); i >= 0 {
		d.Unverified = append(d.Unverified, "the egress rate on the second to last interface of a cage (such as "+
			r.ports[i].name+") has the rate of the whole cage, as in the roce-100g document; what it does while the cage "+
			"runs as one port depends on the chip and is not documented")
	}
	if r.s.Part != nil && r.s.Part.Switch != nil && r.s.Part.Switch.Chip == "Marvell 98DX7335" {
		d.Unverified = append(d.Unverified, "on this chip QoS offload cannot be turned off (the manual), so undo leaves "+
			"it on; that an egress rate above 100 Gb/s is taken is not documented")
	}
}

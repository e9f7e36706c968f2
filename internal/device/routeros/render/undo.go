package render

import (
	"fmt"
)

// factory is the scheduler of each queue in the manual.
var factory = [8]string{"low-priority-group weight=1", "low-priority-group weight=2", "low-priority-group weight=3",
	"high-priority-group weight=3",
	"high-priority-group weight=4", "high-priority-group weight=5", "strict-priority", "strict-priority"}

// undoAll writes undo.rsc: ports first, because objects that they refer to cannot be removed.
func (r *render) undoAll() {
	if r.q != nil {
		r.undoPorts()
		r.undoClasses()
		if r.q.DCBX == "switch" {
			r.undo.Add(manualQoS, "the factory's setting", "/ip neighbor discovery-settings set lldp-dcbx=no")
		}
		r.undo.Add(manualQoS, "QoS in hardware off; the manual: this does not completely revert, reboot afterwards",
			menuSwitch+" set switch1 qos-hw-offloading=no")
	}
	if r.tagged {
		r.undo.Add(manualBridge, "the VLANs that apply added",
			`/interface bridge vlan remove [find where comment="linerate"]`)
	}
	if r.l2mtu > 0 {
		r.undo.Add(manualScript, "the L2MTU that apply found",
			`:if ([:len [/system script find where name="linerate-l2mtu"]] = 1) do={ /system script run "linerate-l2mtu"; /system script remove [find where name="linerate-l2mtu"] }`)
	}
	if r.q != nil {
		r.undo.Form(`:put "undone; now reboot: /system reboot"`)
	} else {
		r.undo.Form(`:put "undone"`)
	}
}

func (r *render) undoPorts() {
	rates := ""
	for _, tc := range r.lossless() {
		rates += fmt.Sprintf(" !egress-rate-queue%d", tc)
	}
	for _, p := range r.ports {
		r.undo.Add(manualQoS, "an untrusted port, as the factory has it",
			fmt.Sprintf("%s port set %s pfc=disabled trust-l2=ignore trust-l3=ignore profile=default%s", menuQoS, p.name, rates))
	}
	if len(r.lossless()) > 0 {
		r.undo.Add(manualQoS, "the PFC profile that apply added",
			fmt.Sprintf("%s priority-flow-control remove [find where name=%s]", menuQoS, must(r.pfcName())))
	}
}

func (r *render) undoClasses() {
	for _, c := range r.q.Classes {
		if kind, _, marks := r.lookup(c); !c.Default && len(marks) > 0 && !(r.v.new && len(marks) == 1) {
			r.undo.Add(manualQoS, "the rows of class "+c.Name,
				fmt.Sprintf("%s map %s remove [find where profile=%s]", menuQoS, kind, r.profile(c)))
		}
	}
	for _, c := range r.q.Classes {
		switch {
		case !c.Default:
			r.undo.Add(manualQoS, "the profile of class "+c.Name,
				fmt.Sprintf("%s profile remove [find where name=%s]", menuQoS, r.profile(c)))
		case r.tc[c.Name] != 1:
			r.undo.Add(manualQoS, "as the factory has it", menuQoS+` profile set [find where name="default"] traffic-class=1`)
		}
	}
	for _, c := range r.q.Classes {
		tc := r.tc[c.Name]
		text := fmt.Sprintf("%s tx-manager queue set [find where traffic-class=%d] schedule=%s", menuQoS, tc, factory[tc])
		if has, known := r.ecn(); !known || has {
			text += " wred=no ecn=no use-shared-buffers=" + yes(tc != 0)
		}
		if r.pooled(c) {
			text += " shared-pool-index=0"
		}
		r.undo.Add(manualQoS, fmt.Sprintf("the factory's setting of queue %d", tc), text)
	}
	if r.v.new && len(r.lossless()) == 1 {
		r.undo.Add(manualQoS723, "the factory's setting",
			menuQoS+" settings set lossless-traffic-class=auto lossless-buffers=auto")
	}
}

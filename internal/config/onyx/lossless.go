package onyx

import (
	"fmt"
	"slices"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// pfc pauses the lossless priorities on every used port.
func (r *render) pfc() {
	lossless := r.q.Lossless()
	if len(lossless) == 0 {
		return
	}
	r.each(&r.apply, intelMFD, "PFC takes the place of pauses for the whole link", "flowcontrol send off force")
	r.each(&r.apply, intelMFD, "PFC takes the place of pauses for the whole link", "flowcontrol receive off force")
	r.apply.Add(mellanoxRoCE, "PFC, for the whole switch", "dcb priority-flow-control enable force")
	for _, p := range lossless {
		r.apply.Add(mellanoxRoCE, fmt.Sprintf("class %s is lossless", device.Plain(r.q.Class(p).Name)), fmt.Sprintf("dcb priority-flow-control priority %d enable", p))
	}
	r.each(&r.apply, modPFC, "this port pauses and is paused", "dcb priority-flow-control mode on force")
	r.each(&r.undo, modPFC, "no pauses", "no dcb priority-flow-control mode force")
	r.undo.Add(modProtocol, "no PFC on the whole switch", "no dcb priority-flow-control enable force")
	r.pfcExpect()
	r.watchdog()
}

// watchdog is for switches that stand behind others: one that stands alone has no queue that a pause could spread to.
func (r *render) watchdog() {
	if r.chip == dcb.Spectrum && slices.ContainsFunc(r.ports, func(x dcb.Port) bool { return x.Switch }) {
		r.each(&r.apply, smartX, "several switches: the watchdog frees a queue that a broken card pauses for ever", "pfc-wd")
		r.d.Miss("the undo of the PFC watchdog (pfc-wd): the command that takes it off was not found in a manual; without PFC it has nothing to watch")
	}
}

func (r *render) pfcExpect() {
	for _, x := range r.ports {
		r.expect = append(r.expect, dcb.Expect{Command: "show dcb priority-flow-control", Form: "json", Where: []string{"Eth" + name(x), "0", "PFC oper"},
			Want: "Enabled", Why: "PFC is in effect on the port", By: modPFC})
	}
}

// pool reserves half of the buffer for the lossless priorities, as NVIDIA's RoCE mode does.
func (r *render) pool() {
	lossless := r.q.Lossless()
	if len(lossless) == 0 || r.lacks.Has(plan.LackBuffers, "") {
		return
	}
	r.apply.Add(modPool, "a part of the buffer that is not dropped from", "traffic pool roce type lossless")
	r.apply.Add(modPool, "half of the buffer, as NVIDIA's RoCE mode has it", "traffic pool roce memory percent 50.00")
	r.apply.Add(manualPool, "for the lossless priorities", "traffic pool roce map switch-priority "+device.Numbers(lossless, " "))
	r.undo.Add(manualPool, "gives the buffer back", "no traffic pool roce force")
	r.expect = append(r.expect,
		dcb.Expect{Command: "show traffic pool roce", Form: "json", Where: []string{"roce", "0", "Type"}, Want: "lossless", Why: "the lossless part of the buffer", By: modPool},
		dcb.Expect{Command: "show traffic pool roce", Form: "json", Where: []string{"roce", "0", "Switch Priorities"}, Want: device.Numbers(lossless, " "), Why: "for the lossless priorities", By: modPool},
		dcb.Expect{Command: "show traffic pool roce", Form: "json", Where: []string{"roce", "0", "Memory [%]"}, Want: "50.00", Why: "half of the buffer", By: modPool})
}

// lldp announces the classes to the hosts, which are not willing and only show a difference.
func (r *render) lldp() {
	if r.q.DCBX != "switch" {
		return
	}
	why := "dcbx: switch: the switch announces the classes"
	r.apply.Add(manualLLDP, why, "lldp")
	r.each(&r.apply, manualLLDP, why, "lldp receive")
	r.each(&r.apply, manualLLDP, why, "lldp transmit")
	r.each(&r.apply, intelMFD, why+", in the form of IEEE 802.1Qaz", "lldp tlv-select dcbx")
	// From 3.8.2000 on LLDP is on by default (manual): there is nothing to take back.
	if dcb.VersionOf(r.s).Before(roceSince...) {
		r.each(&r.undo, modLLDP, "the port is silent again", "no lldp transmit")
		r.each(&r.undo, modLLDP, "the port is silent again", "no lldp receive")
	}
	for _, x := range r.ports {
		for _, key := range []string{"Receive", "Transmit"} {
			r.expect = append(r.expect, dcb.Expect{Command: "show lldp interfaces", Form: "json", Where: []string{"Eth" + name(x), "0", key}, Want: "Enabled", Why: why, By: fixtureLLDP})
		}
	}
}

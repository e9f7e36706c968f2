package render

import (
	"fmt"

	"linerate/internal/device"
	"linerate/internal/device/config"
	"linerate/internal/device/dcb"
)

// pfc pauses the lossless priorities on every used port.
func (r *render) pfc() {
	lossless := r.QoS.Lossless()
	if len(lossless) == 0 {
		return
	}
	r.each(&r.Apply, intelMFD, "PFC takes the place of pauses for the whole link", "flowcontrol send off force")
	r.each(&r.Apply, intelMFD, "PFC takes the place of pauses for the whole link", "flowcontrol receive off force")
	r.Apply.Add(mellanoxRoCE, "PFC, for the whole switch", "dcb priority-flow-control enable force")
	for _, p := range lossless {
		r.Apply.Add(mellanoxRoCE, r.LosslessWhy(p), fmt.Sprintf("dcb priority-flow-control priority %d enable", p))
	}
	r.each(&r.Apply, modPFC, "this port pauses and is paused", "dcb priority-flow-control mode on force")
	r.each(&r.undo, modPFC, "no pauses", "no dcb priority-flow-control mode force")
	r.undo.Add(modProtocol, "no PFC on the whole switch", "no dcb priority-flow-control enable force")
	r.pfcExpect()
	r.watchdog()
}

func (r *render) watchdog() {
	if r.chip == dcb.Spectrum && r.JoinsSwitches() {
		r.each(&r.Apply, smartX, "several switches: the watchdog frees a queue that a broken NIC pauses for ever", "pfc-wd")
		r.Device.Miss("the undo of the PFC watchdog (pfc-wd): the command that takes it off was not found in a manual; " +
			"without PFC it has nothing to watch")
	}
}

func (r *render) pfcExpect() {
	for _, x := range r.Ports {
		r.ExpectAt(modPFC, "json", "show dcb priority-flow-control", "PFC is in effect on the port", "Enabled",
			"Eth"+name(x), "0", "PFC oper")
	}
}

// pool reserves half of the buffer for the lossless priorities, as NVIDIA's RoCE mode does.
func (r *render) pool() {
	lossless := r.QoS.Lossless()
	if len(lossless) == 0 || r.Gaps.Has(device.GapBuffers, "") {
		return
	}
	r.Apply.Add(modPool, "a part of the buffer that is not dropped from", "traffic pool roce type lossless")
	r.Apply.Add(modPool, "half of the buffer, as NVIDIA's RoCE mode has it", "traffic pool roce memory percent 50.00")
	r.Apply.Add(manualPool, "for the lossless priorities",
		"traffic pool roce map switch-priority "+config.Numbers(lossless, " "))
	r.undo.Add(manualPool, "gives the buffer back", "no traffic pool roce force")
	for _, e := range [][3]string{{"Type", "lossless", "the lossless part of the buffer"},
		{"Switch Priorities", config.Numbers(lossless, " "), "for the lossless priorities"},
		{"Memory [%]", "50.00", "half of the buffer"}} {
		r.ExpectAt(modPool, "json", "show traffic pool roce", e[2], e[1], "roce", "0", e[0])
	}
}

// lldp announces the classes to the hosts, which are not willing and only show differences.
func (r *render) lldp() {
	if r.QoS.DCBX != "switch" {
		return
	}
	why := "dcbx: switch: the switch announces the classes"
	r.Apply.Add(manualLLDP, why, "lldp")
	r.each(&r.Apply, manualLLDP, why, "lldp receive")
	r.each(&r.Apply, manualLLDP, why, "lldp transmit")
	r.each(&r.Apply, intelMFD, why+", in the form of IEEE 802.1Qaz", "lldp tlv-select dcbx")
	// From 3.8.2000 on LLDP is on by default (manual): nothing needs to be undone.
	if dcb.VersionOf(r.Switch).Before(roceSince...) {
		r.each(&r.undo, modLLDP, "the port is silent again", "no lldp transmit")
		r.each(&r.undo, modLLDP, "the port is silent again", "no lldp receive")
	}
	for _, x := range r.Ports {
		for _, key := range []string{"Receive", "Transmit"} {
			r.ExpectAt(fixtureLLDP, "json", "show lldp interfaces", why, "Enabled", "Eth"+name(x), "0", key)
		}
	}
}

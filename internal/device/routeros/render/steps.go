package render

import "linerate/internal/device/config"

// steps writes the administrator's steps, in order.
func (r *render) steps() {
	halt := ""
	if r.l2mtu > 0 {
		halt = "every link of the switch goes down and comes up again when L2MTU changes"
	}
	if r.q != nil {
		if halt != "" {
			halt += "; "
		}
		halt += "changing the queues completely halts traffic for a moment (the manual does not say how long). Do it when " +
			"nothing is copied"
	}
	r.d.Manual = append(r.d.Manual,
		config.Line{Text: "Log in so that the fabric's own ports do not carry you: over the management port (ether1 where " +
			"the model has one) or WinBox by MAC address",
			Why: "the management address may sit on the bridge or on the first fabric port; a wrong change then locks " +
				"you out",
			Source: manualConfig},
		config.Line{Text: "Keep what is there now: /export file=before-linerate, and copy the file off the switch",
			Why: "the last resort if undo.rsc is not enough", Source: manualConfig})
	if r.q != nil {
		r.d.Manual = append(r.d.Manual, config.Line{Text: "If QoS was set up by hand before (the roce-100g document's " +
			"profiles roce-profile and roce-pfc, ECN on the tx-manager), take that back first; see it with " + menuQoS +
			" export",
			Why: "apply.rsc sets every value of the ports that it uses and of the queues of its classes, but removes no " +
				"profile of yours and does not touch the tx-manager", Source: manualQoS})
	}
	undo := config.Step{Do: "to take it back: /import file-name=undo.rsc", Interrupts: halt}
	if r.q != nil {
		undo.Do += ", then /system reboot"
		undo.Interrupts = "everything, until the switch has rebooted"
	}
	r.d.Steps = []config.Step{
		{Do: "copy apply.rsc, verify.rsc and undo.rsc onto the switch: scp, or drag them into Files in WinBox"},
		{Do: "in a terminal of the switch press Ctrl-X (safe mode: if you are cut off, the switch undoes what was " +
			"done since)"},
		{Do: "/import file-name=apply.rsc", Interrupts: halt},
		{Do: "/import file-name=verify.rsc: it ends with \"as planned\", or with an error after the lines that say what " +
			"is wrong"},
		{Do: "press Ctrl-X again to keep it. There is nothing to save: RouterOS keeps every change over a reboot"},
		undo,
	}
	r.d.Unverified = append(r.d.Unverified,
		"syntax not verified: there is no RouterOS here to try it on; every command has the form of MikroTik's manual")
}

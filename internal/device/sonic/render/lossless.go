package render

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/device/config"
	"linerate/internal/device/sonic"
)

// lossless enables PFC for the plan's priorities only, sizes the buffers for the cables, and starts the watchdog.
func (r *render) lossless() {
	want := r.QoS.Lossless()
	for _, x := range r.Ports {
		for _, p := range sonic.Lossless {
			state, why := "off", "not lossless in the plan; SONiC's template makes it so"
			if slices.Contains(want, p) {
				state, why = "on", r.LosslessWhy(p)
			}
			r.Apply.Add(cmdref, why, fmt.Sprintf("sudo config interface pfc priority %s %d %s", r.name(x), p, state))
		}
		r.ExpectAt(cmdref, "table", "show pfc priority", "the lossless classes alone are paused", config.Numbers(want, ","),
			r.name(x), "Lossless priorities")
	}
	r.cables()
	r.watchdog()
}

// cables sizes the buffers of lossless classes: SONiC's tables have profiles for 5, 40 and 300 m.
func (r *render) cables() {
	if r.version.Before(sonic.CableSince...) {
		return
	}
	for _, x := range r.Ports {
		m, ok := x.Length.Get()
		if !ok {
			continue // SONiC's template assumes a length
		}
		if class, ok := sonic.Cable(m); ok {
			r.Apply.Add(headroom, fmt.Sprintf("a cable of %g m: what is on its way when a pause is sent finds room", m),
				fmt.Sprintf("sudo config interface cable_length %s %dm", r.name(x), class))
		}
	}
}

func (r *render) watchdog() {
	if !r.JoinsSwitches() {
		return
	}
	var names []string
	for _, x := range r.Ports {
		names = append(names, r.name(x))
		r.ExpectAt(cmdref, "table", "show pfcwd config", "the watchdog is on", "drop", r.name(x), "ACTION")
	}
	r.Apply.Add(cmdref, "several switches: the watchdog frees a queue that a broken NIC pauses for ever",
		fmt.Sprintf("sudo config pfcwd start --action drop %s 400 --restoration-time 400", strings.Join(names, " ")))
}

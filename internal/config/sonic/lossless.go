package sonic

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/config/dcb"
	"linerate/internal/config/device"
	"linerate/internal/design/plan"
)

// lossless turns PFC on for the plan's priorities alone, tells the buffers of the cables, and starts the watchdog.
func (r *render) lossless() {
	want := r.q.Lossless()
	for _, x := range r.ports {
		for _, p := range plan.SONiCLossless {
			state, why := "off", "not lossless in the plan; SONiC's template makes it so"
			if slices.Contains(want, p) {
				state, why = "on", fmt.Sprintf("class %s is lossless", device.Plain(r.q.Class(p).Name))
			}
			r.apply.Add(cmdref, why, fmt.Sprintf("sudo config interface pfc priority %s %d %s", r.name(x), p, state))
		}
		r.expect = append(r.expect, dcb.Expect{Command: "show pfc priority", Form: "table", Where: []string{r.name(x), "Lossless priorities"}, Want: device.Numbers(want, ","), Why: "the lossless classes alone are paused", By: cmdref})
	}
	r.cables()
	r.watchdog()
}

// cables sizes the buffers of lossless classes: SONiC's tables have profiles for 5, 40 and 300 m.
func (r *render) cables() {
	if r.version.Before(plan.SONiCCableSince...) {
		return
	}
	for _, x := range r.ports {
		m, ok := x.Length.Get()
		if !ok {
			continue // SONiC's template assumes a length
		}
		if class, ok := plan.SONiCCable(m); ok {
			r.apply.Add(headroom, fmt.Sprintf("a cable of %g m: what is on its way when a pause is sent finds room", m), fmt.Sprintf("sudo config interface cable_length %s %dm", r.name(x), class))
		}
	}
}

// watchdog is for switches that stand behind others: one that stands alone has no queue that a pause could spread to.
func (r *render) watchdog() {
	if !slices.ContainsFunc(r.ports, func(x dcb.Port) bool { return x.Switch }) {
		return
	}
	var names []string
	for _, x := range r.ports {
		names = append(names, r.name(x))
		r.expect = append(r.expect, dcb.Expect{Command: "show pfcwd config", Form: "table", Where: []string{r.name(x), "ACTION"}, Want: "drop", Why: "the watchdog is on", By: cmdref})
	}
	r.apply.Add(cmdref, "several switches: the watchdog frees a queue that a broken card pauses for ever", fmt.Sprintf("sudo config pfcwd start --action drop %s 400 --restoration-time 400", strings.Join(names, " ")))
}

package guide

import (
	"slices"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/device/config"
)

// turn is a group of consecutive devices with equal steps and interruptions.
type turn struct {
	what, interrupts string
	hosts            []*plan.Host
	switches         []string
}

// order writes the order of the devices, and the reasons.
func (w *writer) order() {
	turns := w.turns()
	if len(turns) == 0 {
		return
	}
	w.next("Set up the devices one by one, as the README of each folder says: apply, verify, then the files that " +
		"keep the settings after a reboot. Use the order below. Set up the machine that you work on last, because its " +
		"network may be interrupted.")
	for i, t := range turns {
		if i == longest {
			w.under("- and %d more, in the order of the file", len(turns)-i)
			break
		}
		folder := shortened(t.switches)
		if len(t.hosts) > 0 {
			folder = w.names(t.hosts)
		}
		w.under("- %s (%s). Downtime: %s.", folder, t.what, strings.TrimSuffix(t.interrupts, "."))
	}
	w.say("")
	why := ""
	switch {
	case len(w.p.Switches) > 0 && len(turns[0].switches) == 0:
		why = "The switches have no folder. Set them up first, by hand."
	case len(w.p.Switches) > 0:
		why = "Switches come first. Their links go down for a moment, and the traffic classes of a host need the same " +
			"classes on the switch."
	}
	if slices.ContainsFunc(w.p.Hosts, func(h *plan.Host) bool { return h.Decl.On != "" }) {
		why += " A virtual machine comes after its host."
	}
	if why = strings.TrimSpace(why); why != "" {
		w.under("%s", why)
	}
	if w.named() {
		w.under("After `apply`, host names point to the new network. Until all hosts are done, use their LAN addresses.")
	}
	w.under("Never set up a device over a link that the setup changes. Use the LAN, a management port, or monitor and " +
		"keyboard.")
	w.under("verify also checks the links. A link is down until both ends are set up, so run verify again when all " +
		"devices are done.")
	var linux []*plan.Host
	for _, h := range w.p.Hosts {
		if d := w.device(h.Name); d != nil && d.Family == "linux" && h.Connection != "" {
			linux = append(linux, h)
		}
	}
	if len(linux) > 0 {
		w.under("Shorter: `linerate apply %s HOST` sets up %s over the connection in the file. It rolls back if the "+
			"host stops answering.", w.p.Arguments(), w.names(linux))
	}
}

// turns returns the devices in the order of configuration: switches, hosts, virtual machines, and the controller's
// machine; equal ones together.
func (w *writer) turns() []turn {
	var out []turn
	add := func(name string, h *plan.Host) {
		d := w.device(name)
		if d == nil {
			return
		}
		what, halt := d.What, interrupts(d)
		if h != nil {
			_, what, _ = strings.Cut(what, ", ") // the system
			if h.Decl.On != "" {
				what = "virtual machine, " + what
			}
		}
		if len(out) == 0 || out[len(out)-1].what != what || out[len(out)-1].interrupts != halt ||
			(h == nil) != (len(out[len(out)-1].hosts) == 0) {
			out = append(out, turn{what: what, interrupts: halt})
		}
		last := &out[len(out)-1]
		if h == nil {
			last.switches = append(last.switches, name)
			return
		}
		last.hosts = append(last.hosts, h)
	}
	for _, s := range w.p.Switches {
		add(s.Name, nil)
	}
	for _, late := range []func(*plan.Host) bool{
		func(h *plan.Host) bool { return h.Decl.On == "" && h.Connection != "local" },
		func(h *plan.Host) bool { return h.Decl.On != "" && h.Connection != "local" },
		func(h *plan.Host) bool { return h.Connection == "local" }} {
		for _, h := range w.p.Hosts {
			if late(h) {
				add(h.Name, h)
			}
		}
	}
	return out
}

// interrupts returns what stops during configuration, without what stops during undo.
func interrupts(d *config.Device) string {
	for _, s := range d.Steps {
		if s.Interrupts != "" && !strings.HasPrefix(strings.ToLower(s.Do), "to take it back") {
			return s.Interrupts
		}
	}
	return "none"
}

func (w *writer) device(name string) *config.Device {
	i := slices.IndexFunc(w.devices, func(d config.Device) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &w.devices[i]
}

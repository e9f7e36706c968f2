package fabric

import (
	"fmt"

	"linerate/internal/design/catalog"
)

func (d *decoder) allSwitches(n *node) {
	d.each(n, "switch", single(), func(name, group string, p pair, _, _ step) {
		s := &Switch{Name: name, At: p.key.at}
		f, ok := d.fields(p.value, "switch", "switch "+quoteName(group), p.key.at)
		if h := d.hosts[name]; h != nil {
			d.bad(p.key.at, f.subject, fmt.Sprintf("host %s (line %d) has the same name", name, h.At.Line), "hosts and switches share one namespace", "rename one")
		}
		d.f.Switches = append(d.f.Switches, s)
		d.switches[name] = s
		if !ok {
			return
		}
		s.Note = f.Note
		s.Part = d.part(f, catalog.Switch)
		s.OS = f.choice("os", "routeros", "onyx", "mlnx-os", "cumulus", "sonic", "eos")
		s.Version, s.System = f.text("version"), f.text("system")
		s.Reach = d.reach(f, name)
		s.Price = f.price("price", s.Part)
	})
}

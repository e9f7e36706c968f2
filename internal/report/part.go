package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Parts lists parts, one a line.
func (t Terminal) Parts(found []*catalog.Part) error {
	l := t.lines()
	var table [][]entry
	for _, p := range found {
		table = append(table, []entry{{Text: clean(p.ID)}, {Text: clean(string(p.Kind))}, {Text: clean(p.Name)}, {Text: from(p)}})
	}
	l.table([]column{{Head: "id"}, {Head: "kind"}, {Head: "name"}, {Head: "from", Wrap: true}}, table)
	return l.flush()
}

func from(p *catalog.Part) string {
	if p.From == "" {
		return ""
	}
	return "from " + clean(p.From)
}

// Part prints what is known of a part, where that comes from, and what is not known.
func (t Terminal) Part(p *catalog.Part, sources map[catalog.SourceID]catalog.Source) error {
	l := t.lines()
	l.line(l.ink(bold, clean(p.Name)), l.ink(faint, fmt.Sprintf("  (%s, confidence %s)", p.Kind, p.Confidence)))
	say := func(key, value string) {
		if value == "" {
			value = notKnown
		}
		l.item(2, 10, key, normal, value)
	}
	say("id", p.ID)
	if p.From != "" {
		say("from", p.From)
	}
	if len(p.Aliases) > 0 {
		say("also", strings.Join(p.Aliases, ", "))
	}
	if p.Kind != catalog.Drive {
		say("speeds", speeds(p))
	}
	switch p.Kind {
	case catalog.NIC:
		l.card(p, say)
	case catalog.Switch:
		l.switchPart(p, say)
	case catalog.Cable, catalog.Transceiver, catalog.Adapter:
		l.cablePart(p, say)
	case catalog.Drive:
		say("bus", p.Drive.Bus.String())
		say("medium", p.Drive.Medium)
		say("capacity", opt(p.Drive.Capacity))
		say("read", opt(p.Drive.Read))
		say("write", opt(p.Drive.Write))
	}
	say("power", watts(p.Watts))
	say("price", price(p.Price))
	if p.Kind == catalog.NIC {
		l.systems(p)
	}
	for _, trap := range p.Traps {
		l.item(0, 2, "!", accent, trap)
	}
	for _, note := range p.Notes {
		l.item(0, 2, "-", normal, note)
	}
	l.partSources(p, sources)
	return l.flush()
}

func speeds(p *catalog.Part) string {
	var all []string
	for _, s := range p.Speeds {
		all = append(all, s.String())
	}
	for _, s := range p.InfiniBand {
		all = append(all, "InfiniBand "+strings.ToUpper(string(s)))
	}
	return strings.Join(all, ", ")
}

func (l *lines) card(p *catalog.Part, say func(key, value string)) {
	say("ports", p.PortSummary())
	slot := ""
	if p.PCIe != nil {
		slot = fmt.Sprintf("PCIe %d.0 x%d", p.PCIe.Gen, p.PCIe.Lanes)
	}
	say("bus", slot)
	say("RDMA", listed(p.RDMA))
	sriov := yesNo(p.SRIOV)
	if n, ok := p.VFs.Get(); ok {
		sriov += fmt.Sprintf(", up to %d functions a port", n)
	}
	say("SR-IOV", sriov)
	iscsi := ""
	if own, ok := p.ISCSIOffload.Get(); ok {
		iscsi = map[bool]string{true: "an initiator of its own", false: "no initiator of its own"}[own]
	}
	say("iSCSI", iscsi)
	say("PCI id", strings.Join(p.PCIIDs, ", "))
}

func (l *lines) switchPart(p *catalog.Part, say func(key, value string)) {
	say("ports", p.PortSummary())
	s := p.Switch
	if s == nil {
		return
	}
	say("system", s.OS)
	say("chip", s.Chip)
	say("PFC", yesNo(s.PFC))
	say("ECN", yesNo(s.ECN))
	say("buffer", opt(s.Buffer))
	l2 := ""
	if n, ok := s.L2MTU.Get(); ok {
		l2 = fmt.Sprint(n)
	}
	say("L2MTU", l2)
	if s.QoS != nil {
		say("QoS", fmt.Sprintf("%d maps, %d profiles, %d tx managers", s.QoS.Maps, s.QoS.Profiles, s.QoS.TxManagers))
	}
}

func (l *lines) cablePart(p *catalog.Part, say func(key, value string)) {
	c := p.Cable
	if c == nil {
		return
	}
	var ends []string
	for _, e := range c.Ends {
		ends = append(ends, string(e))
	}
	if p.Kind != catalog.Adapter {
		say("media", string(c.Media))
	}
	say("ends", strings.Join(ends, ", "))
	if c.Fiber != "" {
		say("line", c.Fiber)
	}
	switch m, ok := c.Length.Get(); {
	case ok:
		say("length", metres(m))
	case p.Kind == catalog.Cable || c.Reach.IsKnown():
		reach := ""
		if r, ok := c.Reach.Get(); ok {
			reach = "up to " + metres(r)
		}
		say("reach", reach)
	}
}

// systems says what a card can do on each operating system.
func (l *lines) systems(p *catalog.Part) {
	for _, os := range []string{"linux", "freebsd", "windows", "macos"} {
		d, ok := p.On(os)
		if !ok {
			if os != "macos" {
				l.item(2, 10, os, normal, "no source names a driver")
			}
			continue
		}
		driver := d.Driver
		if driver == "" {
			driver = "driver not known"
		}
		if d.Status != "" {
			driver += ", " + d.Status
		}
		interfaces := "interfaces: name not known"
		if d.Interface != "" {
			interfaces = "interfaces " + d.Interface
		}
		l.item(2, 10, os, normal, driver+"; "+interfaces)
		pfc := "PFC " + yesNo(d.PFC)
		if d.How != "" {
			pfc += " (" + d.How + ")"
		}
		sriov := d.SRIOV
		if has, ok := p.SRIOV.Get(); ok && !has {
			sriov = p.SRIOV
		}
		can := []string{rdmaOn(p, os), pfc, "SR-IOV " + yesNo(sriov)}
		if d.MTU > 0 {
			can = append(can, fmt.Sprintf("MTU up to %d", d.MTU))
		}
		l.item(2, 10, "", normal, strings.Join(can, "; "))
		for _, n := range d.Notes {
			l.item(2, 10, "", faint, n)
		}
	}
}

// rdmaOn lists which of a card's transports work under a system.
func rdmaOn(p *catalog.Part, os string) string {
	if p.RDMA == nil {
		return "RDMA " + notKnown
	}
	var yes, unknown []string
	for _, t := range p.RDMA {
		switch works, ok := p.RDMAOn(os, t).Get(); {
		case !ok:
			unknown = append(unknown, t)
		case works:
			yes = append(yes, t)
		}
	}
	switch {
	case len(unknown) == 0 && len(yes) == 0:
		return "RDMA none"
	case len(unknown) == 0:
		return "RDMA " + strings.Join(yes, ", ")
	case len(yes) == 0:
		return "RDMA not known (" + strings.Join(unknown, ", ") + ")"
	}
	return "RDMA " + strings.Join(yes, ", ") + "; not known: " + strings.Join(unknown, ", ")
}

// partSources prints each source once with what comes from it.
func (l *lines) partSources(p *catalog.Part, sources map[catalog.SourceID]catalog.Source) {
	from := map[catalog.SourceID][]string{}
	for field, ids := range p.Sources {
		for _, id := range ids {
			from[id] = append(from[id], field)
		}
	}
	for os, d := range p.Drivers {
		for field, ids := range d.Sources {
			for _, id := range ids {
				from[id] = append(from[id], field+" on "+os)
			}
		}
	}
	if len(from) == 0 {
		return
	}
	l.gap()
	l.line(l.ink(bold, "sources"))
	for _, id := range slices.Sorted(maps.Keys(from)) {
		fields := slices.Sorted(slices.Values(from[id]))
		s := sources[id]
		kind := ""
		if s.Kind != "" && s.Kind != string(id) {
			kind = s.Kind + ": "
		}
		l.item(2, 12, string(id), normal, strings.Join(fields, ", "))
		l.item(2, 12, "", faint, kind+s.Ref)
	}
}

func yesNo(v unit.Opt[bool]) string {
	b, ok := v.Get()
	switch {
	case !ok:
		return notKnown
	case b:
		return "yes"
	}
	return "no"
}

// listed prints a list of which nil is unknown and empty is none.
func listed(s []string) string {
	switch {
	case s == nil:
		return ""
	case len(s) == 0:
		return "none"
	}
	return strings.Join(s, ", ")
}

func opt[T fmt.Stringer](v unit.Opt[T]) string {
	if x, ok := v.Get(); ok {
		return x.String()
	}
	return ""
}

func watts(w *catalog.Watts) string {
	if w == nil {
		return ""
	}
	text := unit.Significant(w.High) + " W"
	if w.Low > 0 && w.Low < w.High {
		text = unit.Significant(w.Low) + " to " + text
	}
	if w.Condition != "" {
		text += " (" + w.Condition + ")"
	}
	return text
}

func price(p *catalog.Price) string {
	if p == nil {
		return ""
	}
	if p.Note != "" {
		return p.Money.String() + " (" + p.Note + ")"
	}
	return p.Money.String()
}

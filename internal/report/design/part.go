package design

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/device/families"
	"linerate/internal/report/format"
	"linerate/internal/report/terminal"
)

// PrintParts lists parts, one a line.
func PrintParts(t terminal.Terminal, found []*catalog.Part) error {
	l := t.Lines()
	var table [][]terminal.Entry
	for _, p := range found {
		table = append(table, terminal.Row(format.Clean(p.ID), format.Clean(string(p.Kind)), fastest(p), format.Clean(p.Name),
			from(p)))
	}
	l.Table([]terminal.Column{{Head: "id"}, {Head: "kind"}, {Head: "speed", Right: true}, {Head: "name"},
		{Head: "from", Wrap: true}}, table)
	return l.Flush()
}

// fastest returns the highest Ethernet rate of a part, or its fastest InfiniBand rate.
func fastest(p *catalog.Part) string {
	switch {
	case p.Fastest() > 0:
		return linkRate(p.Fastest())
	case len(p.InfiniBand) > 0:
		return strings.ToUpper(string(p.InfiniBand[len(p.InfiniBand)-1]))
	case p.Cable != nil && len(p.Cable.Ends) > 0:
		return linkRate(p.Cable.Ends[0].Rate())
	}
	return unit.If(p.Kind == catalog.Drive, "", format.NotKnown)
}

func from(p *catalog.Part) string {
	if p.From == "" {
		return ""
	}
	return "from " + format.Clean(p.From)
}

// PrintPart prints what is known of a part, where that comes from, and what is not known.
func PrintPart(t terminal.Terminal, p *catalog.Part, sources map[catalog.SourceID]catalog.Source) error {
	l := t.Lines()
	l.Line(l.Ink(terminal.Bold, format.Clean(p.Name)),
		l.Ink(terminal.Faint, fmt.Sprintf("  (%s, confidence %s)", p.Kind, p.Confidence)))
	say := func(key, value string) {
		value = cmp.Or(value, format.NotKnown)
		l.Item(2, 10, key, terminal.Normal, value)
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
		printNICPart(l, p, say)
	case catalog.Switch:
		printSwitchPart(l, p, say)
	case catalog.Cable, catalog.Transceiver, catalog.Adapter:
		printCablePart(l, p, say)
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
		printSystems(l, p)
	}
	for _, trap := range p.Traps {
		l.Item(0, 2, "!", terminal.Accent, trap)
	}
	for _, note := range p.Notes {
		l.Item(0, 2, "-", terminal.Normal, note)
	}
	printPartSources(l, p, sources)
	return l.Flush()
}

func speeds(p *catalog.Part) string {
	all := xslices.Map(p.Speeds, unit.BitRate.String)
	for _, s := range p.InfiniBand {
		all = append(all, "InfiniBand "+strings.ToUpper(string(s)))
	}
	return strings.Join(all, ", ")
}

func printNICPart(l *terminal.Lines, p *catalog.Part, say func(key, value string)) {
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
		iscsi = unit.If(own, "an initiator of its own", "no initiator of its own")
	}
	say("iSCSI", iscsi)
	say("PCI id", strings.Join(p.PCIIDs, ", "))
}

func printSwitchPart(l *terminal.Lines, p *catalog.Part, say func(key, value string)) {
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

func printCablePart(l *terminal.Lines, p *catalog.Part, say func(key, value string)) {
	c := p.Cable
	if c == nil {
		return
	}
	ends := xslices.Map(c.Ends, func(e catalog.Cage) string { return string(e) })
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
	case p.Kind == catalog.Cable || c.Distance.IsKnown():
		distance := ""
		if r, ok := c.Distance.Get(); ok {
			distance = "up to " + metres(r)
		}
		say("distance", distance)
	}
}

// printSystems prints the features of a NIC on each operating system.
func printSystems(l *terminal.Lines, p *catalog.Part) {
	for _, os := range []string{"linux", "freebsd", "windows", "macos"} {
		d, ok := p.On(os)
		if !ok {
			if slices.Contains(families.ConfiguredHosts(), os) {
				l.Item(2, 10, os, terminal.Normal, "no source names a driver")
			}
			continue
		}
		driver := cmp.Or(d.Driver, "driver not known")
		if d.Status != "" {
			driver += ", " + d.Status
		}
		interfaces := "interfaces: name not known"
		if d.Interface != "" {
			interfaces = "interfaces " + d.Interface
		}
		l.Item(2, 10, os, terminal.Normal, driver+"; "+interfaces)
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
		l.Item(2, 10, "", terminal.Normal, strings.Join(can, "; "))
		for _, n := range d.Notes {
			l.Item(2, 10, "", terminal.Faint, n)
		}
	}
}

// rdmaOn lists which of a NIC's transports work under a system.
func rdmaOn(p *catalog.Part, os string) string {
	if p.RDMA == nil {
		return "RDMA " + format.NotKnown
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

// printPartSources prints each source once with what comes from it.
func printPartSources(l *terminal.Lines, p *catalog.Part, sources map[catalog.SourceID]catalog.Source) {
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
	l.Heading("sources")
	for _, id := range slices.Sorted(maps.Keys(from)) {
		fields := slices.Sorted(slices.Values(from[id]))
		s := sources[id]
		kind := ""
		if s.Kind != "" && s.Kind != string(id) {
			kind = s.Kind + ": "
		}
		l.Item(2, 12, string(id), terminal.Normal, strings.Join(fields, ", "))
		l.Item(2, 12, "", terminal.Faint, kind+s.Ref)
	}
}

func yesNo(v unit.Opt[bool]) string {
	b, ok := v.Get()
	switch {
	case !ok:
		return format.NotKnown
	case b:
		return "yes"
	}
	return "no"
}

// listed formats a list; nil is unknown, empty is none.
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

package fabric

import (
	"fmt"
	"strings"

	"linerate/internal/design/catalog"
)

// plugs are the forms of a cable's plugs, empty if unknown.
func plugs(cable *catalog.Part) []catalog.Cage {
	if cable == nil || cable.Cable == nil {
		return nil
	}
	return cable.Cable.Ends
}

// anyPlug says whether one of a cable's plugs fits a cage.
func anyPlug(cable *catalog.Part, cage catalog.Cage) (ok bool, why string) {
	ends := plugs(cable)
	for _, e := range ends {
		if ok, why = catalog.Fits(cage, e); ok {
			return true, ""
		}
	}
	return len(ends) == 0, why
}

// cage is the form of the port at a link's end; empty if unknown.
func (d *decoder) cage(p Port) catalog.Cage {
	var part *catalog.Part
	if s := d.switches[p.Switch]; s != nil {
		part = s.Part
	} else if h := d.hosts[p.Host]; h != nil {
		c := h.nic(p.Card)
		if b := h.bond(p.Card); b != nil && len(b.Of) > 0 {
			c, p = h.nic(b.Of[0].Card), b.Of[0]
		}
		if c != nil {
			part = c.Part
		}
	}
	if part == nil {
		return ""
	}
	port, _, _ := part.Port(p.Index)
	return port.Cage
}

// fitsWith says whether a plug goes into a cage, if need be with an adapter between them.
func fitsWith(cage, plug catalog.Cage, adapter *catalog.Part) (ok, with bool, why string) {
	ok, why = catalog.Fits(cage, plug)
	if ok || len(plugs(adapter)) != 2 {
		return ok, false, why
	}
	goesIn, _ := catalog.Fits(cage, adapter.Cable.Ends[0])
	takes, _ := catalog.Fits(adapter.Cable.Ends[1], plug)
	if goesIn && takes {
		return true, true, ""
	}
	return false, false, why
}

// fits reports a cable that does not go into both of its ports, whichever way
// round it is plugged.
func (d *decoder) fits(l *Link, at [2]At) {
	cable := l.Cable.Part
	ends := plugs(cable)
	if cable != nil && cable.Kind != catalog.Cable && cable.Kind != catalog.Transceiver && cable.Kind != catalog.Adapter {
		d.bad(l.Cable.At, "link "+l.Name, fmt.Sprintf("%s is a %s", cable.Name, cable.Kind), "a link is a cable", "choose a cable or a pair of transceivers")
		return
	}
	if len(ends) == 0 {
		return
	}
	cages := [2]catalog.Cage{d.cage(l.Ends[0]), d.cage(l.Ends[1])}
	try := func(first, second catalog.Cage) (misfit int, why string) {
		ok0, with0, why0 := fitsWith(cages[0], first, l.Adapter.Part)
		ok1, with1, why1 := fitsWith(cages[1], second, l.Adapter.Part)
		switch {
		case ok0 && ok1:
			l.Adapted = [2]bool{with0, with1}
			return -1, ""
		case !ok0:
			return 0, why0
		}
		return 1, why1
	}
	last := ends[len(ends)-1]
	i, why := try(ends[0], last)
	plug := [2]catalog.Cage{ends[0], last}
	if i >= 0 {
		j, otherWhy := try(last, ends[0])
		if j < 0 {
			return
		}
		if j > i { // turned round, one end more fits
			i, why, plug = j, otherWhy, [2]catalog.Cage{last, ends[0]}
		}
	}
	if i < 0 {
		return
	}
	fix := "choose another cable or card (`linerate parts WORD` searches)"
	if reason, advice, ok := strings.Cut(why, ": "); ok {
		why, fix = reason, advice
	}
	d.bad(at[i], "link "+l.Name, fmt.Sprintf("the %s plug of %s does not fit the %s cage of %s", plug[i], cable.Name, cages[i], l.Ends[i]), why, fix)
}

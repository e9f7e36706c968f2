package guide

import "fmt"

// cables writes which end goes where, and how to distinguish a NIC's ports.
func (w *writer) cables() {
	if len(w.p.Links) == 0 {
		return
	}
	if w.several() {
		w.next("Plug in the cables, the first of each machine alone, as below the table.")
	} else {
		w.next("Plug in the cables.")
	}
	rows := [][]string{{"cable", "one end", "other end", "length", "speed", "MTU"}}
	for _, l := range w.p.Links {
		length := ""
		if m, ok := l.LengthM.Get(); ok {
			length = fmt.Sprintf("%g m", m)
		}
		speed := "not known"
		if l.Speed > 0 {
			speed = l.Speed.String()
		}
		rows = append(rows, []string{l.Label, l.Ends[0].ID, l.Ends[1].ID, length, speed, fmt.Sprint(l.MTU)})
	}
	w.table(rows, "cables; cables.csv of the plan has all of them")
	if !w.several() {
		return
	}
	w.under("Which cage of a card is its port 1 is often printed nowhere. Plug in one cable alone, with the device at "+
		"its other end running and all ports of its card switched on, and look which interface has a link now. %s. The "+
		"same switches a port on at the other end.", w.by(func(s system) string { return s.carrier }))
	w.under("That interface is the port of the table. If it is the other port of that card, swap the plugs; else give " +
		"the interface's name in the place that the README of the device names. Of two equal cards with a port each, " +
		"either may be either. If no interface has a link, the port at the other end is not up.")
}

// several reports whether a host has more than one port with a cable, so that plugs can be confused.
func (w *writer) several() bool {
	for _, h := range w.p.Hosts {
		n := 0
		for _, nic := range h.Decl.NICs {
			ports := plugged(h, nic)
			n += len(ports)
			if nic.Part != nil && len(nic.Part.Ports) > 1 && len(ports) > 0 {
				return true
			}
		}
		if n > 1 {
			return true
		}
	}
	return false
}

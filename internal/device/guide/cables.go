package guide

import "fmt"

// cables writes which end goes where, and how to distinguish a NIC's ports.
func (w *writer) cables() {
	if len(w.p.Links) == 0 {
		return
	}
	if w.several() {
		w.next("Plug in the cables. Start with one cable per machine, to find its port (see below the table).")
	} else {
		w.next("Plug in the cables.")
	}
	rows := [][]string{{"cable", "one end", "other end", "length", "speed", "MTU"}}
	for _, l := range w.p.Links {
		length := "not known"
		if m, ok := l.LengthM.Get(); ok {
			length = fmt.Sprintf("%g m", m)
		}
		speed := "not known"
		if l.Speed > 0 {
			speed = l.Speed.String()
		}
		rows = append(rows, []string{l.Label, l.Ends[0].ID, l.Ends[1].ID, length, speed, fmt.Sprint(l.MTU)})
	}
	w.table(rows, "cables (see cables.csv of the plan)")
	if !w.several() {
		return
	}
	w.under("NICs often do not show which port is number 1. Plug in one cable, with the other end running and its ports "+
		"up, and check which interface has a link. %s. Set the port at the other end up in the same way.",
		w.by(func(s system) string { return s.carrier }))
	w.under("That interface is the port in the table. If it is the other port of the same NIC, swap the cables. If it " +
		"is on another NIC, write its name where the README of the device says so. Two equal NICs with one port each can " +
		"be swapped. If no interface has a link, the port at the other end is down.")
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

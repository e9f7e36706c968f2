package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Expected are the interfaces' names of a host's ports that the file does not name, by the ports' ids, as far as the driver's
// way of counting says them: FreeBSD numbers the interfaces of a driver over all of its cards. They hold if the host has no other
// cards of that driver, and the slots are in the order of the file. Names that are not there are not known.
func (h *Host) Expected() map[string]string {
	out := map[string]string{}
	counts := map[string]int{}
	for _, p := range h.Ports {
		if p.Part == nil || h.Decl == nil {
			continue
		}
		d, _, ok := driverOf(h.Decl, p.Part)
		pattern, numbered := strings.CutSuffix(d.Interface, "N")
		if !ok || !numbered {
			continue
		}
		if !p.Declared {
			out[p.ID] = fmt.Sprintf("%s%d", pattern, counts[pattern])
		}
		counts[pattern]++
	}
	// A name that the file gives another port would be two ports'.
	for id, name := range out {
		if slices.ContainsFunc(h.Ports, func(p *Port) bool { return p.Declared && p.Interface == name }) {
			delete(out, id)
		}
	}
	return out
}

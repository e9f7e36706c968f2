package explain

import (
	"fmt"
	"slices"
	"strings"

	"linerate/result"
)

// device asks whether a port on the way can be paused by priority at all. nil: none is known that cannot.
func (p *proving) device() *result.ProofTest {
	var without []string
	for _, port := range p.ports {
		if why := port.noPFC(p.class.Priority); why != "" {
			without = append(without, why)
		}
	}
	if len(without) == 0 {
		return nil
	}
	t := proofTest(result.ProofDevice, "every device on the way has flow control by priority", fmt.Sprintf("PFC for priority %d at every port", p.class.Priority))
	proofFails(t)
	t.Have = strings.Join(without, "; ")
	return t
}

// noPFC says why a port has no flow control by priority for the class; empty: it has, or that is not known.
func (p proofPort) noPFC(priority int) string {
	n := p.shots.nic(p.port)
	if n == nil {
		return ""
	}
	soft := ""
	for _, d := range p.shots.After.RDMA {
		for _, port := range d.Ports {
			if port.Interface.Or("") == p.port && d.PCI == "" && strings.HasPrefix(d.Name, "rxe") {
				soft = fmt.Sprintf(" (its RDMA, %s, is made by the kernel and changes nothing in that)", d.Name)
			}
		}
	}
	switch {
	case n.Kind == "veth":
		return fmt.Sprintf("%s is one end of a veth, which has no PFC%s", p, soft)
	case virtual[n.Driver.Or("")]:
		return fmt.Sprintf("%s is a virtual card (%s), which has no PFC%s", p, n.Driver.Or(""), soft)
	}
	if n.Effect == nil {
		return ""
	}
	if most, ok := n.Effect.Capacity.Get(); ok && most == 0 {
		return fmt.Sprintf("%s can have PFC for no priority%s", p, soft)
	}
	if on, why := n.Effect.PFC(); why == "" && !slices.Contains(on, priority) {
		return fmt.Sprintf("%s has PFC off for priority %d%s", p, priority, soft)
	}
	return ""
}

package proof

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// device tests whether every port on the path supports flow control by priority. nil: no port is known that does not.
func (p *proving) device() *record.ProofTest {
	var whys []string
	of := map[string][]string{}
	for _, port := range p.ports {
		why := port.noPFC(p.class.Priority)
		if why == "" {
			continue
		}
		if of[why] == nil {
			whys = append(whys, why)
		}
		of[why] = unique(append(of[why], port.String()))
	}
	if len(whys) == 0 {
		return nil
	}
	t := proofTest(record.ProofDevice, "every device on the way has flow control by priority",
		fmt.Sprintf("PFC for priority %d at every port", p.class.Priority))
	proofFails(t)
	var all []string
	for _, why := range whys {
		all = append(all, fmt.Sprintf("%s (%s)", why, strings.Join(of[why], ", ")))
	}
	t.Have = strings.Join(all, "; ")
	return t
}

// noPFC returns the reason why a port has no flow control by priority for the class; empty: it has, or it is not known.
func (p Port) noPFC(priority int) string {
	n := p.Shots.Nic(p.Port)
	if n == nil {
		return ""
	}
	soft := ""
	for _, d := range p.Shots.After.RDMA {
		for _, port := range d.Ports {
			if port.Interface.Or("") == p.Port && d.PCI == "" && strings.HasPrefix(d.Name, "rxe") {
				soft = ", and soft RoCE on it changes nothing in that"
			}
		}
	}
	switch {
	case n.Kind == "veth":
		return "a veth has no PFC" + soft
	case judge.IsVirtual[n.Driver.Or("")]:
		return fmt.Sprintf("a virtual NIC (%s) has no PFC%s", n.Driver.Or(""), soft)
	}
	if n.Effect == nil {
		return ""
	}
	if most, ok := n.Effect.Capacity.Get(); ok && most == 0 {
		return "the NIC can have PFC for no priority" + soft
	}
	if on, why := n.Effect.PFC(); why == "" && !slices.Contains(on, priority) {
		return fmt.Sprintf("PFC is off for priority %d%s", priority, soft)
	}
	return ""
}

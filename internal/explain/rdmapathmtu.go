package explain

import (
	"fmt"
	"strings"

	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

// rdmaPathMTU: RDMA over Ethernet cuts its messages into the largest packets that fit the interface's MTU, of 256 to 4096 bytes. Where an
// end's MTU is below the plan's, all packets are small, and more of the wire is headers. Ends that differ are refused before anything is measured.
var rdmaPathMTU = Cause{
	ID: "rdma-path-mtu", Title: "the size of RDMA's packets", Transport: "rdma",
	Test: func(c *Case) *Match {
		have, want := c.pathMTU(), c.plannedPathMTU()
		if have <= 0 || want <= have || c.Exp.Settings["path_mtu"] != "" || c.Ceiling <= 0 {
			return nil
		}
		side := c.smallerMTU()
		if side == nil {
			return nil
		}
		nic := side.NIC()
		better := c.withPathMTU(want)
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: MTU of %s", side.Host, nic.Name),
			Sentence: fmt.Sprintf("%s is held back by the size of its packets: RDMA sends %d bytes in each, because %s of %s has MTU %d, and with the planned MTU it would be %d.",
				c.subject(), have, nic.Name, side.Host, nic.MTU, want),
			Evidence: []record.Evidence{
				{Host: c.Sender.Host, Source: "ibv_query_port", Counter: "path MTU", After: ptr(float64(have)), Unit: "bytes", Text: fmt.Sprintf("the queue pairs have a path MTU of %d", have)}},
			NextCeiling: c.nextCeiling("") + fmt.Sprintf("; with packets of %d bytes %s", want, rate(better)),
		}
		c.mtuSteps(m)
		if d, near := closes(c.Goodput, c.Ceiling); near {
			m.Strength = Proved
			m.Identity = &record.Identity{Left: "goodput " + rate(c.Goodput), Right: fmt.Sprintf("ceiling at path MTU %d: %s", have, rate(c.Ceiling)), Difference: d}
		}
		return m
	},
	Fails: func(c *Case) *Match {
		if c.Exp.Settings["path_mtu"] != "" {
			return nil
		}
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		if a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 || ceiling.PathMTUFor(a.MTU) == ceiling.PathMTUFor(b.MTU) {
			return nil
		}
		side := c.smallerMTU()
		if side == nil {
			return nil
		}
		other := c.Sender
		if side.Host == c.Sender.Host {
			other = c.Receiver
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: MTU of %s", side.Host, side.NIC().Name),
			Sentence: fmt.Sprintf("%s was not measured: packets of RDMA are as large as an interface's MTU allows, which is %d bytes at %s and %d at %s, and what is larger than the smaller is lost without a word.",
				c.subject(), ceiling.PathMTUFor(side.NIC().MTU), side.Host, ceiling.PathMTUFor(other.NIC().MTU), other.Host),
			NextCeiling: "not known",
		}
		c.mtuSteps(m)
		m.Evidence = append(m.Evidence, record.Evidence{Host: other.Host, Source: "ip link", Counter: "mtu", After: ptr(float64(other.NIC().MTU)), Unit: "bytes", Text: fmt.Sprintf("%s of %s has MTU %d", other.NIC().Name, other.Host, other.NIC().MTU)})
		var active [2]float64
		for i, s := range []Side{*side, other} {
			device, port := c.rdmaDevice(s, s.Shots.After)
			if port == nil || !port.ActiveMTU.IsKnown() {
				continue
			}
			active[i] = float64(port.ActiveMTU.Or(0))
			m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "ibv_devinfo", Counter: "active_mtu", After: &active[i], Unit: "bytes", Text: fmt.Sprintf("%s has %.0f bytes in effect", device, active[i])})
		}
		// That the ends were not connected for that reason is what the program says of it.
		if active[0] > 0 && active[1] > 0 && active[0] != active[1] || strings.Contains(c.Exp.Failed, "the path MTU of ") {
			m.Strength = Likely
		}
		return m
	},
}

// plannedPathMTU is what the planned MTU of both ends allows over Ethernet; 0: not known, or no Ethernet.
func (c *Case) plannedPathMTU() int {
	if link := c.rdmaLink(); link != "rocev1" && link != "rocev2" || c.Sender.Port == nil || c.Receiver.Port == nil {
		return 0
	}
	return int(ceiling.PathMTUFor(min(c.Sender.Port.MTU, c.Receiver.Port.MTU)))
}

// smallerMTU is the end whose interface has the smaller MTU, of which one is below the plan's; nil: none is, or it is not known.
func (c *Case) smallerMTU() *Side {
	var found *Side
	for _, s := range []*Side{&c.Receiver, &c.Sender} {
		nic := s.NIC()
		if nic == nil || nic.MTU <= 0 || s.Port.MTU <= 0 || nic.MTU >= s.Port.MTU {
			continue
		}
		if found == nil || nic.MTU < found.NIC().MTU {
			found = s
		}
	}
	return found
}

// mtuSteps adds the MTU of each end that is below the plan's, and how to set it.
func (c *Case) mtuSteps(m *Match) {
	var fix, undo []string
	for _, s := range []Side{c.Receiver, c.Sender} {
		nic := s.NIC()
		if nic == nil || s.Port.MTU <= 0 || nic.MTU >= s.Port.MTU {
			continue
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "ip link", Counter: "mtu", After: ptr(float64(nic.MTU)), Unit: "bytes", Text: fmt.Sprintf("%s of %s has MTU %d, planned are %d", nic.Name, s.Host, nic.MTU, s.Port.MTU)})
		fix = append(fix, fmt.Sprintf("on %s: ip link set dev %s mtu %d", s.Host, nic.Name, s.Port.MTU))
		undo = append(undo, fmt.Sprintf("on %s: ip link set dev %s mtu %d", s.Host, nic.Name, nic.MTU))
	}
	m.Fix, m.Undo = strings.Join(fix, "\n"), strings.Join(undo, "\n")
}

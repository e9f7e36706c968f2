package rdma

import (
	"fmt"
	"strings"

	"linerate/internal/design/ceiling"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// SmallPathMTU is the cause where an end's MTU is below the planned one. RDMA over Ethernet then uses smaller packets,
// the largest of 256 to 4096 bytes that fit the interface's MTU, and more of the link carries headers. Ends with
// different sizes are refused before anything is measured.
var SmallPathMTU = judge.Cause{
	ID: "rdma-path-mtu", Title: "the size of RDMA's packets", Applies: judge.RDMA,
	Test: func(c *judge.Case) *judge.Match {
		have, want := PathMTU(c), plannedPathMTU(c)
		if have <= 0 || want <= have || c.Exp.Settings["path_mtu"] != "" || c.Ceiling <= 0 {
			return nil
		}
		side := smallerMTU(c)
		if side == nil {
			return nil
		}
		nic := side.NIC()
		better := WithPathMTU(c, want)
		m := c.Candidate(fmt.Sprintf("%s: MTU of %s", side.Host, nic.Name), "is held back by the size of its packets. "+
			"RDMA sends %d bytes in each, because %s of %s has MTU %d. With the planned MTU it would be "+
			"%d.", have, nic.Name,
			side.Host, nic.MTU, want)
		m.Add(judge.Reading(c.Sender.Host, "ibv_query_port", "path MTU", float64(have), "bytes", "the queue pairs have a "+
			"path MTU of %d", have))
		m.NextCeiling = c.NextCeiling("") + fmt.Sprintf("; with packets of %d bytes %s", want, judge.Rate(better))
		mtuSteps(c, m)
		m.Proves(c.Goodput, c.Ceiling, "goodput "+judge.Rate(c.Goodput), fmt.Sprintf("ceiling at path MTU %d: %s", have,
			judge.Rate(c.Ceiling)))
		return m
	},
	Fails: func(c *judge.Case) *judge.Match {
		if c.Exp.Settings["path_mtu"] != "" {
			return nil
		}
		a, b := c.Sender.NIC(), c.Receiver.NIC()
		if a == nil || b == nil || a.MTU <= 0 || b.MTU <= 0 || ceiling.PathMTUFor(a.MTU) == ceiling.PathMTUFor(b.MTU) {
			return nil
		}
		side := smallerMTU(c)
		if side == nil {
			return nil
		}
		other := c.Sender
		if side.Host == c.Sender.Host {
			other = c.Receiver
		}
		m := c.Candidate(fmt.Sprintf("%s: MTU of %s", side.Host, side.NIC().Name), "was not measured. Packets of RDMA "+
			"are as large as an interface's MTU allows, which is %d bytes at %s and %d at %s. What is larger than the "+
			"smaller is lost without a word.",
			ceiling.PathMTUFor(side.NIC().MTU), side.Host, ceiling.PathMTUFor(other.NIC().MTU), other.Host)
		m.NextCeiling = "not known"
		mtuSteps(c, m)
		m.Add(judge.Reading(other.Host, "ip link", "mtu", float64(other.NIC().MTU), "bytes", "%s of %s has MTU %d",
			other.NIC().Name, other.Host, other.NIC().MTU))
		var active [2]float64
		for i, s := range []judge.Side{*side, other} {
			device, port := rdmaDevice(c, s, s.Shots.After)
			if port == nil || !port.ActiveMTU.IsKnown() {
				continue
			}
			active[i] = float64(port.ActiveMTU.Or(0))
			m.Add(record.Evidence{Host: s.Host, Source: "ibv_devinfo", Counter: "active_mtu", After: &active[i], Unit: "bytes",
				Text: fmt.Sprintf("%s has %.0f bytes in effect", device, active[i])})
		}
		// The program's error says that the ends did not connect for that reason.
		if active[0] > 0 && active[1] > 0 && active[0] != active[1] || strings.Contains(c.Exp.Failed, "the path MTU of ") {
			m.Strength = judge.Likely
		}
		return m
	},
}

// plannedPathMTU returns the path MTU that the planned MTU of both ends allows over Ethernet; 0: not known, or not
// Ethernet.
func plannedPathMTU(c *judge.Case) int {
	if link := Link(c); link != "rocev1" && link != "rocev2" || c.Sender.Port == nil || c.Receiver.Port == nil {
		return 0
	}
	return int(ceiling.PathMTUFor(min(c.Sender.Port.MTU, c.Receiver.Port.MTU)))
}

// smallerMTU returns the end with the smaller MTU, if it is below the planned one; nil: it is not, or it is not known.
func smallerMTU(c *judge.Case) *judge.Side {
	var found *judge.Side
	for _, s := range []*judge.Side{&c.Receiver, &c.Sender} {
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

// mtuSteps adds the MTU of each end that is below the plan's, and the command that sets it.
func mtuSteps(c *judge.Case, m *judge.Match) {
	var fix, undo []string
	for _, s := range []judge.Side{c.Receiver, c.Sender} {
		nic := s.NIC()
		if nic == nil || s.Port.MTU <= 0 || nic.MTU >= s.Port.MTU {
			continue
		}
		m.Add(judge.Reading(s.Host, "ip link", "mtu", float64(nic.MTU), "bytes", "%s of %s has MTU %d, planned are %d",
			nic.Name, s.Host, nic.MTU, s.Port.MTU))
		fix = append(fix, fmt.Sprintf("on %s: ip link set dev %s mtu %d", s.Host, nic.Name, s.Port.MTU))
		undo = append(undo, fmt.Sprintf("on %s: ip link set dev %s mtu %d", s.Host, nic.Name, nic.MTU))
	}
	m.Fix, m.Undo = strings.Join(fix, "\n"), strings.Join(undo, "\n")
}

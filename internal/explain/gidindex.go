package explain

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// gidIndex: RoCE addresses a port by an entry of its table of GIDs, which has a type (RoCE v1 or v2) and follows from the addresses of the
// interface. Without the one of the planned address and type no queue pair is made.
var gidIndex = Cause{
	ID: "gid-index", Title: "no GID of the planned address and type", Transport: "rdma",
	Fails: func(c *Case) *Match {
		for _, side := range []Side{c.Receiver, c.Sender} {
			if m := c.withoutGID(side); m != nil {
				return m
			}
		}
		return nil
	},
}

// withoutGID is what is wrong with the table of GIDs of an end; nil: nothing, or it is not known.
func (c *Case) withoutGID(side Side) *Match {
	if side.Shots.After == nil || side.Port == nil || !side.Port.Address.IsValid() {
		return nil
	}
	wanted := wantedRDMA(c)
	if wanted == "ib" || wanted == "iwarp" {
		return nil
	}
	device, port := c.rdmaDevice(side, side.Shots.After)
	if port == nil || port.LinkLayer.Or("Ethernet") != "Ethernet" || port.GIDs == nil {
		return nil
	}
	address, kind := side.Port.Address.Addr(), "RoCE v2"
	if wanted == "rocev1" {
		kind = "IB/RoCE v1"
	}
	var others []facts.GID
	for _, g := range port.GIDs {
		if g.GID.Unmap() != address.Unmap() {
			continue
		}
		if g.Type.Or(kind) == kind {
			return nil
		}
		others = append(others, g)
	}
	nic := side.Port.Interface
	m := &Match{Strength: Candidate, Component: fmt.Sprintf("%s: GIDs of %s", side.Host, device), NextCeiling: "not known"}
	table := record.Evidence{Host: side.Host, Source: "gids and gid_attrs/types of " + device, Counter: "gid", After: ptr(float64(len(port.GIDs)))}
	var list []string
	for _, g := range port.GIDs {
		list = append(list, fmt.Sprintf("%d %s (%s)", g.Index, g.GID.Unmap(), g.Type.Or("type not known")))
	}
	table.Text = fmt.Sprintf("%s has %s, and none of %s with type %s", device, cmp.Or(strings.Join(list, ", "), "no GID"), address, kind)
	m.Evidence = append(m.Evidence, table)
	if len(others) > 0 {
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has %s as %s alone, and %s is asked for.", c.subject(), device, side.Host, address, others[0].Type.Or(""), kind)
		m.Fix = fmt.Sprintf("%s at both ends: in the fabric file rdma: %s of the card, or transport: %[2]s of the experiment\na card that speaks %s, with its mode set to that (cma_roce_mode -d %s -p 1 -m %d)",
			strings.TrimPrefix(others[0].Type.Or(""), "IB/"), map[bool]string{true: "rocev1", false: "rocev2"}[kind == "RoCE v2"], strings.TrimPrefix(kind, "IB/"), device, map[bool]int{true: 2, false: 1}[kind == "RoCE v2"])
		m.Undo = nothingSet
		// The other end of the same experiment says what it was asked for: the type is of both.
		if strings.Contains(c.Exp.Failed, "no GID of type") {
			m.Strength = Likely
			m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "opening " + device, Counter: "gid type", After: ptr(0), Text: "no queue pair was made: there was no GID of type " + kind})
		}
		return m
	}
	at, known := addressOn(side.Shots.After, address)
	if !known {
		return m.without(c, device, side, kind)
	}
	m.Strength = Likely
	prefix := side.Port.Address.String()
	switch {
	case at == "":
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s, because no interface of the host has that address.", c.subject(), device, side.Host, address)
		m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "ip address", Counter: "address", After: ptr(0), Text: "no interface has " + address.String()})
		m.Fix, m.Undo = fmt.Sprintf("ip address add %s dev %s", prefix, nic), fmt.Sprintf("ip address del %s dev %s", prefix, nic)
	case at == nic:
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s, although %s has that address.", c.subject(), device, side.Host, address, nic)
		m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "ip address", Counter: "address", After: ptr(1), Text: fmt.Sprintf("%s has %s", nic, address)})
		m.Fix = fmt.Sprintf("ip address del %[1]s dev %[2]s && ip address add %[1]s dev %[2]s\nthe entry follows from the address; if it does not, the driver's log says why (dmesg)", prefix, nic)
		m.Undo = nothingSet
	default:
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s, because the address is on %s and not on %s, which the device works over.", c.subject(), device, side.Host, address, at, nic)
		m.Evidence = append(m.Evidence, record.Evidence{Host: side.Host, Source: "ip address", Counter: "address", After: ptr(1), Text: fmt.Sprintf("%s is on %s", address, at)})
		bits := side.Port.Address.Bits()
		for _, n := range side.Shots.After.NICs {
			for _, a := range n.Addresses {
				if n.Name == at && a.Addr().Unmap() == address.Unmap() {
					bits = a.Bits()
				}
			}
		}
		was := netip.PrefixFrom(address, bits)
		m.Fix = fmt.Sprintf("ip address del %s dev %s && ip address add %s dev %s", was, at, prefix, nic)
		m.Undo = fmt.Sprintf("ip address del %s dev %s && ip address add %s dev %s", prefix, nic, was, at)
	}
	return m
}

// without is the match of a table without an entry of the address, where it is not known which interface has it.
func (m *Match) without(c *Case, device string, side Side, kind string) *Match {
	address := side.Port.Address
	m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s with type %s.", c.subject(), device, side.Host, address.Addr(), kind)
	m.Fix, m.Undo = fmt.Sprintf("ip address add %s dev %s", address, side.Port.Interface), fmt.Sprintf("ip address del %s dev %s", address, side.Port.Interface)
	return m
}

// addressOn is the interface that has an address; empty: none has it. known is false where the capture does not say.
func addressOn(f *facts.Facts, address netip.Addr) (name string, known bool) {
	for _, n := range f.NICs {
		for _, a := range n.Addresses {
			known = true
			if a.Addr().Unmap() == address.Unmap() {
				return n.Name, true
			}
		}
	}
	return "", known
}

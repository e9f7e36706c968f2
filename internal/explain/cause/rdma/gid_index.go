package rdma

import (
	"cmp"
	"fmt"
	"net/netip"
	"strings"

	"linerate/internal/base/unit"

	"linerate/internal/explain/judge"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// GIDIndex is the cause where a port's GID table has no entry for the planned address and type, without which no queue
// pair opens. Each entry has a type (RoCE v1 or v2) and is made from an address of the interface.
var GIDIndex = judge.Cause{
	ID: "gid-index", Title: "no GID of the planned address and type", Applies: judge.RDMA,
	Fails: func(c *judge.Case) *judge.Match {
		for _, side := range []judge.Side{c.Receiver, c.Sender} {
			if m := withoutGID(c, side); m != nil {
				return m
			}
		}
		return nil
	},
}

// withoutGID returns the fault of an end's GID table; nil: there is none, or it is not known.
func withoutGID(c *judge.Case, side judge.Side) *judge.Match {
	if side.Shots.After == nil || side.Port == nil || !side.Port.Address.IsValid() {
		return nil
	}
	wanted := wantedRDMA(c)
	if wanted == "ib" || wanted == "iwarp" {
		return nil
	}
	device, port := rdmaDevice(c, side, side.Shots.After)
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
	m := &judge.Match{Strength: judge.Candidate, Component: fmt.Sprintf("%s: GIDs of %s", side.Host, device),
		NextCeiling: "not known"}
	table := record.Evidence{Host: side.Host, Source: "gids and gid_attrs/types of " + device, Counter: "gid",
		After: new(float64(len(port.GIDs)))}
	var list []string
	for _, g := range port.GIDs {
		list = append(list, fmt.Sprintf("%d %s (%s)", g.Index, g.GID.Unmap(), g.Type.Or("type not known")))
	}
	table.Text = fmt.Sprintf("%s has %s, and none of %s with type %s", device, cmp.Or(strings.Join(list, ", "), "no GID"),
		address, kind)
	m.Add(table)
	if len(others) > 0 {
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has %s as %s alone, and %s is asked for.", c.Subject(),
			device, side.Host, address, others[0].Type.Or(""), kind)
		m.Fix = fmt.Sprintf("%s at both ends: in the fabric file rdma: %s of the NIC, or transport: %[2]s of the "+
			"experiment\na NIC that speaks %s, with its mode set to that (cma_roce_mode -d %s -p 1 -m %d)",
			strings.TrimPrefix(others[0].Type.Or(""), "IB/"), unit.If(kind == "RoCE v2", "rocev1", "rocev2"),
			strings.TrimPrefix(kind, "IB/"), device,
			unit.If(kind == "RoCE v2", 2, 1))
		m.Undo = judge.NoSettingChanged
		// The error of the other end has the requested type, which is the same for both.
		if strings.Contains(c.Exp.Failed, "no GID of type") {
			m.Likely(record.Evidence{Host: side.Host, Source: "opening " + device, Counter: "gid type", After: new(0.0),
				Text: "no queue pair was made: there was no GID of type " + kind})
		}
		return m
	}
	at, known := addressOn(side.Shots.After, address)
	if !known {
		return without(m, c, device, side, kind)
	}
	m.Strength = judge.Likely
	prefix := side.Port.Address.String()
	switch {
	case at == "":
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s, because no interface of the host has "+
			"that address.", c.Subject(), device, side.Host, address)
		m.Add(record.Evidence{Host: side.Host, Source: "ip address", Counter: "address", After: new(0.0),
			Text: "no interface has " + address.String()})
		m.Fix, m.Undo = fmt.Sprintf("ip address add %s dev %s", prefix, nic),
			fmt.Sprintf("ip address del %s dev %s", prefix, nic)
	case at == nic:
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s, although %s has that address.", c.Subject(),
			device, side.Host, address, nic)
		m.Add(record.Evidence{Host: side.Host, Source: "ip address", Counter: "address", After: new(1.0),
			Text: fmt.Sprintf("%s has %s", nic, address)})
		m.Fix = fmt.Sprintf("ip address del %[1]s dev %[2]s && ip address add %[1]s dev %[2]s\nthe entry follows from the "+
			"address; if it does not, the driver's log says why (dmesg)", prefix, nic)
		m.Undo = judge.NoSettingChanged
	default:
		m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s, because the address is on %s and not on "+
			"%s, which the device works over.", c.Subject(), device, side.Host, address, at, nic)
		m.Add(record.Evidence{Host: side.Host, Source: "ip address", Counter: "address", After: new(1.0),
			Text: fmt.Sprintf("%s is on %s", address, at)})
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

// without returns the match for a table without an entry for the address, where the interface of the address is not
// known.
func without(m *judge.Match, c *judge.Case, device string, side judge.Side, kind string) *judge.Match {
	address := side.Port.Address
	m.Sentence = fmt.Sprintf("%s was not measured: %s of %s has no GID of %s with type %s.", c.Subject(), device,
		side.Host, address.Addr(), kind)
	m.Fix, m.Undo = fmt.Sprintf("ip address add %s dev %s", address, side.Port.Interface),
		fmt.Sprintf("ip address del %s dev %s", address, side.Port.Interface)
	return m
}

// addressOn returns the interface that has an address; empty: none has it. known is false where the snapshot does not
// have the addresses.
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

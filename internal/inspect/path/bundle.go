package path

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// Streams is the kind of the hop for connections over a bond, each of which uses one member.
const Streams = "streams"

// bundle adds the cables of a bond: the sum of the members in use, and, where there are fewer connections than members,
// what these connections get. A bond that spreads gives each connection one member (plan.Bundle.Spreads); a backup uses
// one member at a time.
func (b *builder) bundle(of *plan.Bundle, ends ...end) {
	component, member := "bond "+of.Name, of.Member()
	if member == 0 {
		b.unknown("cable", component, "neither the file nor the catalogue says the speed of its members")
		return
	}
	n, origin, each := b.members(of, ends)
	one, err := b.goodput(b.scaled(member))
	if err != nil {
		b.unknown("cable", component, err.Error())
		return
	}
	one = b.ofWire(one, "planned rate of a member", b.origin())
	all := one.Times(record.MembersInUse, n, origin)
	if n > 1 && !each {
		all.Formula += ", each stream on one of them"
	}
	b.add("cable", component, record.LayerWire, all, nil)
	if k := b.c.Streams; k > 0 && k < n && !each {
		b.add(Streams, fmt.Sprintf("%s over %s, each on one member", unit.Counted(k, "stream"), component), record.LayerWire,
			one.Times("streams", k, record.Declared), nil)
	}
}

// members returns the number of a bond's cables in use: those that both ends report, or else those of the plan. each
// reports whether the packets of one connection use all of them.
func (b *builder) members(of *plan.Bundle, ends []end) (n int, origin record.Origin, each bool) {
	n, origin = len(of.Links), b.origin()
	if !of.Spreads() {
		return 1, origin, false
	}
	for _, e := range ends {
		nic := e.nic()
		if nic == nil || !of.Joins(e.port) {
			continue
		}
		used := n
		switch {
		case nic.Bond != nil:
			used, each = 0, each || nic.Bond.PerPacket()
			for _, m := range nic.Bond.Members {
				if nic.Bond.Carries(m) {
					used++
				}
			}
		case b.c.Lab:
			used = 1 // a kernel without bonding: a bridge over the first member stands for the bond
		}
		if used < n {
			n, origin = max(used, 1), record.Measured
		}
	}
	return n, origin, each
}

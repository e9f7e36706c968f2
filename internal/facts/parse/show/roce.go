package show

import (
	"maps"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Blocks returns the default maps of NVIDIA's switches: eight code points per priority, and each priority of a tag to
// its own.
func Blocks() (dscp, pcp map[int]int) {
	dscp, pcp = map[int]int{}, map[int]int{}
	for p := range 64 {
		dscp[p] = p / 8
	}
	for p := range 8 {
		pcp[p] = p
	}
	return dscp, pcp
}

// Bound converts maps to switch priorities into maps to the traffic classes of these priorities.
func Bound(to map[int]int, priorities map[int]int) map[int]int {
	out := maps.Clone(to)
	for from, priority := range out {
		if class, ok := priorities[priority]; ok {
			out[from] = class
		}
	}
	return out
}

// RoCEMode returns what a RoCE mode of NVIDIA's switches sets on all ports: priority 3, lossless or not, with half of
// the link, 6 first, and the rest with the other half. Source: the manual of Onyx 3.10, "RoCE Commands"; the guide of
// Cumulus Linux 5.15, "RoCE".
func RoCEMode(lossless bool) *facts.Classes {
	dscp, pcp := Blocks()
	c := &facts.Classes{Priorities: map[int]int{0: 0, 1: 0, 2: 0, 3: 3, 4: 0, 5: 0, 6: 6, 7: 0}}
	c.DSCP, c.PCP = Bound(dscp, c.Priorities), Bound(pcp, c.Priorities)
	list := []int{}
	if lossless {
		list = []int{3}
	}
	c.PFCReceive, c.PFCSend = unit.Known(list), unit.Known(list)
	c.Queues = map[int]facts.Queue{
		0: {Strict: unit.Known(false), Weight: unit.Known(50.0), ECN: unit.Known(false)},
		3: {Strict: unit.Known(false), Weight: unit.Known(50.0), ECN: unit.Known(true), Min: unit.Known(unit.Bytes(150e3)),
			Max: unit.Known(unit.Bytes(1500e3))},
		6: {Strict: unit.Known(true), ECN: unit.Known(false)},
	}
	return c
}

// KeepForAll records settings that a switch has once for all ports.
func KeepForAll(f *parse.Builder, c *facts.Classes) { StateOf(f).all = c }

// settleAll copies them to each port without its own.
func settleAll(f *parse.Builder) {
	all := StateOf(f).all
	StateOf(f).all = nil
	if all == nil {
		return
	}
	f.Switch.Effect = all
	for i := range f.NICs {
		n := &f.NICs[i]
		if n.Kind != "" || strings.HasPrefix(n.Name, "mgmt") || n.Name == "eth0" || n.Name == "lo" {
			continue
		}
		Under(parse.Effect(n), all)
	}
}

// Under copies the settings of all ports that are unknown for this one.
func Under(c *facts.Classes, all *facts.Classes) {
	under := func(o *unit.Opt[bool], v unit.Opt[bool]) {
		if !o.IsKnown() {
			*o = v
		}
	}
	if !c.Trust.IsKnown() {
		c.Trust = all.Trust
	}
	if !c.PFCReceive.IsKnown() {
		c.PFCReceive = all.PFCReceive
	}
	if !c.PFCSend.IsKnown() {
		c.PFCSend = all.PFCSend
	}
	under(&c.DCBX, all.DCBX)
	under(&c.Watchdog, all.Watchdog)
	if c.DSCP == nil {
		c.DSCP = maps.Clone(all.DSCP)
	}
	if c.PCP == nil {
		c.PCP = maps.Clone(all.PCP)
	}
	if c.Priorities == nil {
		c.Priorities = maps.Clone(all.Priorities)
	}
	if c.Cable == (unit.Opt[float64]{}) {
		c.Cable = all.Cable
	}
	for class, q := range all.Queues {
		c.SetQueue(class, func(have *facts.Queue) {
			under(&have.Strict, q.Strict)
			under(&have.ECN, q.ECN)
			under(&have.WRED, q.WRED)
			if !have.Weight.IsKnown() && !have.Strict.Or(false) {
				have.Weight = q.Weight
			}
			if !have.Min.IsKnown() {
				have.Min = q.Min
			}
			if !have.Max.IsKnown() {
				have.Max = q.Max
			}
		})
	}
	for aspect, p := range all.Proofs {
		c.Proves(aspect, p)
	}
}

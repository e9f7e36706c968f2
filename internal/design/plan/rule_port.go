package plan

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleBreakout = Rule{
	ID:    "breakout",
	Title: "lanes of a port that is split",
	Why: "a port is split into its lanes by a setting of the switch and a cable with several plugs; each lane has " +
		"its share of the port's rate",
	Worst: record.Error,
	check: func(c *checkup) {
		lanes := map[string]Link{}
		for i, l := range c.p.Links {
			subject, line := "link "+l.Name, c.f.Links[i].At.Line
			plugs := 0
			if l.Cable != nil && l.Cable.Cable != nil {
				plugs = len(l.Cable.Cable.Ends)
			}
			split := false
			for _, s := range c.sides[i] {
				if s.lane == 0 {
					continue
				}
				split = true
				c.lane(s, plugs, subject, line)
				port := fmt.Sprintf("%s.%d", s.sw.Name, s.port.Index)
				if first, ok := lanes[port]; ok && first.Speed != l.Speed && first.Speed > 0 && l.Speed > 0 {
					c.warn("switch port "+port, line, "give all of its lanes one rate",
						"its lanes run at %s and at %s; most switches set the rate of a split port for all of its lanes", first.Speed,
						l.Speed)
				} else if !ok {
					lanes[port] = *l
				}
			}
			if plugs > 2 && !split {
				c.warn(subject, line, "write the switch's port as SWITCH.PORT/LANE, one link for each lane",
					"%s has %d plugs, and the link uses whole ports; NICs and unsplit ports drive only one of its lanes, or none",
					l.Cable.Name, plugs)
			}
		}
	},
}

// lane checks one lane of a switch's port.
func (c *checkup) lane(s side, plugs int, subject string, line int) {
	has := 0
	if s.port.Cage.Rate() > 0 {
		has = s.port.Cage.Lanes()
	}
	switch {
	case has > 0 && s.lane > has:
		c.fail(subject, line, "use a lane that is there",
			"%s is lane %d, and a port with a %s cage has %s", s.id, s.lane, s.port.Cage, unit.Counted(has, "lane"))
	case plugs == 2:
		c.fail(subject, line, "take a breakout cable, or write the whole port",
			"%s is one lane of a port, and the cable has two plugs: it takes the whole port", s.id)
	case plugs > 2 && s.lane > plugs-1:
		c.fail(subject, line, "use a lane that the cable has",
			"%s is lane %d, and the cable splits into %d", s.id, s.lane, plugs-1)
	}
	if s.part != nil && s.port.Lanes == 0 && has != 1 {
		c.info("part "+s.part.Name, line,
			"look into its manual: some split every port, some only every second one, at the cost of its neighbour",
			"whether it splits a port into lanes is not known, because no source of the catalogue says so")
	}
}

var rulePorts = Rule{
	ID:    "ports",
	Title: "ports that are left",
	Why:   "who adds a host next year needs a port for it at the other end",
	Worst: record.Info,
	check: func(c *checkup) {
		for _, s := range c.p.Switches {
			if s.Part == nil {
				c.info("switch "+s.Name, s.Decl.At.Line, "write part: .. at the switch",
					"how many ports it has is not known, because the file does not say which switch it is")
				continue
			}
			if s.Part.Ports == nil {
				c.info("part "+s.Part.Name, s.Decl.At.Line, "count them in its data sheet before buying",
					"how many ports it has is not known, because no source of the catalogue says so")
				continue
			}
			used, fast := map[int]bool{}, 0
			for _, p := range s.Ports {
				used[p.Index] = true
			}
			free := 0
			for _, p := range s.Part.Ports {
				if portSpeed0(s.Part, p) < portSpeed0(s.Part, catalog.Port{}) {
					continue // management and service ports
				}
				if fast++; !used[p.Index] {
					free++
				}
			}
			if free == 0 && fast > 0 {
				c.info("switch "+s.Name, s.Decl.At.Line, "take a larger switch if more is to come",
					"all %s of its fastest kind are in use; there is none for another host", unit.Counted(fast, "port"))
			}
		}
	},
}

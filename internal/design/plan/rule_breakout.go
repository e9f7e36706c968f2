package plan

import (
	"fmt"
	"linerate/internal/record"
)

var ruleBreakout = Rule{
	ID:    "breakout",
	Title: "lanes of a port that is split",
	Why:   "a port is split into its lanes by a setting of the switch and a cable with several plugs; each lane has its share of the port's rate",
	Worst: record.Error,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
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
				out = append(out, lane(s, plugs, subject, line)...)
				port := fmt.Sprintf("%s.%d", s.sw.Name, s.port.Index)
				if first, ok := lanes[port]; ok && first.Speed != l.Speed && first.Speed > 0 && l.Speed > 0 {
					out = append(out, said(record.Warning, "switch port "+port, line, "give all of its lanes one rate",
						"its lanes run at %s and at %s; most switches set the rate of a split port for all of its lanes", first.Speed, l.Speed))
				} else if !ok {
					lanes[port] = *l
				}
			}
			if plugs > 2 && !split {
				out = append(out, said(record.Warning, subject, line, "write the switch's port as SWITCH.PORT/LANE, one link for each lane",
					"%s has %d plugs, and the link uses whole ports; cards and unsplit ports drive only one of its lanes, or none", l.Cable.Name, plugs))
			}
		}
		return out
	},
}

// lane looks at one lane of a switch's port.
func lane(s side, plugs int, subject string, line int) []record.Problem {
	var out []record.Problem
	has := 0
	if s.port.Cage.Rate() > 0 {
		has = s.port.Cage.Lanes()
	}
	switch {
	case has > 0 && s.lane > has:
		out = append(out, said(record.Error, subject, line, "use a lane that is there", "%s is lane %d, and a port with a %s cage has %s", s.id, s.lane, s.port.Cage, counted(has, "lane")))
	case plugs == 2:
		out = append(out, said(record.Error, subject, line, "take a breakout cable, or write the whole port",
			"%s is one lane of a port, and the cable has two plugs: it takes the whole port", s.id))
	case plugs > 2 && s.lane > plugs-1:
		out = append(out, said(record.Error, subject, line, "use a lane that the cable has", "%s is lane %d, and the cable splits into %d", s.id, s.lane, plugs-1))
	}
	if s.part != nil && s.port.Lanes == 0 && has != 1 {
		out = append(out, said(record.Info, "part "+s.part.Name, line, "look into its manual: some split every port, some only every second one, at the cost of its neighbour",
			"whether it splits a port into lanes is not known, because no source of the catalogue says so"))
	}
	return out
}

// counted prints a number with its noun: 1 lane, 4 lanes.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

package plan

import (
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleCage = Rule{
	ID:    "cage",
	Title: "cage against connector",
	Why:   "a plug that does not go into its cage is money lost; what surely does not fit is refused when the file is read",
	Worst: record.Info,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for i, l := range c.p.Links {
			line := c.f.Links[i].At.Line
			if l.Cable == nil {
				out = append(out, said(record.Info, "link "+l.Name, line, "write cable: {part: ..} at the link",
					"the file names no cable, so that its plugs, its reach and its price are not looked at"))
				continue
			}
			ends := l.Cable.Cable
			if ends == nil || len(ends.Ends) == 0 {
				out = append(out, said(record.Info, "part "+l.Cable.Name, line, "look at its plugs before buying",
					"which plugs it has is not known, %s", because(l.Cable)))
				continue
			}
			for e, s := range c.sides[i] {
				if s.part == nil || s.port.Cage != "" {
					continue
				}
				plug := ends.Ends[0]
				if e == 1 {
					plug = ends.Ends[len(ends.Ends)-1]
				}
				out = append(out, said(record.Info, "part "+s.part.Name, line, "look at the cage before buying the cable",
					"whether a plug for %s goes into it is not known, %s", cageText(plug), because(s.part)))
			}
		}
		return out
	},
}

func cageText(c catalog.Cage) string {
	if c == "" {
		return "an unknown cage"
	}
	return string(c)
}

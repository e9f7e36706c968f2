package plan

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleSpeed = Rule{
	ID:    "speed",
	Title: "a speed that both ends and the cable share",
	Why:   "a port runs only at rates that it was made for; two ends without a common one see no link",
	Worst: record.Error,
	check: func(c *checkup) {
		for i, l := range c.p.Links {
			subject, line := "link "+l.Name, c.f.Links[i].At.Line
			if mixesModes(c.sides[i]) {
				c.fail(subject, line, "give both NICs the same mode: eth or ib",
					"one end speaks InfiniBand and the other Ethernet; no cable translates")
				continue
			}
			if l.InfiniBand || l.Speed == 0 {
				continue
			}
			if a, b := rates(c.sides[i][0]), rates(c.sides[i][1]); len(a) > 0 && len(b) > 0 && fastestCommon(a, b, 0) == 0 {
				c.warn(subject, line, "look into their data sheets, or choose NICs that share a rate",
					"%s is listed with %s and %s with %s: no source says that they have a rate in common", c.sides[i][0].part.Name,
					list(a), c.sides[i][1].part.Name, list(b))
				continue
			}
			var fastest [2]unit.BitRate
			for e, s := range c.sides[i] {
				fastest[e] = own(s)
				rates := rates(s)
				if len(rates) == 0 || slices.Contains(rates, l.Speed) {
					continue
				}
				c.warn(subject, line, "look into its data sheet, or choose parts that share a rate",
					"both ends and the cable would meet at %s, and %s is listed with %s: no source says that it runs at that",
					l.Speed, s.part.Name, list(rates))
			}
			if cable := cableSpeed(l.Cable); cable > 0 && cable < fastest[0] && cable < fastest[1] && !own56(cable, fastest) {
				c.info(subject, line, "take a faster cable if that is not meant",
					"the cable holds the link at %s; both ends could do %s", cable, min(fastest[0], fastest[1]))
			}
		}
	},
}

// mixesModes reports whether one end of a link is InfiniBand and the other Ethernet.
func mixesModes(sides [2]side) bool {
	var ib, eth int
	for _, s := range sides {
		switch {
		case s.nic == nil:
		case s.nic.Mode == "ib":
			ib++
		case s.nic.Mode == "eth":
			eth++
		case infiniBandOnly(s):
			ib++
		case s.part != nil && s.part.Confidence != catalog.Declared && len(s.part.Speeds) > 0 &&
			len(s.part.InfiniBand) == 0:
			eth++
		}
	}
	return ib == 1 && eth == 1
}

// rates returns the Ethernet rates of a NIC's port if its entry in the catalogue lists them all. The entries of
// switches name the fastest only.
func rates(s side) []unit.BitRate {
	if s.nic == nil || s.part == nil || s.part.Confidence == catalog.Declared || len(s.port.Speeds) < 1 {
		return nil
	}
	return slices.Sorted(slices.Values(s.port.Speeds))
}

// own returns the fastest rate of the side by itself; 0: not known.
func own(s side) unit.BitRate {
	switch {
	case s.nic != nil && s.nic.Speed > 0:
		return s.nic.Speed
	case s.nic == nil && s.lane > 0:
		return portSpeed0(s.part, s.port) / 4
	}
	return portSpeed0(s.part, s.port)
}

func portSpeed0(p *catalog.Part, port catalog.Port) unit.BitRate {
	if len(port.Speeds) > 0 {
		return slices.Max(port.Speeds)
	}
	if p == nil {
		return 0
	}
	return p.Fastest()
}

// own56 reports whether the ends are faster than the cable only by 56G, a rate of Mellanox that no 40G cable is made
// for.
func own56(cable unit.BitRate, fastest [2]unit.BitRate) bool {
	return cable == 40*unit.GigabitPerSecond && min(fastest[0], fastest[1]) == 56*unit.GigabitPerSecond
}

// fastestCommon returns the fastest rate in both lists that is not above limit (0: no limit); 0: none.
func fastestCommon(a, b []unit.BitRate, limit unit.BitRate) unit.BitRate {
	var best unit.BitRate
	for _, r := range a {
		if r > best && (limit == 0 || r <= limit) && slices.Contains(b, r) {
			best = r
		}
	}
	return best
}

func list(rates []unit.BitRate) string {
	out := xslices.Map(rates, unit.BitRate.String)
	return strings.Join(out, ", ")
}

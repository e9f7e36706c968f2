package plan

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleDistance = Rule{
	ID:    "cable-distance",
	Title: "longest distance of the cable at that speed",
	Why:   "a cable that is too long for its speed comes up with errors, or not at all",
	Worst: record.Error,
	check: func(c *checkup) {
		for i, l := range c.p.Links {
			if l.Cable == nil || l.Cable.Cable == nil {
				continue
			}
			info, subject, line := l.Cable.Cable, "link "+l.Name, c.f.Links[i].At.Line
			metres, known := l.LengthM.Get()
			if need := c.f.Links[i].Length; need > 0 {
				if own, ok := info.Length.Get(); ok && own < need {
					c.fail(subject, line, "take a longer cable", "the cable is %g m long, and its ends are %g m apart", own, need)
					continue
				}
				metres, known = max(need, metres), true
			}
			if !known {
				continue
			}
			if limit, ok := info.Distance.Get(); ok && metres > limit {
				c.warn(subject, line, "take one that is made for the length",
					"%s reaches %g m (its entry in the catalogue), and this is %g m", l.Cable.Name, limit, metres)
			}
			if info.Media == catalog.DAC && len(info.Ends) > 0 && !l.InfiniBand {
				c.copper(subject, line, l, metres)
			}
		}
	},
}

// copper checks that passive copper is not too long for the speed of its link.
func (c *checkup) copper(subject string, line int, l *Link, metres float64) {
	limit, ok := catalog.CopperAt(l.Cable.Cable.Ends[0], l.Speed)
	if !ok || metres <= limit.Doubtful {
		return
	}
	text := fmt.Sprintf("%g m of passive copper at %s: %s", metres, l.Speed, limit.Why)
	var claims []string
	severity, far := record.Warning, limit.Far
	for _, claim := range limit.Claims {
		from := "a source"
		switch claim.Source {
		case "recall":
			from = "general knowledge"
		case "mesh-10g":
			from = "the installation mesh-10g"
		case "gist_watts_a":
			from = "a table of the trade"
		}
		claims = append(claims, fmt.Sprintf("%s says %g m", from, claim.Metres))
		far = max(far, claim.Metres)
	}
	if len(claims) > 1 {
		text += "; the sources disagree: " + strings.Join(claims, ", ")
		if metres > far {
			severity = record.Error // longer than every source claims
		}
	}
	c.report(severity, subject, line,
		fmt.Sprintf("take %g m or less, an active optical cable, or transceivers with fibre", limit.Doubtful), "%s", text)
}

var ruleCage = Rule{
	ID:    "cage",
	Title: "cage against connector",
	Why: "a plug that does not go into its cage is money lost; what surely does not fit is refused when the file " +
		"is read",
	Worst: record.Info,
	check: func(c *checkup) {
		for i, l := range c.p.Links {
			line := c.f.Links[i].At.Line
			if l.Cable == nil {
				c.info("link "+l.Name, line, "write cable: {part: ..} at the link",
					"the file names no cable, so that its plugs, its longest distance and its price are not looked at")
				continue
			}
			ends := l.Cable.Cable
			if ends == nil || len(ends.Ends) == 0 {
				c.info("part "+l.Cable.Name, line, "look at its plugs before buying",
					"which plugs it has is not known, %s", because(l.Cable))
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
				c.info("part "+s.part.Name, line, "look at the cage before buying the cable",
					"whether a plug for %s goes into it is not known, %s", cageText(plug), because(s.part))
			}
		}
	},
}

func cageText(c catalog.Cage) string {
	if c == "" {
		return "an unknown cage"
	}
	return string(c)
}

var ruleFEC = Rule{
	ID:    "fec",
	Title: "forward error correction that 25G and 100G links need",
	Why:   "two ends with different FEC see no link, and without it copper has bit errors at these rates",
	Worst: record.Info,
	check: func(c *checkup) {
		for i, l := range c.p.Links {
			if fix, text := fec(l); text != "" {
				c.info("link "+l.Name, c.f.Links[i].At.Line, fix, "%s", text)
			}
		}
	},
}

const (
	fecAuto = "leave FEC on auto at both ends; if the link stays down, set the same at both"
	fecRS   = "set RS-FEC at both ends if it is not there by itself"
)

// fec returns what a link needs of FEC, and how to set it; empty: nothing.
func fec(l *Link) (fix, text string) {
	if l.Cable == nil || l.Cable.Cable == nil || l.InfiniBand {
		return "", ""
	}
	copper := l.Cable.Cable.Media == catalog.DAC
	metres, known := l.LengthM.Get()
	switch {
	case l.Speed == 25*unit.GigabitPerSecond && copper && known && metres <= 3:
		return fecAuto, "25 Gb/s over up to 3 m of copper runs with FC-FEC or RS-FEC (IEEE 802.3by), the same at both ends"
	case l.Speed == 25*unit.GigabitPerSecond && copper && known:
		return fecRS, "25 Gb/s over more than 3 m of copper needs RS-FEC at both ends (IEEE 802.3by)"
	case l.Speed == 25*unit.GigabitPerSecond && copper:
		return fecRS, "25 Gb/s over copper needs RS-FEC at both ends above 3 m, FC-FEC or RS-FEC below (IEEE 802.3by); " +
			"the file does not say how long it is"
	case l.Speed == 100*unit.GigabitPerSecond && copper:
		return fecRS, "100 Gb/s over copper (100GBASE-CR4) needs RS-FEC at both ends (IEEE 802.3bj)"
	case (l.Speed == 25*unit.GigabitPerSecond || l.Speed == 100*unit.GigabitPerSecond) &&
		l.Cable.Kind == catalog.Transceiver && l.Cable.Cable.Distance.Or(1e9) <= 100:
		return fecRS, "short-reach optics at 25 and 100 Gb/s need RS-FEC at both ends (general knowledge)"
	}
	return "", ""
}

// NeedsRS returns the reason why a link needs RS-FEC at both ends; empty: it does not, or the file does not say enough
// of its cable.
func (l *Link) NeedsRS() string {
	fix, text := fec(l)
	if fix != fecRS || l.Speed == 25*unit.GigabitPerSecond && l.Cable.Cable.Media == catalog.DAC && !l.LengthM.IsKnown() {
		return ""
	}
	return text
}

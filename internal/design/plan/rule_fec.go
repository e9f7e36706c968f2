package plan

import (
	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/record"
)

var ruleFEC = Rule{
	ID:    "fec",
	Title: "forward error correction that 25G and 100G links need",
	Why:   "two ends with different FEC see no link, and without it copper has bit errors at these rates",
	Worst: record.Info,
	check: func(c *checkup) []record.Problem {
		var out []record.Problem
		for i, l := range c.p.Links {
			if l.Cable == nil || l.Cable.Cable == nil || l.InfiniBand {
				continue
			}
			p, ok := fec(l)
			if ok {
				p.Subject, p.Line = "link "+l.Name, c.f.Links[i].At.Line
				out = append(out, p)
			}
		}
		return out
	},
}

const (
	fecAuto = "leave FEC on auto at both ends; if the link stays down, set the same at both"
	fecRS   = "set RS-FEC at both ends if it is not there by itself"
)

func fec(l *Link) (record.Problem, bool) {
	copper := l.Cable.Cable.Media == catalog.DAC
	metres, known := l.LengthM.Get()
	say := func(fix, text string) (record.Problem, bool) {
		return record.Problem{Severity: record.Info, Message: text, Fix: fix}, true
	}
	switch {
	case l.Speed == 25*unit.GigabitPerSecond && copper && known && metres <= 3:
		return say(fecAuto, "25 Gb/s over up to 3 m of copper runs with FC-FEC or RS-FEC (IEEE 802.3by), the same at both ends")
	case l.Speed == 25*unit.GigabitPerSecond && copper && known:
		return say(fecRS, "25 Gb/s over more than 3 m of copper needs RS-FEC at both ends (IEEE 802.3by)")
	case l.Speed == 25*unit.GigabitPerSecond && copper:
		return say(fecRS, "25 Gb/s over copper needs RS-FEC at both ends above 3 m, FC-FEC or RS-FEC below (IEEE 802.3by); the file does not say how long it is")
	case l.Speed == 100*unit.GigabitPerSecond && copper:
		return say(fecRS, "100 Gb/s over copper (100GBASE-CR4) needs RS-FEC at both ends (IEEE 802.3bj)")
	case (l.Speed == 25*unit.GigabitPerSecond || l.Speed == 100*unit.GigabitPerSecond) && l.Cable.Kind == catalog.Transceiver && l.Cable.Cable.Reach.Or(1e9) <= 100:
		return say(fecRS, "short-reach optics at 25 and 100 Gb/s need RS-FEC at both ends (general knowledge)")
	}
	return record.Problem{}, false
}

// NeedsRS says why a link needs RS-FEC at both ends; empty: it does not, or the file does not say enough of its cable.
func (l *Link) NeedsRS() string {
	if l.Cable == nil || l.Cable.Cable == nil || l.InfiniBand {
		return ""
	}
	p, ok := fec(l)
	if !ok || p.Fix != fecRS || l.Speed == 25*unit.GigabitPerSecond && l.Cable.Cable.Media == catalog.DAC && !l.LengthM.IsKnown() {
		return ""
	}
	return p.Message
}

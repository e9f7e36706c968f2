package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// slowClock is the share of the rate that a processor is sold with below which its clock is worth a word.
const slowClock = 0.8

// heat: a core that has no time left was slowed down because it, or its package, was too hot. A card or a module that is too hot makes errors or
// loses its link, which other causes find; its temperature by itself is a candidate.
var heat = Cause{
	ID: "heat", Title: "a processor, card or module that is too hot",
	Test: func(c *Case) *Match {
		if c.Repeat == nil || c.Ceiling > 0 && c.Share() >= atCeiling {
			return nil
		}
		var candidate *Match
		for _, s := range []Side{c.Receiver, c.Sender} {
			m := &Match{Strength: Candidate, Undo: nothingSet, NextCeiling: c.nextCeiling(""),
				Fix: "more air: fans, filters, what stands in the way; the limits of power and heat in the machine's setup"}
			f := c.state("heat", s, "")
			if f != nil {
				m.Component, m.Fix = f.Subject, f.Fix
				m.Sentence = fmt.Sprintf("%s may be held back by heat: %s, %s.", c.subject(), f.Subject, f.Have)
				m.Evidence = append(m.Evidence, said(f, "temperature")...)
			}
			for _, u := range c.Repeat.CPU {
				busy := u.Busy()
				if u.Host != s.Host || u.Core < 0 || u.Throttled == nil || *u.Throttled < 1 || busy < full || !possibleShares(u) {
					continue
				}
				m.Strength, m.Component = Likely, fmt.Sprintf("%s: core %d", s.Host, u.Core)
				m.Sentence = fmt.Sprintf("%s is held back by %s: core %d has no time left, and was slowed down because it was too hot.", c.subject(), s.Host, u.Core)
				m.Evidence = append(m.Evidence, record.Evidence{Host: s.Host, Source: "/sys/devices/system/cpu/cpu*/thermal_throttle", Counter: "throttled", After: ptr(float64(*u.Throttled)), Unit: "times",
					Text: fmt.Sprintf("core %d of %s was slowed down by heat %d times in the steady window", u.Core, s.Host, *u.Throttled)},
					coreUse{u.Core, busy, u.SoftIRQ + u.IRQ}.evidence(s.Host, clockWords(u)))
				return m
			}
			if f != nil && candidate == nil {
				candidate = m
			}
		}
		return candidate
	},
}

// cpuPowerState: what governs the clock keeps it low, and the core that has no time left ran slow under load. The setting alone is a candidate:
// with most governors the clock rises as soon as there is work.
var cpuPowerState = Cause{
	ID: "cpu-power-state", Title: "a processor's clock that is kept low",
	Test: func(c *Case) *Match {
		if c.Repeat == nil || c.Ceiling > 0 && c.Share() >= atCeiling {
			return nil
		}
		for _, s := range []Side{c.Receiver, c.Sender} {
			f := c.state("cpu-power-state", s, "")
			if f == nil {
				continue
			}
			m := &Match{Strength: Candidate, Component: s.Host + ": processors", Fix: fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo), NextCeiling: c.nextCeiling(""),
				Sentence: fmt.Sprintf("%s is held back by %s: its processors are set to %s.", c.subject(), s.Host, f.Have)}
			m.Evidence = append(m.Evidence, said(f, "scaling_governor")...)
			for _, u := range c.Repeat.CPU {
				busy := u.Busy()
				if u.Host != s.Host || u.Core < 0 || busy < full || !possibleShares(u) || u.Hz == nil || u.BaseHz == nil || !(*u.Hz > 0) || *u.Hz >= slowClock**u.BaseHz || u.Throttled != nil && *u.Throttled > 0 {
					continue
				}
				m.Strength = Likely
				m.Evidence = append(m.Evidence, coreUse{u.Core, busy, u.SoftIRQ + u.IRQ}.evidence(s.Host, clockWords(u)))
				break
			}
			if m.Strength == Candidate && f.Severity == record.Info {
				continue // a governor that lets the clock rise under load is no suspect by itself
			}
			return m
		}
		return nil
	},
}

// clockWords say at what clock a core ran; empty: it is not known.
func clockWords(u record.CPU) string {
	if u.Hz == nil || !(*u.Hz > 0) {
		return ""
	}
	words := fmt.Sprintf(", at %s", hertz(*u.Hz))
	if u.BaseHz != nil && *u.BaseHz > 0 {
		words += fmt.Sprintf(" of %s", hertz(*u.BaseHz))
	}
	return words
}

func hertz(v float64) string { return strings.TrimSpace(unit.Significant(v/1e9)) + " GHz" }

// iommu: the card's addresses are translated, and each buffer is unmapped at once. What that costs is in no counter: it stays a candidate until
// a measurement with the other setting.
var iommu = Cause{
	ID: "iommu", Title: "translation of the card's addresses",
	Test: func(c *Case) *Match {
		if c.Ceiling > 0 && c.Share() >= atCeiling {
			return nil
		}
		for _, s := range []Side{c.Receiver, c.Sender} {
			if s.Port == nil {
				continue
			}
			f := c.state("iommu", s, s.Port.Interface)
			if f == nil || f.Severity != record.Warning {
				continue
			}
			m := &Match{Strength: Candidate, Component: s.Host + ": IOMMU", Fix: fromCheck(s.Host, f.Fix), Undo: fromCheck(s.Host, f.Undo), NextCeiling: c.nextCeiling(""),
				Sentence: fmt.Sprintf("%s may be held back by %s: %s.", c.subject(), s.Host, f.Have), Next: "the same with iommu=pt on the kernel's command line of " + s.Host}
			m.Evidence = append(m.Evidence, said(f, "type")...)
			return m
		}
		return nil
	},
}

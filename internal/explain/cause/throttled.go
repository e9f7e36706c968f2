package cause

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// slowClock is the share of a CPU's nominal clock rate below which its clock is mentioned.
const slowClock = 0.8

// heat is the cause where a full core was throttled because it, or its package, was too hot. A NIC or a module that is
// too hot makes errors or loses its link, which other causes find. Its temperature alone is a candidate.
var heat = judge.Cause{
	ID: "heat", Title: "a CPU, NIC or module that is too hot",
	Plain:   "Something in the machine is too hot and slows itself down.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Repeat == nil || c.Ceiling > 0 && c.Share() >= judge.AtCeiling {
			return nil
		}
		var candidate *judge.Match
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			m := &judge.Match{Strength: judge.Candidate, Undo: judge.NoSettingChanged, NextCeiling: c.NextCeiling(""),
				Fix: "more air: fans, filters, what is in the way; the limits of power and heat in the machine's setup"}
			f := c.State("heat", s, "")
			if f != nil {
				m.Component, m.Fix = f.Subject.String(), f.Fix
				m.Sentence = fmt.Sprintf("%s may be held back by heat: %s, %s.", c.Subject(), f.Subject, f.Have)
				m.Add(judge.FindingEvidence(f, "temperature")...)
			}
			for _, u := range c.Repeat.CPU {
				busy := u.Busy()
				if u.Host != s.Host || u.Core < 0 || u.Throttled == nil || *u.Throttled < 1 || busy < judge.CoreFull ||
					!judge.PossibleShares(u) {
					continue
				}
				m.Strength, m.Component = judge.Likely, fmt.Sprintf("%s: core %d", s.Host, u.Core)
				m.Sentence = fmt.Sprintf("%s is held back by %s: core %d has no time left, and was slowed down because it was "+
					"too hot.", c.Subject(), s.Host, u.Core)
				m.Add(judge.Reading(s.Host, "/sys/devices/system/cpu/cpu*/thermal_throttle", "throttled", float64(*u.Throttled),
					"times", "core %d of %s was slowed down by heat %d times in the steady interval", u.Core, s.Host, *u.Throttled),
					judge.CoreUse{Core: u.Core, Busy: busy, Receive: u.SoftIRQ + u.IRQ}.Evidence(s.Host, clockWords(u)))
				return m
			}
			if f != nil && candidate == nil {
				candidate = m
			}
		}
		return candidate
	},
}

// cpuPowerState is the cause where the governor keeps the clock low, and a full core ran slow under load. The setting
// alone is a candidate: with most governors the clock rises as soon as there is work.
var cpuPowerState = judge.Cause{
	ID: "cpu-power-state", Title: "a CPU's clock that is kept low",
	Plain: "The CPU saves power, and works slower than it could while it has more to do than it gets " +
		"to.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Repeat == nil || c.Ceiling > 0 && c.Share() >= judge.AtCeiling {
			return nil
		}
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			f := c.State("cpu-power-state", s, "")
			if f == nil {
				continue
			}
			m := c.Candidate(s.Host+": CPUs", "is held back by %s: its CPUs are set to %s.", s.Host, f.Have)
			m.FromCheck(s.Host, f)
			m.Add(judge.FindingEvidence(f, "scaling_governor")...)
			for _, u := range c.Repeat.CPU {
				busy := u.Busy()
				if u.Host != s.Host || u.Core < 0 || busy < judge.CoreFull || !judge.PossibleShares(u) || u.Hz == nil ||
					u.BaseHz == nil || !(*u.Hz > 0) || *u.Hz >= slowClock**u.BaseHz || u.Throttled != nil && *u.Throttled > 0 {
					continue
				}
				m.Likely(judge.CoreUse{Core: u.Core, Busy: busy, Receive: u.SoftIRQ + u.IRQ}.Evidence(s.Host, clockWords(u)))
				break
			}
			if m.Strength == judge.Candidate && f.Severity == record.Info {
				continue // a governor that lets the clock rise under load is not a suspect by itself
			}
			return m
		}
		return nil
	},
}

// clockWords names the clock rate of a core; empty: it is not known.
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

// iommu is the cause where the NIC's addresses are translated, and each buffer is unmapped at once. No counter has the
// cost of that, so it stays a candidate until a measurement with the other setting.
var iommu = judge.Cause{
	ID: "iommu", Title: "translation of the NIC's addresses",
	Plain: "The machine looks up every address that the NIC wants to use. What that costs only a measurement without " +
		"it shows.",
	Applies: judge.IP,
	Test: func(c *judge.Case) *judge.Match {
		if c.Ceiling > 0 && c.Share() >= judge.AtCeiling {
			return nil
		}
		for _, s := range []judge.Side{c.Receiver, c.Sender} {
			if s.Port == nil {
				continue
			}
			f := c.State("iommu", s, s.Port.Interface)
			if f == nil || f.Severity != record.Warning {
				continue
			}
			m := c.Candidate(s.Host+": IOMMU", "may be held back by %s: %s.", s.Host, f.Have)
			m.FromCheck(s.Host, f)
			m.Next = "the same with iommu=pt on the kernel's command line of " + s.Host
			m.Add(judge.FindingEvidence(f, "type")...)
			return m
		}
		return nil
	},
}

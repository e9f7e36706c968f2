package link

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
)

// measured is a value that a module measures, with the module's own limits.
type measured struct {
	what, in string // "receive", "dBm"
	lane     int    // from 1; 0: of the whole module
	value    float64
	limits   facts.Limits
}

// words names the value.
func (m measured) words() string {
	name := map[string]string{"temperature": "temperature", "voltage": "supply", "bias": "laser current",
		"send": "light sent", "receive": "light received"}[m.what]
	if m.lane > 0 {
		name += fmt.Sprintf(" of lane %d", m.lane)
	}
	return name
}

// outside returns the limit that the value exceeds: that of an alarm before that of a warning.
func (m measured) outside() (limit string, bound float64, alarm, ok bool) {
	l := m.limits
	for _, x := range []struct {
		name  string
		bound unit.Opt[float64]
		high  bool
		alarm bool
	}{{"highest", l.HighAlarm, true, true}, {"lowest", l.LowAlarm, false, true},
		{"highest, before the alarm,", l.HighWarning, true, false}, {"lowest, before the alarm,", l.LowWarning, false,
			false}} {
		b, known := x.bound.Get()
		if known && (x.high && m.value > b || !x.high && m.value < b) && sane(l) {
			return x.name, b, x.alarm, true
		}
	}
	return "", 0, false, false
}

// sane reports whether limits are valid: cables and cheap modules have zeros, or a low limit above the high one.
func sane(l facts.Limits) bool {
	high, low := l.HighAlarm.Or(l.HighWarning.Or(0)), l.LowAlarm.Or(l.LowWarning.Or(0))
	return high > low
}

// measures lists the values that a module measures.
func measures(o *facts.Optic) (out []measured) {
	add := func(what, in string, lane int, v unit.Opt[float64]) {
		if value, known := v.Get(); known {
			out = append(out, measured{what, in, lane, value, o.Limits[what]})
		}
	}
	add("temperature", "C", 0, o.Temperature)
	add("voltage", "V", 0, o.Voltage)
	for i, l := range o.Lanes {
		lane := i + 1
		if len(o.Lanes) == 1 {
			lane = 0
		}
		add("bias", "mA", lane, l.Bias)
		add("send", "dBm", lane, l.Send)
		add("receive", "dBm", lane, l.Receive)
	}
	return out
}

// line returns the line of an output that has the value.
func (m measured) line(h *check.Host, n *facts.Interface) record.EvidenceLine {
	name := m.what
	if m.lane > 1 {
		name += " " + strconv.Itoa(m.lane)
	}
	if p, ok := n.Wire.Optic.Proofs[name]; ok {
		return record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line}
	}
	return record.EvidenceLine{Host: h.Name, Source: "ethtool -m " + n.Name,
		Line: fmt.Sprintf("%s %.2f %s", m.words(), m.value, m.in)}
}

// Optics checks for modules outside their own limits.
var Optics = check.Check{
	ID:    "optics",
	Title: "modules outside of their own limits",
	Why: "a module knows between which values it works: too little light, or a laser at its end, and bit errors " +
		"come soon",
	Worst:   record.Warning,
	Source:  "SFF-8472, SFF-8636: alarm and warning thresholds",
	Because: []string{"laser-off"},
	Look: func(w *check.World, r *check.Report) {
		for h, n := range optics(w) {
			var out []string
			f := record.Finding{Severity: record.Warning, Subject: h.Subject(n.Name), Want: "between its own limits"}
			for _, m := range measures(n.Wire.Optic) {
				limit, bound, _, ok := m.outside()
				if m.what == "temperature" || !ok {
					continue
				}
				out = append(out, fmt.Sprintf("%s %.4g %s (%s is %.4g)", m.words(), m.value, m.in, limit, bound))
				f.Evidence = append(f.Evidence, m.line(h, n))
			}
			if len(out) == 0 || !n.Carrier.Or(false) {
				continue // without a link no light is expected
			}
			f.Severity = w.There(h, n.Name, f.Severity)
			f.Have = unit.List(out)
			f.Consequence = "the link is up; bit errors and losses of the link come next"
			f.Fix = "clean the plugs, look for a bend; light received too high: an attenuator, or a module for the shorter " +
				"way; a laser's current or light sent: another module"
			r.Found(f, h.Subject(n.Name))
		}
	},
}

// Heat checks for modules, adapters, drives and CPUs above their own temperature limits.
var Heat = check.Check{
	ID:    "heat",
	Title: "modules, NICs, drives and CPUs beyond their own limits of temperature",
	Why: "beyond its own limit a module ages fast, makes errors, or is switched off; NICs do the same, CPUs " +
		"and drives slow down",
	Worst:  record.Warning,
	Source: "SFF-8472, SFF-8636: temperature thresholds; hwmon: temp_max, temp_crit",
	Look: func(w *check.World, r *check.Report) {
		for _, h := range w.Hosts {
			hot(w, h, r)
		}
		for h, n := range optics(w) {
			for _, m := range measures(n.Wire.Optic) {
				limit, bound, alarm, ok := m.outside()
				if m.what != "temperature" || !ok || !n.Carrier.Or(false) {
					continue
				}
				f := record.Finding{Severity: w.There(h, n.Name, record.Warning), Subject: h.Subject(n.Name),
					Have: fmt.Sprintf("%.4g degrees C (%s is %.4g)", m.value, limit, bound), Want: "between its own limits",
					Evidence:    []record.EvidenceLine{m.line(h, n)},
					Consequence: "errors and a link that comes and goes, sooner or later",
					Fix:         "more air through the NIC or the switch; 10GBASE-T modules next to others need a free neighbour"}
				if alarm {
					f.Consequence = "the module may be switched off at any time; until then errors"
				}
				r.Found(f, h.Subject(n.Name))
			}
		}
	},
}

// LaserOff checks for lasers that do not send although light arrives.
var LaserOff = check.Check{
	ID:      "laser-off",
	Title:   "lasers that do not send though light comes in",
	Why:     "the other end sends and this one does not: a port that is shut, or a laser that failed",
	Worst:   record.Warning,
	Source:  "SFF-8472, SFF-8636: bias current, output power",
	Because: []string{"module-refused", "port-errdisabled"},
	Look: func(w *check.World, r *check.Report) {
		for h, n := range optics(w) {
			o := n.Wire.Optic
			dark := slices.IndexFunc(o.Lanes, func(l facts.OpticLane) bool {
				bias, known := l.Bias.Get()
				return known && bias <= 0.1 && l.Send.Or(0) <= facts.Dark && l.Receive.Or(facts.Dark) > -20
			})
			if o.Copper || dark < 0 {
				continue
			}
			l := o.Lanes[dark]
			at := measured{what: "send", lane: dark + 1}
			r.Found(record.Finding{
				Severity: w.There(h, n.Name, record.Warning), Subject: h.Subject(n.Name),
				Have: fmt.Sprintf("the laser is off (%.4g mA, %.4g dBm) while %.4g dBm come in", l.Bias.Or(0), l.Send.Or(0),
					l.Receive.Or(0)), Want: "a laser that sends",
				Evidence:    []record.EvidenceLine{at.line(h, n)},
				Consequence: "the other end has no signal: the link carries nothing",
				Fix: cmp.Or(unit.If(n.UpKnown && !n.Up, check.InterfaceUp.On(h, "nic", n.Name)+"; if that is so", ""),
					"look whether the port is shut or held down") + "; else another module",
			}, h.Subject(n.Name))
		}
	},
}

// optics returns the interfaces whose plugged module is known.
func optics(w *check.World) func(yield func(*check.Host, *facts.Interface) bool) {
	return func(yield func(*check.Host, *facts.Interface) bool) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; n.Wire.Optic != nil && !yield(h, n) {
					return
				}
			}
		}
	}
}

// hot judges the temperature sensors of a host's NICs, drives and CPUs by their own limits.
func hot(w *check.World, h *check.Host, r *check.Report) {
	for _, t := range h.Facts.Temperatures {
		if t.Device == "acpitz" {
			continue // firmware zones: on many boards their limits are invented
		}
		critical, hasCritical := t.Critical.Get()
		high, hasHigh := t.High.Get()
		limit, bound := "", 0.0
		switch {
		case hasCritical && t.Now >= critical:
			limit, bound = "critical", critical
		case hasHigh && t.Now >= high && (!hasCritical || high <= critical):
			limit, bound = "highest", high
		default:
			continue
		}
		name := t.Sensor
		if t.Label != "" {
			name = t.Label
		}
		f := record.Finding{
			Severity: record.Warning, Subject: h.Subject(t.Device),
			Have: fmt.Sprintf("%s at %.4g degrees C (%s is %.4g)", name, t.Now, limit, bound), Want: "below its own limits",
			Evidence:    []record.EvidenceLine{{Host: h.Name, Source: t.Source, Line: t.Line}},
			Consequence: "it slows itself down, or makes errors", Fix: "more air: fans, filters, what is in its way; a " +
				"free slot next to a NIC that is made for the air of a server",
		}
		if h.Facts.NIC(t.Device) != nil {
			f.Severity = w.There(h, t.Device, f.Severity)
			f.Consequence = "a NIC beyond its limit makes errors or drops its link"
		} else if cpu(t) {
			f.Consequence = "the CPU clocks down: what is measured meanwhile is slower than it could be"
		}
		if limit == "critical" {
			f.Consequence += "; at this limit it may switch itself off"
		}
		r.Found(f, h.Subject(t.Device))
	}
}

// cpu reports whether a sensor is that of a CPU, by its driver.
func cpu(t facts.Temperature) bool {
	return slices.ContainsFunc([]string{"coretemp", "k10temp", "zenpower", "cpu"}, func(name string) bool {
		return strings.HasPrefix(t.Device, name)
	})
}

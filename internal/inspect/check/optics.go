package check

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// measured is a value that a module measures of itself, with its own limits.
type measured struct {
	what, in string // "receive", "dBm"
	lane     int    // from 1; 0: of the whole module
	value    float64
	limits   facts.Limits
}

// words says what is measured.
func (m measured) words() string {
	name := map[string]string{"temperature": "temperature", "voltage": "supply", "bias": "laser current", "send": "light sent", "receive": "light received"}[m.what]
	if m.lane > 0 {
		name += fmt.Sprintf(" of lane %d", m.lane)
	}
	return name
}

// outside says by which of its own limits the value is out: an alarm's before a warning's.
func (m measured) outside() (limit string, bound float64, alarm, ok bool) {
	l := m.limits
	for _, x := range []struct {
		name  string
		bound unit.Opt[float64]
		high  bool
		alarm bool
	}{{"highest", l.HighAlarm, true, true}, {"lowest", l.LowAlarm, false, true}, {"highest, before the alarm,", l.HighWarning, true, false}, {"lowest, before the alarm,", l.LowWarning, false, false}} {
		b, known := x.bound.Get()
		if known && (x.high && m.value > b || !x.high && m.value < b) && sane(l) {
			return x.name, b, x.alarm, true
		}
	}
	return "", 0, false, false
}

// sane says whether limits are some: cables and cheap modules have zeros, or the low above the high.
func sane(l facts.Limits) bool {
	high, low := l.HighAlarm.Or(l.HighWarning.Or(0)), l.LowAlarm.Or(l.LowWarning.Or(0))
	return high > low
}

// measures lists what a module measures.
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

// line is the line of an output that says the value.
func (m measured) line(h *Host, n *facts.Interface) record.EvidenceLine {
	name := m.what
	if m.lane > 1 {
		name += " " + strconv.Itoa(m.lane)
	}
	if p, ok := n.Wire.Optic.Proofs[name]; ok {
		return record.EvidenceLine{Host: h.Name, Source: p.Source, Line: p.Line}
	}
	return record.EvidenceLine{Host: h.Name, Source: "ethtool -m " + n.Name, Line: fmt.Sprintf("%s %.2f %s", m.words(), m.value, m.in)}
}

var checkOptics = Check{
	ID:      "optics",
	Title:   "modules outside of their own limits",
	Why:     "a module knows between which values it works: too little light, or a laser at its end, and bit errors come soon",
	Worst:   record.Warning,
	Source:  "SFF-8472, SFF-8636: alarm and warning thresholds",
	Because: []string{"laser-off"},
	look: func(w *World, r *report) {
		for h, n := range w.optics() {
			var out []string
			f := record.Finding{Severity: record.Warning, Subject: h.Name + ": " + n.Name, Want: "between its own limits"}
			for _, m := range measures(n.Wire.Optic) {
				limit, bound, _, ok := m.outside()
				if m.what == "temperature" || !ok {
					continue
				}
				out = append(out, fmt.Sprintf("%s %.4g %s (%s is %.4g)", m.words(), m.value, m.in, limit, bound))
				f.Evidence = append(f.Evidence, m.line(h, n))
			}
			if len(out) == 0 || !n.Carrier.Or(false) {
				continue // without a link there is no light, as it should be
			}
			f.Severity = w.there(h, n.Name, f.Severity)
			f.Have = words(out)
			f.Consequence = "the link is up; bit errors and losses of the link come next"
			f.Fix = "clean the plugs, look for a bend; light received too high: an attenuator, or a module for the shorter way; a laser's current or light sent: another module"
			r.found(f, h.Name+": "+n.Name)
		}
	},
}

var checkHeat = Check{
	ID:     "heat",
	Title:  "modules, cards, drives and processors beyond their own limits of temperature",
	Why:    "beyond its own limit a module ages fast, makes errors, or is switched off; cards do the same, processors and drives slow down",
	Worst:  record.Warning,
	Source: "SFF-8472, SFF-8636: temperature thresholds; hwmon: temp_max, temp_crit",
	look: func(w *World, r *report) {
		for _, h := range w.Hosts {
			hot(w, h, r)
		}
		for h, n := range w.optics() {
			for _, m := range measures(n.Wire.Optic) {
				limit, bound, alarm, ok := m.outside()
				if m.what != "temperature" || !ok || !n.Carrier.Or(false) {
					continue
				}
				f := record.Finding{
					Severity: w.there(h, n.Name, record.Warning), Subject: h.Name + ": " + n.Name,
					Have: fmt.Sprintf("%.4g degrees C (%s is %.4g)", m.value, limit, bound), Want: "between its own limits",
					Evidence:    []record.EvidenceLine{m.line(h, n)},
					Consequence: "errors and a link that comes and goes, sooner or later",
					Fix:         "more air through the card or the switch; 10GBASE-T modules beside others need a free neighbour",
				}
				if alarm {
					f.Consequence = "the module may be switched off at any time; until then errors"
				}
				r.found(f, h.Name+": "+n.Name)
			}
		}
	},
}

var checkLaserOff = Check{
	ID:      "laser-off",
	Title:   "lasers that do not send though light comes in",
	Why:     "the other end sends and this one does not: a port that is shut, or a laser that failed",
	Worst:   record.Warning,
	Source:  "SFF-8472, SFF-8636: bias current, output power",
	Because: []string{"module-refused", "port-errdisabled"},
	look: func(w *World, r *report) {
		for h, n := range w.optics() {
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
			r.found(record.Finding{
				Severity: w.there(h, n.Name, record.Warning), Subject: h.Name + ": " + n.Name,
				Have: fmt.Sprintf("the laser is off (%.4g mA, %.4g dBm) while %.4g dBm come in", l.Bias.Or(0), l.Send.Or(0), l.Receive.Or(0)), Want: "a laser that sends",
				Evidence:    []record.EvidenceLine{at.line(h, n)},
				Consequence: "the other end has no signal: the link carries nothing",
				Fix:         cmp.Or(map[bool]string{true: interfaceUp.on(h, "nic", n.Name) + "; if that is so"}[n.UpKnown && !n.Up], "look whether the port is shut or held down") + "; else another module",
			}, h.Name+": "+n.Name)
		}
	},
}

// optics are the interfaces of which what is plugged in is known.
func (w *World) optics() func(yield func(*Host, *facts.Interface) bool) {
	return func(yield func(*Host, *facts.Interface) bool) {
		for _, h := range w.Hosts {
			for i := range h.Facts.NICs {
				if n := &h.Facts.NICs[i]; n.Wire.Optic != nil && !yield(h, n) {
					return
				}
			}
		}
	}
}

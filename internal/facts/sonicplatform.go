package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// readSONiCSupplies reads "show platform psustatus". Form: the command reference of sonic-utilities; no capture.
func readSONiCSupplies(f *Facts, _ []string, text []byte) error {
	return f.sonicSensors(text, "psu", "PSU")
}

// readSONiCFans reads "show platform fan", as the command reference has it: Drawer, LED, FAN, Speed, Direction, Presence, Status.
func readSONiCFans(f *Facts, _ []string, text []byte) error {
	return f.sonicSensors(text, "fan", "FAN")
}

func (f *Facts) sonicSensors(text []byte, kind, column string) error {
	rows := 0
	for _, t := range tables(text, "PSU", "FAN", "Drawer") {
		for _, r := range t.rows {
			if r.get(column) == "" || r.get("STATUS") == "" {
				continue
			}
			rows++
			state := r.get("STATUS")
			if strings.EqualFold(r.get("PRESENCE"), "not present") {
				state = "not present"
			}
			f.sensed(kind, strings.TrimPrefix(r.get(column), "PSU "), state, r.line)
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

// readSONiCTemperature reads "show platform temperature": Sensor, Temperature, High TH, .., Warning. Form: the command reference; no capture.
func readSONiCTemperature(f *Facts, _ []string, text []byte) error {
	rows := 0
	for _, t := range tables(text, "Sensor", "NAME") {
		for _, r := range t.rows {
			name, at := r.get("SENSOR", "NAME"), r.get("TEMPERATURE")
			v, err := strconv.ParseFloat(at, 64)
			if name == "" || err != nil {
				continue
			}
			rows++
			s := Sensor{Kind: "temperature", Name: name, State: at + " C", OK: unit.Unknown[bool]("it names no limit"), Proof: f.proof(r.line)}
			if high, err := strconv.ParseFloat(r.get("HIGH TH"), 64); err == nil && high > 0 {
				s.State += ", limit " + r.get("HIGH TH") + " C"
				s.OK = known(v < high)
			}
			if strings.EqualFold(r.get("WARNING"), "true") {
				s.OK = known(false)
			}
			f.Switch.Sensors = append(f.Switch.Sensors, s)
		}
	}
	if rows == 0 {
		return toolError(text)
	}
	return nil
}

var (
	sonicRelease = lazyregexp.New(`(?m)^\s*SONiC Software Version:\s*(?:SONiC\.)?(\S+)`)
	sonicSKU     = lazyregexp.New(`(?m)^\s*HwSKU:\s*(\S+)`)
)

// readSONiCVersion reads "show version". Captures: the command reference, genieparser.
func readSONiCVersion(f *Facts, _ []string, text []byte) error {
	m := sonicRelease.FindSubmatch(text)
	if m == nil {
		return toolError(text)
	}
	sku := ""
	if s := sonicSKU.FindSubmatch(text); s != nil {
		sku = string(s[1])
	}
	f.isProduct("", sku, "SONiC "+string(m[1]))
	return nil
}

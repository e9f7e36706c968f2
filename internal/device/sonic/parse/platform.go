package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/show"
)

// readSONiCSupplies reads "show platform psustatus". Form: the command reference of sonic-utilities; no snapshot.
func readSONiCSupplies(f *parse.Builder, _ []string, text []byte) error {
	return sonicSensors(f, text, "psu", "PSU")
}

// readSONiCFans reads "show platform fan" in the form of the command reference: Drawer, LED, FAN, Speed, Direction,
// Presence, Status.
func readSONiCFans(f *parse.Builder, _ []string, text []byte) error {
	return sonicSensors(f, text, "fan", "FAN")
}

func sonicSensors(f *parse.Builder, text []byte, kind, column string) error {
	rows := 0
	for _, t := range parse.Tables(text, "PSU", "FAN", "Drawer") {
		for _, r := range t.Rows {
			if r.Get(column) == "" || r.Get("STATUS") == "" {
				continue
			}
			rows++
			state := r.Get("STATUS")
			if strings.EqualFold(r.Get("PRESENCE"), "not present") {
				state = "not present"
			}
			f.Sensed(kind, strings.TrimPrefix(r.Get(column), "PSU "), state, r.Line)
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readSONiCTemperature reads "show platform temperature": Sensor, Temperature, High TH, .., Warning. Form: the command
// reference; no snapshot.
func readSONiCTemperature(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for _, t := range parse.Tables(text, "Sensor", "NAME") {
		for _, r := range t.Rows {
			name, at := r.Get("SENSOR", "NAME"), r.Get("TEMPERATURE")
			v, err := strconv.ParseFloat(at, 64)
			if name == "" || err != nil {
				continue
			}
			rows++
			s := facts.Sensor{Kind: "temperature", Name: name, State: at + " C", OK: unit.Unknown[bool]("it names no limit"),
				Proof: f.Proof(r.Line)}
			if high, err := strconv.ParseFloat(r.Get("HIGH TH"), 64); err == nil && high > 0 {
				s.State += ", limit " + r.Get("HIGH TH") + " C"
				s.OK = unit.Known(v < high)
			}
			if strings.EqualFold(r.Get("WARNING"), "true") {
				s.OK = unit.Known(false)
			}
			f.Switch.Sensors = append(f.Switch.Sensors, s)
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

var (
	sonicRelease = lazyregexp.New(`(?m)^\s*SONiC Software Version:\s*(?:SONiC\.)?(\S+)`)
	sonicSKU     = lazyregexp.New(`(?m)^\s*HwSKU:\s*(\S+)`)
)

// readSONiCVersion reads "show version". Snapshots: the command reference, genieparser.
func readSONiCVersion(f *parse.Builder, _ []string, text []byte) error {
	m := sonicRelease.FindSubmatch(text)
	if m == nil {
		return parse.ToolError(text)
	}
	sku := ""
	if s := sonicSKU.FindSubmatch(text); s != nil {
		sku = string(s[1])
	}
	show.SetProduct(f, "", sku, "SONiC "+string(m[1]))
	return nil
}

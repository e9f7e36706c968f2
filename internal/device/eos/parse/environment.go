package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	eosPowerRow  = lazyregexp.New(`^\s*(\d+)\s+(\S+)\s+(\d+)W\s+\S+A\s+\S+A\s+\S+W\s+([A-Za-z][A-Za-z ]*?)(?:\s{2,}|\s+\d|\s*$)`)
	eosFanRow    = lazyregexp.New(`^\s*([\w/.-]+)\s+([A-Z][A-Za-z ]*?)\s+(\d+%|N/A)\s+(\d+%|N/A)`)
	eosSummary   = lazyregexp.New(`^System (cooling|temperature) status is: (.+)$`)
	eosHeatRow   = lazyregexp.New(`^\s*(\d+)\s+(\S.*?)\s+(-?\d+(?:\.\d+)?)\s+\(?-?\d+\)?\s+(?:-?\d+(?:\.\d+)?\s+)?(\d+)\s+(\d+)\s*$`)
	eosHeatPlace = lazyregexp.New(`^(Supervisor|Linecard|Fabric|Switchcard|PowerSupply)\s*\d*:\s*$`)
)

// readEOSPower reads "show environment power": one power supply a line, its state after its watts. Snapshots:
// ntc-templates, three widths of the same table, one with a supply that has lost its power.
func readEOSPower(f *parse.Builder, _ []string, text []byte) error {
	for line := range strings.Lines(string(text)) {
		if m := eosPowerRow.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			f.Sensed("psu", m[1]+" ("+m[2]+")", m[4], line)
		}
	}
	if len(f.Switch.Sensors) == 0 && !strings.Contains(string(text), "no power supplies") {
		return parse.ToolError(text)
	}
	return nil
}

// readEOSCooling reads "show environment cooling". Snapshot: ntc-templates, a 7500 with empty supply slots.
func readEOSCooling(f *parse.Builder, _ []string, text []byte) error {
	rows := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := eosSummary.FindStringSubmatch(line); m != nil {
			rows++
			f.Sensed("fan", "system", m[2], line)
		} else if m := eosFanRow.FindStringSubmatch(line); m != nil {
			rows++
			f.Sensed("fan", m[1], m[2], line)
		}
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readEOSTemperature reads "show environment temperature": a sensor fails from its alert limit on. Snapshot:
// ntc-templates, a 7500.
func readEOSTemperature(f *parse.Builder, _ []string, text []byte) error {
	rows, place := 0, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := eosSummary.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			rows++
			f.Sensed("temperature", "system", m[2], line)
			continue
		}
		if eosHeatPlace.MatchString(line) {
			place = strings.TrimSuffix(strings.TrimSpace(line), ":") + " "
			continue
		}
		m := eosHeatRow.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows++
		at, err := strconv.ParseFloat(m[3], 64)
		alert, err2 := strconv.ParseFloat(m[4], 64)
		s := facts.Sensor{Kind: "temperature", Name: place + m[1] + " (" + m[2] + ")",
			State: m[3] + " C, alert at " + m[4] + " C",
			OK:    unit.Unknown[bool]("its limit is not a number"), Proof: f.Proof(line)}
		if err == nil && err2 == nil && alert > 0 {
			s.OK = unit.Known(at < alert)
		}
		f.Switch.Sensors = append(f.Switch.Sensors, s)
	}
	if rows == 0 {
		return parse.ToolError(text)
	}
	return nil
}

var keyValue = lazyregexp.New(`^\s*([A-Za-z][\w /-]*?)\s*:\s+(\S.*?)\s*$`)

// readEOSMLAG reads "show mlag" of EOS, text. Snapshot: ntc-templates, a pair that does not find its peer. Newer
// releases print "inconsistent" for config-sanity; no snapshot of one exists.
func readEOSMLAG(f *parse.Builder, _ []string, text []byte) error {
	m := &facts.MLAG{}
	partial, found := 0, false
	for line := range strings.Lines(string(text)) {
		kv := keyValue.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if kv == nil {
			continue
		}
		switch strings.ToLower(kv[1]) {
		case "domain-id":
			found = true
			m.Enabled = unit.Known(kv[2] != "")
		case "state":
			found = true
			m.State, m.Proof = kv[2], f.Proof(line)
			if strings.EqualFold(kv[2], "disabled") {
				m.Enabled = unit.Known(false)
			}
		case "peer-link status":
			m.Peer = kv[2]
		case "config-sanity", "mlag config sanity":
			if strings.EqualFold(kv[2], "inconsistent") {
				m.Mismatches = append(m.Mismatches, facts.Mismatch{What: "configuration", Proof: f.Proof(line)})
			}
		case "active-partial":
			if v, err := strconv.Atoi(kv[2]); err == nil {
				partial = v
				m.Partial = unit.Known(partial)
			}
		}
	}
	if !found {
		return parse.ToolError(text)
	}
	f.Switch.MLAG = m
	return nil
}

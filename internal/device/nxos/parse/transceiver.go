package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// transceiverLooks matches the start of each port in "show interface transceiver".
const transceiverLooks = `(?m)^Ethernet\d[\d/]*[ \t]*\r?\n[ \t]+transceiver is (?:not )?present`

var (
	transceiverForm = lazyregexp.New(transceiverLooks)
	transceiverPort = lazyregexp.New(`^(Ethernet\d[\d/]*)$`)
	// A mark after a value means that it is outside its limits; high alarm, low alarm, high warning, low warning follow.
	figureRow = lazyregexp.New(
		`^\s+(Temperature|Voltage|Current|Tx Power|Rx Power)\s+(N/A|-?[\d.]+ (?:C|V|mA|dBm))\s*(?:\+\+|--|\+|-)?` +
			`\s+(N/A|-?[\d.]+) *(?:C|V|mA|dBm)?\s+(N/A|-?[\d.]+) *(?:C|V|mA|dBm)?` +
			`\s+(N/A|-?[\d.]+) *(?:C|V|mA|dBm)?\s+(N/A|-?[\d.]+) *(?:C|V|mA|dBm)?\s*$`,
	)
	copperLength = lazyregexp.New(`^\s+Link length supported for copper is (\d+) m$`)
)

// measured are the names of a module's measurements in facts.Optic.
var measured = map[string]string{"Temperature": "temperature", "Voltage": "voltage", "Current": "bias",
	"Tx Power": "send", "Rx Power": "receive"}

// readTransceiver reads "show interface transceiver" and its details: one block per port, with one per lane for a
// module of several lanes. Snapshots: ntc-templates, SFP, SFP28 of copper and CFP.
func readTransceiver(f *parse.Builder, _ []string, text []byte) error {
	if !transceiverForm.Match(text) {
		return parse.ToolError(text)
	}
	var n *facts.Interface
	lane := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n\t ")
		if m := transceiverPort.FindStringSubmatch(line); m != nil {
			n, lane = port(f, m[1]), 1
			continue
		}
		if n == nil {
			continue
		}
		if strings.TrimSpace(line) == "transceiver is present" {
			optic(n)
		}
		o := n.Wire.Optic
		if o == nil {
			continue
		}
		switch key, value, is := strings.Cut(strings.TrimSpace(line), " is "); {
		case strings.HasPrefix(line, "Lane Number:"):
			if strings.HasSuffix(line, " Network Lane") {
				lane = networkLane(o)
			}
		case strings.Contains(line, "Detail Diagnostics Information"):
			o.Diagnostics = unit.Known(true)
		case is:
			describe(o, key, value, line)
		default:
			if m := figureRow.FindStringSubmatch(line); m != nil {
				measure(o, lane, m, f.Proof(line))
			}
		}
	}
	return nil
}

// networkLane returns the number of the lane that begins: a CFP counts its common values as the first lane.
func networkLane(o *facts.Optic) int { return len(o.Lanes) + 1 }

// describe stores a property of a module.
func describe(o *facts.Optic, key, value, line string) {
	switch key {
	case "type":
		o.Types = []string{value}
	case "name":
		o.Vendor = value
	case "part number":
		o.Part = value
	case "revision":
		o.Revision = value
	}
	if m := copperLength.FindStringSubmatch(line); m != nil {
		o.Copper = true
		if m[1] != "0" {
			o.Length = m[1] + "m"
		}
	}
}

// measure stores a measurement of a lane with its limits.
func measure(o *facts.Optic, lane int, m []string, p facts.Proof) {
	what := measured[m[1]]
	value, _, _ := strings.Cut(m[2], " ")
	if o.Limits == nil {
		o.Limits = map[string]facts.Limits{}
	}
	o.Limits[what] = facts.Limits{HighAlarm: figure(m[3]), LowAlarm: figure(m[4]), HighWarning: figure(m[5]),
		LowWarning: figure(m[6])}
	v := figure(value)
	switch what {
	case "temperature":
		o.Temperature = v
	case "voltage":
		o.Voltage = v
	case "bias":
		o.Lane(lane).Bias = v
	case "send":
		o.Lane(lane).Send = v
	case "receive":
		o.Lane(lane).Receive = v
	}
	if !v.IsKnown() {
		return
	}
	if lane == 1 {
		o.Measured(what, p)
	}
	o.Measured(what+" "+strconv.Itoa(lane), p)
}

// figure reads a measurement of a module; N/A is unknown.
func figure(s string) unit.Opt[float64] {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < -1e6 || v > 1e6 {
		return unit.Unknown[float64]("the switch says " + strconv.Quote(s))
	}
	return unit.Known(v)
}

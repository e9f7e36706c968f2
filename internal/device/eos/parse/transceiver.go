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
	eosOpticRow   = lazyregexp.New(`^\s*(Et\d\S*)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(?:N/A|\d+:\d\d:\d\d ago|\d+ days?.*)\s*$`)
	eosLimitHead  = lazyregexp.New(`^\s+(Temperature|Voltage|Current|Tx Power|Rx Power)\s+Threshold\s`)
	eosLimitRow   = lazyregexp.New(`^\s*(Et\d\S*)\s+(-?[\d.]+)\s*(\+\+|--|\+|-)?\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$`)
	eosOpticTitle = lazyregexp.New(`(?m)^Port\s+\(Celsius\)\s+\(Volts\)`)
	eosLimitTitle = lazyregexp.New(`(?m)^\s+Temperature\s+Threshold\s+Threshold`)
)

// eosOptic returns the module of a port.
func eosOptic(f *parse.Builder, port string) (*facts.Interface, *facts.Optic) {
	n := eosPort(f, port)
	if n.Wire.Optic == nil {
		n.Wire.Optic = &facts.Optic{}
	}
	n.Wire.Optic.Lane(1)
	return n, n.Wire.Optic
}

// figure reads a measurement of a module; N/A and similar words are unknown.
func figure(s string) unit.Opt[float64] {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < -1e6 || v > 1e6 {
		return unit.Unknown[float64]("the switch says " + strconv.Quote(s))
	}
	return unit.Known(v)
}

// put stores one measurement of a module by the name of its limits.
func put(o *facts.Optic, what string, v unit.Opt[float64], p facts.Proof) {
	if !v.IsKnown() {
		return
	}
	switch l := &o.Lanes[0]; what {
	case "temperature":
		o.Temperature = v
	case "voltage":
		o.Voltage = v
	case "bias":
		l.Bias = v
	case "send":
		l.Send = v
	case "receive":
		l.Receive = v
	}
	o.Measured(what, p)
	o.Measured(what+" 1", p)
}

var eosMeasures = []string{"temperature", "voltage", "bias", "send", "receive"}

// readEOSOptics reads "show interfaces transceiver", text or JSON: a port is one lane. Snapshots: ntc-templates, a
// 7050SX3, napalm.
func readEOSOptics(f *parse.Builder, _ []string, text []byte) error {
	found := 0
	for line := range strings.Lines(string(text)) {
		m := eosOpticRow.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		found++
		_, o := eosOptic(f, m[1])
		for i, what := range eosMeasures {
			put(o, what, figure(m[2+i]), f.Proof(line))
		}
	}
	if found > 0 || eosOpticTitle.Match(text) {
		return nil
	}
	n, err := parse.JSONTree(text)
	if err != nil {
		return err
	}
	for _, p := range n.Kid("interfaces").Members() {
		if p.Kid("rxPower") == nil && p.Kid("txBias") == nil && p.Kid("temperature") == nil {
			continue
		}
		found++
		_, o := eosOptic(f, p.Key)
		for i, key := range []string{"temperature", "voltage", "txBias", "txPower", "rxPower"} {
			v := p.Kid(key)
			put(o, eosMeasures[i], figure(v.Str()), f.Proof(v.Line()))
		}
		if kind := p.Kid("mediaType").Str(); kind != "" {
			o.Types = []string{kind}
			o.Copper = strings.Contains(kind, "BASE-CR") || strings.Contains(kind, "BASE-T")
		}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// readEOSLimits reads "show interfaces transceiver detail": each value with its four limits, in the order high
// alarm, high warning, low alarm, low warning. Snapshot: ntc-templates.
func readEOSLimits(f *parse.Builder, _ []string, text []byte) error {
	what, found := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := eosLimitHead.FindStringSubmatch(line); m != nil {
			what = map[string]string{"Temperature": "temperature", "Voltage": "voltage", "Current": "bias", "Tx Power": "send",
				"Rx Power": "receive"}[m[1]]
			continue
		}
		m := eosLimitRow.FindStringSubmatch(line)
		if m == nil || what == "" {
			continue
		}
		found++
		_, o := eosOptic(f, m[1])
		put(o, what, figure(m[2]), f.Proof(line))
		if o.Limits == nil {
			o.Limits = map[string]facts.Limits{}
		}
		o.Limits[what] = facts.Limits{HighAlarm: figure(m[4]), HighWarning: figure(m[5]), LowAlarm: figure(m[6]),
			LowWarning: figure(m[7])}
	}
	if found == 0 {
		return parse.ToolError(text)
	}
	return nil
}

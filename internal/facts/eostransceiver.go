package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

var (
	eosOpticRow   = lazyregexp.New(`^\s*(Et\d\S*)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(?:N/A|\d+:\d\d:\d\d ago|\d+ days?.*)\s*$`)
	eosLimitHead  = lazyregexp.New(`^\s+(Temperature|Voltage|Current|Tx Power|Rx Power)\s+Threshold\s`)
	eosLimitRow   = lazyregexp.New(`^\s*(Et\d\S*)\s+(-?[\d.]+)\s*(\+\+|--|\+|-)?\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s*$`)
	eosOpticTitle = lazyregexp.New(`(?m)^Port\s+\(Celsius\)\s+\(Volts\)`)
	eosLimitTitle = lazyregexp.New(`(?m)^\s+Temperature\s+Threshold\s+Threshold`)
)

// eosOptic returns what is plugged into a port.
func (f *Facts) eosOptic(port string) (*Interface, *Optic) {
	n := f.eosPort(port)
	if n.Wire.Optic == nil {
		n.Wire.Optic = &Optic{}
	}
	n.Wire.Optic.lane(1)
	return n, n.Wire.Optic
}

// figure is a number that a module measures; N/A and the like are unknown.
func figure(s string) unit.Opt[float64] {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || v < -1e6 || v > 1e6 {
		return unit.Unknown[float64]("the switch says " + strconv.Quote(s))
	}
	return known(v)
}

// put keeps one figure of a module by the name that its limits have.
func (o *Optic) put(what string, v unit.Opt[float64], p Proof) {
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
	o.measured(what, p)
	o.measured(what+" 1", p)
}

var eosMeasures = []string{"temperature", "voltage", "bias", "send", "receive"}

// readEOSOptics reads "show interfaces transceiver", text or JSON: a port is one lane. Captures: ntc-templates, a 7050SX3, napalm.
func readEOSOptics(f *Facts, _ []string, text []byte) error {
	found := 0
	for line := range strings.Lines(string(text)) {
		m := eosOpticRow.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		found++
		_, o := f.eosOptic(m[1])
		for i, what := range eosMeasures {
			o.put(what, figure(m[2+i]), f.proof(line))
		}
	}
	if found > 0 || eosOpticTitle.Match(text) {
		return nil
	}
	n, err := jsonTree(text)
	if err != nil {
		return err
	}
	for _, p := range n.kid("interfaces").members() {
		if p.kid("rxPower") == nil && p.kid("txBias") == nil && p.kid("temperature") == nil {
			continue
		}
		found++
		_, o := f.eosOptic(p.key)
		for i, key := range []string{"temperature", "voltage", "txBias", "txPower", "rxPower"} {
			v := p.kid(key)
			o.put(eosMeasures[i], figure(v.str()), f.proof(v.line()))
		}
		if kind := p.kid("mediaType").str(); kind != "" {
			o.Types = []string{kind}
			o.Copper = strings.Contains(kind, "BASE-CR") || strings.Contains(kind, "BASE-T")
		}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

// readEOSLimits reads "show interfaces transceiver detail": each figure beside its four limits, in the order high alarm, high warning,
// low alarm, low warning. Capture: ntc-templates.
func readEOSLimits(f *Facts, _ []string, text []byte) error {
	what, found := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := eosLimitHead.FindStringSubmatch(line); m != nil {
			what = map[string]string{"Temperature": "temperature", "Voltage": "voltage", "Current": "bias", "Tx Power": "send", "Rx Power": "receive"}[m[1]]
			continue
		}
		m := eosLimitRow.FindStringSubmatch(line)
		if m == nil || what == "" {
			continue
		}
		found++
		_, o := f.eosOptic(m[1])
		o.put(what, figure(m[2]), f.proof(line))
		if o.Limits == nil {
			o.Limits = map[string]Limits{}
		}
		o.Limits[what] = Limits{HighAlarm: figure(m[4]), HighWarning: figure(m[5]), LowAlarm: figure(m[6]), LowWarning: figure(m[7])}
	}
	if found == 0 {
		return toolError(text)
	}
	return nil
}

package ethtool

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// readEthtoolModule reads "ethtool -m X", "KEY : VALUE" lines, in which keys repeat for each lane:
//
//	Identifier                                : 0x03 (SFP)
//	Laser output power                        : 0.8183 mW / -0.87 dBm
//	Rcvr signal avg optical power(Channel 1)  : 0.9720 mW / -0.12 dBm
//	Laser rx power low alarm                  : On
//	Module temperature high alarm threshold   : 100.00 degrees C / 212.00 degrees F
//
// Format: ethtool's sfpid.c, sff-common.c (SFF-8472, SFF-8636), cmis.c. Snapshots: SFP with and without diagnostics, a
// copper cable, QSFP28 and QSFP+; none of CMIS modules (QSFP-DD).
func readEthtoolModule(f *parse.Builder, args []string, text []byte) error {
	o := &facts.Optic{Limits: map[string]facts.Limits{}}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key, value = strings.Join(strings.Fields(key), " "), strings.TrimSpace(value)
		lane := 1
		if m := opticLane.FindStringSubmatch(key); m != nil {
			lane, _ = strconv.Atoi(m[1])
			key = strings.TrimSpace(strings.Replace(key, m[0], "", 1))
		}
		if lane < 1 || lane > 16 {
			continue
		}
		says(o, key, value, lane, f.Proof(line))
	}
	if o.Form == "" && o.Part == "" && len(o.Types) == 0 && o.Proofs == nil {
		if strings.TrimSpace(string(text)) == "" {
			return errors.New("it is empty: whether a module is plugged in is not known")
		}
		return parse.ToolError(text)
	}
	f.Interface(args[0]).Wire.Optic = o
	return nil
}

var (
	opticLane  = lazyregexp.New(`\(?Chan(?:nel)?\.? (\d+)\)?`)
	opticLimit = lazyregexp.New(`^(.*?) (high|low) (alarm|warning)( threshold)?$`)
	inBrackets = lazyregexp.New(`\(([^)]*)\)`)
)

// opticWhat returns the measurement of a key.
func opticWhat(key string) string {
	switch key {
	case "Module temperature":
		return "temperature"
	case "Module voltage":
		return "voltage"
	case "Laser bias current", "Laser tx bias current":
		return "bias"
	case "Laser output power", "Transmit avg optical power", "Laser tx power":
		return "send"
	case "Receiver signal average optical power", "Rcvr signal avg optical power", "Receiver signal OMA", "Laser rx power":
		return "receive"
	}
	return ""
}

// says processes one line.
func says(o *facts.Optic, key, value string, lane int, p facts.Proof) {
	switch key {
	case "Identifier":
		if m := inBrackets.FindStringSubmatch(value); m != nil {
			o.Form = m[1]
		}
	case "Transceiver type":
		o.Types = append(o.Types, value)
		o.Copper = o.Copper || strings.Contains(value, "Passive Cable") || strings.Contains(value, "Copper") ||
			strings.Contains(value, "CR4")
	case "Transmitter technology":
		o.Copper = o.Copper || strings.Contains(value, "Copper")
	case "Connector":
		o.Copper = o.Copper || strings.Contains(value, "Copper")
	case "Vendor name":
		o.Vendor = value
	case "Vendor PN":
		o.Part = value
	case "Vendor rev":
		o.Revision = value
	case "Length (Copper)", "Length (Copper or Active cable)", "Cable assembly length":
		if n, ok := leadingNumber(value); ok && n > 0 {
			o.Length = value
		}
	case "Laser wavelength":
		o.Wavelength = value
	case "Optical diagnostics support", "Alarm/warning flags implemented":
		o.Diagnostics = unit.Known(value == "Yes")
	}
	if m := opticLimit.FindStringSubmatch(key); m != nil {
		if m[4] == "" {
			if value == "On" || value == "Yes" {
				o.Raised = append(o.Raised, p)
			}
			return
		}
		if what := opticWhat(m[1]); what != "" {
			limit(o, what, m[2], m[3], opticValue(what, value))
		}
		return
	}
	what := opticWhat(key)
	v := opticValue(what, value)
	if what == "" || !v.IsKnown() {
		return
	}
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
	if lane > 1 {
		what += " " + strconv.Itoa(lane)
	}
	o.Measured(what, p)
}

func limit(o *facts.Optic, what, side, level string, v unit.Opt[float64]) {
	l := o.Limits[what]
	switch side + level {
	case "highalarm":
		l.HighAlarm = v
	case "lowalarm":
		l.LowAlarm = v
	case "highwarning":
		l.HighWarning = v
	case "lowwarning":
		l.LowWarning = v
	}
	o.Limits[what] = l
}

// opticValue reads a measurement in its unit: degrees C, V, mA, dBm.
func opticValue(what, text string) unit.Opt[float64] {
	if what == "send" || what == "receive" {
		_, text, _ = strings.Cut(text, "/") // "0.8183 mW / -0.87 dBm"
		if strings.Contains(text, "-inf") {
			return unit.Known(-60.0)
		}
	}
	if v, ok := leadingNumber(text); ok {
		return unit.Known(v)
	}
	return unit.Unknown[float64]("it is not a number")
}

// leadingNumber returns the number that a text begins with, also with a decimal comma.
func leadingNumber(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	n := 0
	for n < len(text) && strings.IndexByte("+-0123456789.,", text[n]) >= 0 {
		n++
	}
	v, err := strconv.ParseFloat(strings.Replace(text[:n], ",", ".", 1), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

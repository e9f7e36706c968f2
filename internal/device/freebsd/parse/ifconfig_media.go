package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// ifMedia is the state of a link, in ifconfig's line "media: Ethernet autoselect (10Gbase-SR
// <full-duplex,rxpause,txpause>)".
type ifMedia struct {
	set     string          // configured: "autoselect", "50GBase-CR2"
	active  string          // in effect: "10Gbase-SR"; empty: not printed
	options map[string]bool // in effect: "full-duplex", "rxpause"; nil: not printed
	line    string
}

var (
	ifMediaForm = lazyregexp.New(`^media: \S+ ([^<(]+?)(?: *<([^>]*)>)?(?: \(([^<)]*?)(?: *<([^>]*)>)?\))?$`)
	ifSubtype   = lazyregexp.New(`(?i)^(\d+(?:\.\d+)?)(G?)Base`)
)

// parseIfMedia reads a line "media:". The part in brackets is in effect; without brackets, the configured media is.
func parseIfMedia(line string) ifMedia {
	m := ifMediaForm.FindStringSubmatch(line)
	if m == nil {
		return ifMedia{line: line}
	}
	media := ifMedia{set: m[1], active: m[3], line: line}
	options := m[4]
	if m[3] == "" {
		media.active, options = m[1], m[2]
	}
	if options != "" {
		media.options = wordSet(options)
	}
	return media
}

// rate returns the speed of the media in effect; 0: unknown.
func (m ifMedia) rate() unit.BitRate {
	s := ifSubtype.FindStringSubmatch(m.active)
	if s == nil {
		return 0
	}
	n, err := strconv.ParseFloat(s[1], 64)
	if err != nil || n > 1e6 {
		return 0
	}
	if s[2] != "" {
		return unit.BitRate(n * 1e9)
	}
	return unit.BitRate(n * 1e6)
}

// putMedia stores speed and duplex of a link that is up, and its pause.
func (i *ifInterface) putMedia(f *parse.Builder, n *facts.Interface) {
	why := "ifconfig names no media for it"
	switch {
	case i.status != "" && i.status != "active":
		why = "there is no link"
	case i.media.line != "":
		why = "the media that ifconfig names has no speed: " + i.media.line
	}
	n.Speed, n.Duplex = unit.Unknown[unit.BitRate](why), unit.Unknown[string](why)
	if i.status != "active" || i.media.active == "" {
		return
	}
	n.Wire.Media = i.media.set
	n.Proves("media", f.Proof(i.media.line))
	line := f.Proof(i.media.line)
	if rate := i.media.rate(); rate > 0 {
		n.Speed = unit.Known(rate)
		n.Proves("speed", line)
	}
	for _, d := range []string{"full", "half"} {
		if i.media.options[d+"-duplex"] {
			n.Duplex = unit.Known(d)
			n.Proves("duplex", line)
		}
	}
	if i.media.options != nil {
		if n.Effect == nil {
			n.Effect = new(facts.Classes)
		}
		n.Effect.PauseRx, n.Effect.PauseTx = unit.Known(i.media.options["rxpause"]), unit.Known(i.media.options["txpause"])
		n.Effect.Proves("pause", line)
	}
}

// ifOptic is a module as "ifconfig -v" prints it.
type ifOptic struct {
	plugged, vendor, part string
	temperature, voltage  unit.Opt[float64]
	receive, bias, send   []unit.Opt[float64] // dBm, mA, dBm, by lane
	lines                 map[string]string
}

var (
	ifVendor = lazyregexp.New(`^vendor: (.*?) PN: (.*?) SN: `)
	ifHeat   = lazyregexp.New(`(?i)^module temperature: (-?[\d.]+) C voltage: ([\d.]+) Volts`)
	ifLane   = lazyregexp.New(`^(?:lane (\d+): )?RX(?: power)?: ([\d.]+) mW \((-?[\d.]+|-inf) dBm\)(?: TX(?: (bias|power))?: ([\d.]+) (mA|mW)(?: \((-?[\d.]+|-inf) dBm\))?)?`)
)

// module reads the lines of a module.
func (n *ifInterface) module(words []string, line string) {
	switch {
	case words[0] == "plugged:":
		n.optic = &ifOptic{plugged: strings.Join(words[1:], " "), lines: map[string]string{}}
	case n.optic == nil:
	case words[0] == "vendor:":
		if m := ifVendor.FindStringSubmatch(line); m != nil {
			n.optic.vendor, n.optic.part = strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
		}
	case words[0] == "module":
		if m := ifHeat.FindStringSubmatch(line); m != nil {
			n.optic.temperature, n.optic.voltage = decimal(m[1]), decimal(m[2])
			n.optic.lines["temperature"] = line
		}
	case words[0] == "lane" || words[0] == "RX:":
		m := ifLane.FindStringSubmatch(line)
		if m == nil || len(n.optic.receive) >= 8 {
			return
		}
		unknown := unit.Unknown[float64]("ifconfig does not print it for this module")
		receive, bias, send := decimal(m[3]), unknown, unknown
		if m[6] == "mA" {
			bias = decimal(m[5])
		} else if m[7] != "" {
			send = decimal(m[7])
		}
		n.optic.receive, n.optic.bias, n.optic.send = append(n.optic.receive, receive), append(n.optic.bias, bias),
			append(n.optic.send, send)
		n.optic.lines["receive "+strconv.Itoa(len(n.optic.receive))] = line
	}
}

// decimal reads a number; -inf stands for zero power, below the least value of modules.
func decimal(s string) unit.Opt[float64] {
	if s == "-inf" {
		return unit.Known(-40.0)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return unit.Unknown[float64](strconv.Quote(s) + " is not a number")
	}
	return unit.Known(v)
}

// ifPlugged is "SFP/SFP+/SFP28 10G Base-SR (LC)", "QSFP28 Unknown (MPO 1x12 Parallel Optic)": cage, standard, plug.
var ifPlugged = lazyregexp.New(`^(\S+) (.*?)(?: \(([^()]*)\))?$`)

// putOptic stores the module's values. ifconfig does not print its limits, nor the transmit power of a QSFP. "Unknown"
// is a standard that ifconfig cannot name.
func (i *ifInterface) putOptic(f *parse.Builder, n *facts.Interface) {
	of := i.optic
	o := &facts.Optic{Form: of.plugged, Vendor: of.vendor, Part: of.part, Temperature: of.temperature, Voltage: of.voltage,
		Diagnostics: unit.Unknown[bool]("ifconfig does not print whether the module measures itself")}
	if m := ifPlugged.FindStringSubmatch(of.plugged); m != nil {
		o.Form = m[1]
		if m[2] != "Unknown" {
			o.Types = []string{m[2]}
		}
		plug := strings.ToLower(m[2] + " " + m[3])
		o.Copper = strings.Contains(plug, "copper") || strings.Contains(plug, "base-t") || strings.Contains(plug, "rj45")
	}
	if !o.Temperature.IsKnown() {
		o.Temperature = unit.Unknown[float64]("ifconfig does not print it for this module")
	}
	if !o.Voltage.IsKnown() {
		o.Voltage = unit.Unknown[float64]("ifconfig does not print it for this module")
	}
	if of.temperature.IsKnown() || len(of.receive) > 0 {
		o.Diagnostics = unit.Known(true)
	}
	if line := of.lines["temperature"]; line != "" {
		o.Measured("temperature", f.Proof(line))
		o.Measured("voltage", f.Proof(line))
	}
	for k := range of.receive {
		o.Lanes = append(o.Lanes, facts.OpticLane{Bias: of.bias[k], Send: of.send[k], Receive: of.receive[k]})
		name := ""
		if k > 0 {
			name = " " + strconv.Itoa(k+1)
		}
		p := f.Proof(of.lines["receive "+strconv.Itoa(k+1)])
		for _, what := range []string{"receive", "bias", "send"} {
			o.Measured(what+name, p)
		}
	}
	n.Wire.Optic = o
}

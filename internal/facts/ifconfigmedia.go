package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
)

// ifMedia is how a link runs, by ifconfig's line "media: Ethernet autoselect (10Gbase-SR <full-duplex,rxpause,txpause>)".
type ifMedia struct {
	set     string          // what is asked for: "autoselect", "50GBase-CR2"
	active  string          // how it runs: "10Gbase-SR"; empty: not said
	options map[string]bool // of what runs: "full-duplex", "rxpause"; nil: not said
	line    string
}

var (
	ifMediaForm = lazyregexp.New(`^media: \S+ ([^<(]+?)(?: *<([^>]*)>)?(?: \(([^<)]*?)(?: *<([^>]*)>)?\))?$`)
	ifSubtype   = lazyregexp.New(`(?i)^(\d+(?:\.\d+)?)(G?)Base`)
)

// parseIfMedia reads a line "media:". What is in brackets is what runs; without any, what is set is what runs.
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

// rate is the speed of what runs; 0: it says none.
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
func (i *ifInterface) putMedia(f *Facts, n *Interface) {
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
	n.proves("media", f.proof(i.media.line))
	line := f.proof(i.media.line)
	if rate := i.media.rate(); rate > 0 {
		n.Speed = known(rate)
		n.proves("speed", line)
	}
	for _, d := range []string{"full", "half"} {
		if i.media.options[d+"-duplex"] {
			n.Duplex = known(d)
			n.proves("duplex", line)
		}
	}
	if i.media.options != nil {
		if n.Effect == nil {
			n.Effect = new(Classes)
		}
		n.Effect.PauseRx, n.Effect.PauseTx = known(i.media.options["rxpause"]), known(i.media.options["txpause"])
		n.Effect.proves("pause", line)
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
		n.optic.receive, n.optic.bias, n.optic.send = append(n.optic.receive, receive), append(n.optic.bias, bias), append(n.optic.send, send)
		n.optic.lines["receive "+strconv.Itoa(len(n.optic.receive))] = line
	}
}

// decimal reads a number; -inf is a power that is not there, the floor of what modules print.
func decimal(s string) unit.Opt[float64] {
	if s == "-inf" {
		return known(-40.0)
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return unit.Unknown[float64](strconv.Quote(s) + " is no number")
	}
	return known(v)
}

// ifPlugged is "SFP/SFP+/SFP28 10G Base-SR (LC)", "QSFP28 Unknown (MPO 1x12 Parallel Optic)": cage, way, plug.
var ifPlugged = lazyregexp.New(`^(\S+) (.*?)(?: \(([^()]*)\))?$`)

// putOptic stores what the module says. ifconfig prints neither its limits nor, of a QSFP, the light that it sends. "Unknown" is a way
// that ifconfig has no word for.
func (i *ifInterface) putOptic(f *Facts, n *Interface) {
	of := i.optic
	o := &Optic{Form: of.plugged, Vendor: of.vendor, Part: of.part, Temperature: of.temperature, Voltage: of.voltage,
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
		o.Diagnostics = known(true)
	}
	if line := of.lines["temperature"]; line != "" {
		o.measured("temperature", f.proof(line))
		o.measured("voltage", f.proof(line))
	}
	for k := range of.receive {
		o.Lanes = append(o.Lanes, OpticLane{Bias: of.bias[k], Send: of.send[k], Receive: of.receive[k]})
		name := ""
		if k > 0 {
			name = " " + strconv.Itoa(k+1)
		}
		p := f.proof(of.lines["receive "+strconv.Itoa(k+1)])
		for _, what := range []string{"receive", "bias", "send"} {
			o.measured(what+name, p)
		}
	}
	n.Wire.Optic = o
}

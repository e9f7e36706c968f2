package rdma

import (
	"cmp"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var (
	rulerLine  = lazyregexp.New(`^=+ ([\w.-]+)\b.*=+\s*$`)
	speedNames = lazyregexp.New(`\(([^)]*)\)\s*$`)
)

// readMlxlink reads "mlxlink -d X", with -m and -c or without.
// Format: NVIDIA's MFT manual, mlxlink. What -e (eye) and --port_type PCIE print was in no snapshot and is not read.
//
//	Speed                           : IB-HDR
//	Width                           : 2x
//	Enabled Link Speed              : 0x00000075 (HDR,EDR,FDR,QDR,SDR)
//	Raw Physical BER                : 1E-8
//	Link Down Counter               : 0
func readMlxlink(f *parse.Builder, args []string, text []byte) error {
	phy, seen, any := newPhy(""), false, false
	if len(args) > 0 {
		phy.Device = args[0]
	}
	flush := func() {
		if seen && len(f.Phys) < 4096 {
			f.Phys = append(f.Phys, phy)
			any = true
		}
	}
	names := func(value string) (out []string) {
		if m := speedNames.FindStringSubmatch(value); m != nil {
			for _, s := range strings.Split(m[1], ",") {
				out = append(out, strings.TrimSpace(s))
			}
		}
		return out
	}
	for line := range strings.Lines(string(text)) {
		p := f.Proof(line)
		if m := rulerLine.FindStringSubmatch(line); m != nil { // of a loop over several ports
			flush()
			phy, seen = newPhy(m[1]), false
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if key, value = strings.TrimSpace(key), strings.TrimSpace(value); !ok || value == "" || value == "N/A" {
			continue
		}
		switch key {
		case "State":
			phy.State, seen = value, true
		case "Speed":
			phy.Speed, seen = value, true
			if g, ok := strings.CutPrefix(value, "IB-"); ok {
				phy.Lane = g
			}
			phy.Proofs["speed"] = p
		case "Width":
			phy.Lanes, _ = strconv.Atoi(strings.TrimRight(value, "xX"))
		case "FEC":
			phy.FEC = value
		case "Firmware Version":
			phy.Firmware = value
		case "Enabled Link Speed", "Enabled Link Speed (Ext.)":
			phy.Enabled = names(value)
		case "Supported Cable Speed", "Supported Cable Speed (Ext.)":
			phy.Cable = names(value)
		case "Status Opcode":
			phy.Opcode, _ = strconv.Atoi(value)
		case "Recommendation":
			phy.Advice = value
			phy.Proofs["advice"] = p
		case "Time Since Last Clear [Min]":
			if v, err := strconv.ParseFloat(value, 64); err == nil && v >= 0 {
				phy.Minutes = unit.Known(v)
			}
		case "Raw Physical BER":
			phy.RawBER, seen = errorRate(value), true
			phy.Proofs["raw"] = p
		case "Effective Physical BER":
			phy.EffectiveBER, seen = errorRate(value), true
			phy.Proofs["effective"] = p
		case "Effective Physical Errors", "Link Down Counter":
			what := map[string]facts.Counted{"Effective Physical Errors": facts.BadBlocks,
				"Link Down Counter": facts.LinkDowns}[key]
			if n, err := strconv.ParseUint(value, 10, 64); err == nil {
				subject := cmp.Or(phy.Device, parse.UnnamedPort)
				f.Counted(what, subject, n, unit.Unknown[uint64]("mlxlink names no frames"), line)
			}
		}
	}
	flush()
	if !any {
		return parse.ToolError(text)
	}
	return nil
}

func newPhy(device string) facts.Phy {
	const with = "it is not in the text; mlxlink shows it with -c"
	return facts.Phy{Device: device, Proofs: map[string]facts.Proof{}, RawBER: unit.Unknown[float64](with),
		EffectiveBER: unit.Unknown[float64](with), Minutes: unit.Unknown[float64](with)}
}

// errorRate reads 1E-8; 15E-255 means none.
func errorRate(word string) unit.Opt[float64] {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return unit.Unknown[float64]("mlxlink says " + strconv.Quote(word))
	}
	if v < 1e-200 {
		v = 0
	}
	return unit.Known(v)
}

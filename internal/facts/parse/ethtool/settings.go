package ethtool

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// readEthtoolFEC reads "ethtool --show-fec X", with or without -I:
//
//	FEC parameters for eth0:
//	Supported/Configured FEC encodings: Auto
//	Active FEC encoding: RS
//	Statistics:
//	  corrected_blocks: 256
//	    Lane 0: 255
//	  uncorrectable_blocks: 145
//
// Several encodings are in one line. Format: ethtool's netlink/fec.c.
func readEthtoolFEC(f *parse.Builder, args []string, text []byte) error {
	nic, fec := f.Interface(args[0]), &facts.FEC{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		switch key = strings.TrimSpace(key); {
		case strings.HasSuffix(key, "onfigured FEC encodings"):
			fec.Configured = fecNames(value)
			nic.Proves("fec configured", f.Proof(line))
		case strings.HasPrefix(key, "Active FEC encoding"):
			fec.Active = fecNames(value)
			nic.Proves("fec", f.Proof(line))
		case key == "uncorrectable_blocks":
			if v, ok := parse.Number(value); ok {
				f.Counted(facts.BadBlocks, nic.Name, v, received(nic), line)
			}
		}
	}
	if fec.Configured == nil && fec.Active == nil {
		return parse.ToolError(text)
	}
	nic.Wire.FEC = fec
	return nil
}

// fecNames returns the FEC encodings of a line: "RS BaseR", "Auto".
func fecNames(value string) (out []string) {
	for _, word := range strings.Fields(value) {
		out = append(out, facts.FECName(word))
	}
	return out
}

// received returns how many frames the interface received, if an earlier source has it.
func received(n *facts.Interface) unit.Opt[uint64] {
	if v, ok := n.Counters["rx_packets"]; ok {
		return unit.Known(v)
	}
	return unit.Unknown[uint64]("the frames received are not in this output")
}

// readEthtoolPause reads "ethtool -a X": the settings, then the negotiated ones, in releases that use netlink.
//
//	Autonegotiate:  on
//	RX:             off
//	TX:             off
//	RX negotiated:  on
//
// Format: ethtool's netlink/pause.c.
func readEthtoolPause(f *parse.Builder, args []string, text []byte) error {
	nic, p, found := f.Interface(args[0]), &facts.Pause{}, false
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		on := parseOnOff(value)
		if !ok || !on.IsKnown() {
			continue
		}
		found = true
		switch strings.TrimSpace(key) {
		case "Autonegotiate":
			p.Autoneg = on
		case "RX", "RX negotiated":
			p.Receive = on
			nic.Proves("pause receive", f.Proof(line))
		case "TX", "TX negotiated":
			p.Send = on
			nic.Proves("pause send", f.Proof(line))
		}
	}
	if !found {
		return parse.ToolError(text)
	}
	nic.Wire.Pause = p
	return nil
}

// readEthtoolRings reads "ethtool -g X": the maximums, then the settings. Format: ethtool's netlink/rings.c.
//
//	Pre-set maximums:
//	RX:     4096
//	Current hardware settings:
//	RX:     1024
func readEthtoolRings(f *parse.Builder, args []string, text []byte) error {
	nic, r, current := f.Interface(args[0]), &facts.Rings{}, false
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key = strings.TrimSpace(key)
		current = current || strings.HasPrefix(key, "Current hardware settings")
		v, ok := parse.Number(value)
		if !ok || v > 1<<24 {
			continue
		}
		switch {
		case key == "RX" && current:
			r.Receive = unit.Known(int(v))
			nic.Proves("ring receive", f.Proof(line))
		case key == "RX":
			r.ReceiveMax = unit.Known(int(v))
		case key == "TX" && current:
			r.Send = unit.Known(int(v))
			nic.Proves("ring send", f.Proof(line))
		case key == "TX":
			r.SendMax = unit.Known(int(v))
		}
	}
	if !r.Receive.IsKnown() && !r.Send.IsKnown() {
		return parse.ToolError(text)
	}
	nic.Wire.Rings = r
	return nil
}

// parseEthtoolCoalesce reads "ethtool -c X": "rx-usecs: 3" lines, and one of the adaptive ones. It ignores values that
// are not numbers. Format: ethtool's netlink/coalesce.c.
func parseEthtoolCoalesce(text []byte) (map[string]int64, error) {
	out := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		if key == "Adaptive RX" { // "Adaptive RX: off  TX: off"
			rx, tx, _ := strings.Cut(value, "TX:")
			for name, word := range map[string]string{"adaptive-rx": rx, "adaptive-tx": tx} {
				if on, known := parseOnOff(word).Get(); known {
					out[name] = map[bool]int64{true: 1}[on]
				}
			}
			continue
		}
		if v, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
			out[strings.TrimSpace(key)] = v
		}
	}
	if len(out) == 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

// parseEthtoolFlags reads "ethtool --show-priv-flags X": "rx_cqe_compress: off" lines below a header. Format: ethtool's
// netlink/privflags.c; no snapshot exists.
func parseEthtoolFlags(text []byte) (map[string]bool, error) {
	out := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if on, ok := parseOnOff(value).Get(); ok && !strings.HasPrefix(key, "Private flags for") {
			out[strings.TrimSpace(key)] = on
		}
	}
	if len(out) == 0 {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/unit"
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
// Several encodings stand in one line. Format: ethtool's netlink/fec.c.
func readEthtoolFEC(f *Facts, args []string, text []byte) error {
	nic, fec := f.nic(args[0]), &FEC{}
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		switch key = strings.TrimSpace(key); {
		case strings.HasSuffix(key, "onfigured FEC encodings"):
			fec.Configured = fecNames(value)
			nic.proves("fec configured", f.proof(line))
		case strings.HasPrefix(key, "Active FEC encoding"):
			fec.Active = fecNames(value)
			nic.proves("fec", f.proof(line))
		case key == "uncorrectable_blocks":
			if v, ok := number(value); ok {
				f.counted(BadBlocks, nic.Name, v, nic.received(), line)
			}
		}
	}
	if fec.Configured == nil && fec.Active == nil {
		return toolError(text)
	}
	nic.Wire.FEC = fec
	return nil
}

// fecNames are the corrections of a line: "RS BaseR", "Auto".
func fecNames(value string) (out []string) {
	for _, word := range strings.Fields(value) {
		out = append(out, fecName(word))
	}
	return out
}

// received is how many frames the interface received, if a source before this one said so.
func (n *Interface) received() unit.Opt[uint64] {
	if v, ok := n.Counters["rx_packets"]; ok {
		return known(v)
	}
	return unit.Unknown[uint64]("the frames received are not in this output")
}

// readEthtoolPause reads "ethtool -a X": how it is set, then what the ends agreed on, in releases that ask the kernel by netlink.
//
//	Autonegotiate:  on
//	RX:             off
//	TX:             off
//	RX negotiated:  on
//
// Format: ethtool's netlink/pause.c.
func readEthtoolPause(f *Facts, args []string, text []byte) error {
	nic, p, found := f.nic(args[0]), &Pause{}, false
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
			nic.proves("pause receive", f.proof(line))
		case "TX", "TX negotiated":
			p.Send = on
			nic.proves("pause send", f.proof(line))
		}
	}
	if !found {
		return toolError(text)
	}
	nic.Wire.Pause = p
	return nil
}

// readEthtoolRings reads "ethtool -g X": the maxima, then what is set. Format: ethtool's netlink/rings.c.
//
//	Pre-set maximums:
//	RX:     4096
//	Current hardware settings:
//	RX:     1024
func readEthtoolRings(f *Facts, args []string, text []byte) error {
	nic, r, current := f.nic(args[0]), &Rings{}, false
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		key = strings.TrimSpace(key)
		current = current || strings.HasPrefix(key, "Current hardware settings")
		v, ok := number(value)
		if !ok || v > 1<<24 {
			continue
		}
		switch {
		case key == "RX" && current:
			r.Receive = known(int(v))
			nic.proves("ring receive", f.proof(line))
		case key == "RX":
			r.ReceiveMax = known(int(v))
		case key == "TX" && current:
			r.Send = known(int(v))
			nic.proves("ring send", f.proof(line))
		case key == "TX":
			r.SendMax = known(int(v))
		}
	}
	if !r.Receive.IsKnown() && !r.Send.IsKnown() {
		return toolError(text)
	}
	nic.Wire.Rings = r
	return nil
}

// parseEthtoolCoalesce reads "ethtool -c X": "rx-usecs: 3" lines, and one of the adaptive ones. What has no number is left out.
// Format: ethtool's netlink/coalesce.c.
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
		return nil, toolError(text)
	}
	return out, nil
}

// parseEthtoolFlags reads "ethtool --show-priv-flags X": "rx_cqe_compress: off" lines below a head. Format: ethtool's
// netlink/privflags.c; there is no capture of it.
func parseEthtoolFlags(text []byte) (map[string]bool, error) {
	out := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		key, value, _ := strings.Cut(line, ":")
		if on, ok := parseOnOff(value).Get(); ok && !strings.HasPrefix(key, "Private flags for") {
			out[strings.TrimSpace(key)] = on
		}
	}
	if len(out) == 0 {
		return nil, toolError(text)
	}
	return out, nil
}

package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
)

var (
	ifconfigHead  = lazyregexp.New(`^([A-Za-z][^\s:]*(?::\d+)?):? +(?:flags=\d+<([^>]*)> +mtu (\d+)|Link encap:)`)
	ifconfigPairs = lazyregexp.New(`[^\s:\d][^\s:\d]*[ :](\d[\d., ']*)`)
)

// readLinuxIfconfig reads Linux' ifconfig in both of its forms:
//
//	RX packets 138830  bytes 178583682 (178.5 MB)
//	RX errors 0  dropped 0  overruns 0  frame 0
//
// and, of net-tools before 2.0, "RX packets:138830 errors:0 dropped:0 overruns:0 frame:0". Some languages translate the
// words, so the order counts, which is the same in all. No snapshot of a translated output exists. Format: net-tools'
// lib/interface.c, ife_print_long.
func readLinuxIfconfig(f *parse.Builder, _ []string, text []byte) error {
	var nic *facts.Interface
	side, errors := 0, false // lines with counters so far; the first is for receiving
	done := func() {
		if nic != nil && nic.Counters != nil {
			iproute.CountInterface(f, nic, "", "")
		}
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := ifconfigHead.FindStringSubmatch(line); m != nil {
			done()
			nic, side, errors = f.Interface(m[1]), 0, false
			if m[2] != "" {
				flags := "," + m[2] + ","
				nic.Up, nic.UpKnown = strings.Contains(flags, ",UP,"), true
				if nic.Up {
					nic.Carrier = unit.Known(strings.Contains(flags, ",RUNNING,"))
				}
				nic.MTU, _ = strconv.Atoi(m[3])
				nic.Proves("flags", f.Proof(line))
			}
			continue
		}
		trimmed := strings.TrimSpace(line)
		if nic == nil || strings.HasPrefix(trimmed, "inet") || strings.HasPrefix(trimmed, "ether") ||
			strings.HasPrefix(trimmed, "loop") || strings.HasPrefix(trimmed, "UP ") {
			continue
		}
		values := counts(trimmed)
		names := [][]string{{"rx_packets", "rx_errors", "rx_dropped", "rx_fifo_errors", "rx_frame_errors"},
			{"tx_packets", "tx_errors", "tx_dropped", "tx_fifo_errors", "tx_carrier_errors"}}[side%2]
		switch {
		case len(values) == 5 && !errors: // the old form has all in one line
		case len(values) >= 2 && !errors && strings.Contains(trimmed, "("): // packets and bytes
			names, errors = []string{names[0], names[0][:3] + "bytes"}, true
			side-- // its errors follow
		case len(values) >= 4 && errors:
			names, errors = names[1:], false
		default:
			continue
		}
		side++
		if nic.Counters == nil {
			nic.Counters = map[string]uint64{}
		}
		for i := range min(len(names), len(values)) {
			nic.Counters[names[i]] = values[i]
		}
	}
	if nic == nil {
		return parse.ToolError(text)
	}
	done()
	return nil
}

// counts returns the numbers of "word number" or "word:number" pairs, in their order.
func counts(line string) (out []uint64) {
	line, _, _ = strings.Cut(line, "(")
	for _, m := range ifconfigPairs.FindAllStringSubmatch(line, -1) {
		if v, ok := parse.Number(strings.TrimRight(m[1], "., '")); ok {
			out = append(out, v)
		}
	}
	return out
}

// readNetstatInterfaces reads Linux' "netstat -i": columns below headers that name them. Format: net-tools'
// lib/interface.c, ife_print_short.
//
//	Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
//	ens33     1500      245      0      0 0           197      0      0      0 BMRU
func readNetstatInterfaces(f *parse.Builder, _ []string, text []byte) error {
	var columns []string
	found := false
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) > 5 && strings.Contains(line, "RX-OK"):
			columns = words
		case columns != nil && len(words) == len(columns):
			nic := f.Interface(words[0])
			nic.Counters = map[string]uint64{}
			for i, c := range columns {
				name := map[string]string{"RX-OK": "rx_packets", "RX-ERR": "rx_errors", "RX-DRP": "rx_dropped",
					"RX-OVR": "rx_fifo_errors",
					"TX-OK":  "tx_packets", "TX-ERR": "tx_errors", "TX-DRP": "tx_dropped", "TX-OVR": "tx_fifo_errors"}[c]
				if v, ok := parse.Number(words[i]); ok && name != "" {
					nic.Counters[name] = v
				}
				if v, ok := parse.Number(words[i]); ok && c == "MTU" && v < 1<<20 {
					nic.MTU = int(v)
				}
			}
			iproute.CountInterface(f, nic, line, line)
			found = true
		}
	}
	if !found {
		return parse.ToolError(text)
	}
	return nil
}

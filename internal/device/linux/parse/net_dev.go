package parse

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/facts/parse"
	"linerate/internal/facts/parse/iproute"
)

// NetDevColumns are the counters of /proc/net/dev in their order, under sysfs's names. The file adds several counters
// together: drop includes missed, frame all framing errors of a receiver, carrier all errors of a sender.
var NetDevColumns = [16]string{"rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "rx_fifo_errors", "rx_frame_errors",
	"rx_compressed", "multicast", "tx_bytes", "tx_packets", "tx_errors", "tx_dropped", "tx_fifo_errors", "collisions",
	"tx_carrier_errors", "tx_compressed"}

// ParseNetDev reads the counters of every interface from the text of /proc/net/dev: two header lines, then one line per
// interface. A name may contain a colon (an alias of old systems); the counters start after the last one. Source:
// net/core/net-procfs.c, dev_seq_printf_stats.
func ParseNetDev(text []byte) (map[string]map[string]uint64, error) {
	out := map[string]map[string]uint64{}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		if strings.Contains(line, "|") || strings.TrimSpace(line) == "" {
			continue
		}
		at := strings.LastIndexByte(line, ':')
		if at < 0 {
			return out, parse.Partial{Err: fmt.Errorf("line %d: %.40q has no colon behind the interface's name", n,
				strings.TrimSpace(line))}
		}
		name, fields := strings.TrimSpace(line[:at]), strings.Fields(line[at+1:])
		if name == "" || len(fields) < len(NetDevColumns) {
			return out, parse.Partial{Err: fmt.Errorf("line %d: %.40q has %d counters; %d are needed", n, name, len(fields),
				len(NetDevColumns))}
		}
		counters := make(map[string]uint64, len(NetDevColumns))
		for i, column := range NetDevColumns {
			v, err := strconv.ParseUint(fields[i], 10, 64)
			if err != nil {
				return out, parse.Partial{Err: fmt.Errorf("line %d: %s of %.40q is %.40q, no counter", n, column, name, fields[i])}
			}
			counters[column] = v
		}
		out[name] = counters
	}
	if len(out) == 0 {
		return nil, errors.New("it names no interface")
	}
	return out, nil
}

// putNetDev stores the counters of a pasted /proc/net/dev. Those of more detailed sources take precedence.
func putNetDev(f *parse.Builder, _ []string, all map[string]map[string]uint64) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		nic, counters := f.Interface(name), all[name]
		if nic.Counters == nil {
			nic.Counters = map[string]uint64{}
		}
		for k, v := range counters {
			if _, there := nic.Counters[k]; !there {
				nic.Counters[k] = v
			}
		}
		iproute.CountInterface(f, nic, "", "")
	}
}

package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
)

// counter stores a counter of the driver's with the line that says it.
func (p *RDMAPort) counter(f *Facts, name string, value uint64, line string) {
	if p.HWCounters == nil {
		p.HWCounters = map[string]uint64{}
	}
	if _, twice := p.HWCounters[name]; !twice {
		p.HWCounters[name] = value
		p.says(name, f.proof(line))
	}
}

// readRDMAStatistic reads "rdma statistic" (also stat, show, -p), whose counters are those of hw_counters: all of a port behind
// its name on one line, or with -p each on its own below it. With -j it is a list of objects.
// Format: iproute2's rdma/stat.c; https://man7.org/linux/man-pages/man8/rdma-statistic.8.html. No capture of its JSON was at hand.
//
//	link mlx5_0/1 rx_write_requests 0 out_of_buffer 135 ..
func readRDMAStatistic(f *Facts, _ []string, text []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return readRDMAStatisticJSON(f, text)
	}
	var p *RDMAPort
	seen := false
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) >= 2 && w[0] == "link" {
			device, port, ok := rdmaPortName(w[1])
			if p = nil; !ok {
				continue
			}
			p, seen = f.rdma(device).port(port), true
			w = w[2:]
		}
		for p != nil && len(w) >= 2 {
			if n, err := strconv.ParseUint(w[1], 10, 64); err == nil && len(w[0]) < 64 {
				p.counter(f, w[0], n, line)
				w = w[2:]
			} else {
				w = w[1:]
			}
		}
	}
	if !seen {
		return toolError(text)
	}
	return nil
}

func readRDMAStatisticJSON(f *Facts, text []byte) error {
	var list []map[string]any
	if err := parseJSON(text, &list); err != nil {
		return err
	}
	for _, o := range list {
		device, _ := o["ifname"].(string)
		port, _ := o["port"].(float64)
		if !isDeviceName(device) || port < 1 || port > 255 {
			continue
		}
		p := f.rdma(device).port(int(port))
		for name, v := range o {
			if n, ok := v.(float64); ok && n >= 0 && n < 1<<63 && name != "port" && name != "ifindex" && len(name) < 64 {
				p.counter(f, name, uint64(n), name+" "+strconv.FormatFloat(n, 'f', 0, 64))
			}
		}
	}
	return nil
}

var (
	showCountersHead = lazyregexp.New(`^Port (\d{1,3}) (hw )?counters:`)
	showCounterLine  = lazyregexp.New(`^([A-Za-z0-9_]{2,63}):\s+(\d+)$`)
)

// readShowCounters reads "show_counters DEVICE" of mlnx-tools: the files of counters and hw_counters of each port. It does
// not name the device; its name is what it was asked for.
// Format: https://github.com/Mellanox/mlnx-tools, sbin/show_counters.
//
//	Port 1 hw counters:
//	out_of_sequence: 1811101
func readShowCounters(f *Facts, args []string, text []byte) error {
	device := unnamedPort
	if len(args) > 0 {
		device = args[0]
	}
	var p *RDMAPort
	own := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := showCountersHead.FindStringSubmatch(line); m != nil {
			if n, _ := strconv.Atoi(m[1]); n > 0 && n < 256 {
				p, own = f.rdma(device).port(n), m[2] != ""
			}
			continue
		}
		m := showCounterLine.FindStringSubmatch(line)
		if m == nil || p == nil || m[1] == "lifespan" {
			continue
		}
		n, err := strconv.ParseUint(m[2], 10, 64)
		if err != nil {
			continue
		}
		if own {
			p.counter(f, m[1], n, line)
			continue
		}
		if p.Counters == nil {
			p.Counters = map[string]uint64{}
		}
		p.Counters[m[1]] = n
		p.says(m[1], f.proof(line))
	}
	if p == nil {
		return toolError(text)
	}
	return nil
}

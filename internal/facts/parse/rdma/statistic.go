package rdma

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// counter stores a counter of the driver with its line.
func counter(p *facts.RDMAPort, f *parse.Builder, name string, value uint64, line string) {
	if p.HWCounters == nil {
		p.HWCounters = map[string]uint64{}
	}
	if _, twice := p.HWCounters[name]; !twice {
		p.HWCounters[name] = value
		says(p, name, f.Proof(line))
	}
}

// readRDMAStatistic reads "rdma statistic" (also stat, show, -p), with the counters of hw_counters: all of a port after
// its name on one line, or with -p one a line below it. With -j it is a list of objects. Format: iproute2's
// rdma/stat.c; https://man7.org/linux/man-pages/man8/rdma-statistic.8.html. No snapshot of its JSON exists.
//
//	link mlx5_0/1 rx_write_requests 0 out_of_buffer 135 ..
func readRDMAStatistic(f *parse.Builder, _ []string, text []byte) error {
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		return readRDMAStatisticJSON(f, text)
	}
	var p *facts.RDMAPort
	seen := false
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) >= 2 && w[0] == "link" {
			device, port, ok := rdmaPortName(w[1])
			if p = nil; !ok {
				continue
			}
			p, seen = portOfDevice(rdma(f, device), port), true
			w = w[2:]
		}
		for p != nil && len(w) >= 2 {
			if n, err := strconv.ParseUint(w[1], 10, 64); err == nil && len(w[0]) < 64 {
				counter(p, f, w[0], n, line)
				w = w[2:]
			} else {
				w = w[1:]
			}
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

func readRDMAStatisticJSON(f *parse.Builder, text []byte) error {
	var list []map[string]any
	if err := parse.ParseJSON(text, &list); err != nil {
		return err
	}
	for _, o := range list {
		device, _ := o["ifname"].(string)
		port, _ := o["port"].(float64)
		if !IsDeviceName(device) || port < 1 || port > 255 {
			continue
		}
		p := portOfDevice(rdma(f, device), int(port))
		for name, v := range o {
			if n, ok := v.(float64); ok && n >= 0 && n < 1<<63 && name != "port" && name != "ifindex" && len(name) < 64 {
				counter(p, f, name, uint64(n), name+" "+strconv.FormatFloat(n, 'f', 0, 64))
			}
		}
	}
	return nil
}

var (
	showCountersHead = lazyregexp.New(`^Port (\d{1,3}) (hw )?counters:`)
	showCounterLine  = lazyregexp.New(`^([A-Za-z0-9_]{2,63}):\s+(\d+)$`)
)

// readShowCounters reads "show_counters DEVICE" of mlnx-tools: the files of counters and hw_counters of each port. It
// does not print the device, whose name is the command's argument. Format: https://github.com/Mellanox/mlnx-tools,
// sbin/show_counters.
//
//	Port 1 hw counters:
//	out_of_sequence: 1811101
func readShowCounters(f *parse.Builder, args []string, text []byte) error {
	device := parse.UnnamedPort
	if len(args) > 0 {
		device = args[0]
	}
	var p *facts.RDMAPort
	own := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := showCountersHead.FindStringSubmatch(line); m != nil {
			if n, _ := strconv.Atoi(m[1]); n > 0 && n < 256 {
				p, own = portOfDevice(rdma(f, device), n), m[2] != ""
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
			counter(p, f, m[1], n, line)
			continue
		}
		if p.Counters == nil {
			p.Counters = map[string]uint64{}
		}
		p.Counters[m[1]] = n
		says(p, m[1], f.Proof(line))
	}
	if p == nil {
		return parse.ToolError(text)
	}
	return nil
}

package rdma

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// readIbstat reads "ibstat" of infiniband-diags. The lines that a debugging level adds before it are left out.
// Format: rdma-core's infiniband-diags/ibstat.c.
//
//	CA 'mlx5_0'
//		CA type: MT4123
//		Port 1:
//			State: Active
//			Physical state: LinkUp
//			Rate: 100
//			SM lid: 104
//			Link layer: InfiniBand
func readIbstat(f *parse.Builder, _ []string, text []byte) error {
	device, port := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "CA '"); ok {
			device, port = strings.TrimSuffix(name, "'"), 0
			if !IsDeviceName(device) {
				return parse.ToolError(text)
			}
			rdma(f, device)
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || device == "" {
			continue
		}
		d := rdma(f, device)
		if n, ok := strings.CutPrefix(key, "Port "); ok && value == "" {
			if port, _ = strconv.Atoi(n); port < 1 || port > 255 {
				port = 0
			}
			continue
		}
		if port == 0 {
			switch key {
			case "CA type":
				d.Model = unit.Known(value)
			case "Firmware version":
				d.Firmware = unit.Known(value)
			case "Node GUID":
				d.NodeGUID = unit.Known(value)
			}
			continue
		}
		ibstat(portOfDevice(d, port), f, key, value, line)
	}
	if device == "" {
		return parse.ToolError(text)
	}
	return nil
}

func ibstat(p *facts.RDMAPort, f *parse.Builder, key, value, line string) {
	switch key {
	case "State":
		p.State = unit.Known(portState(value))
		says(p, "state", f.Proof(line))
	case "Physical state":
		p.PhysState = unit.Known(physState(value))
		says(p, "phys_state", f.Proof(line))
	case "Link layer":
		p.LinkLayer = unit.Known(linkLayer(value))
		says(p, "link_layer", f.Proof(line))
	case "SM lid":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			p.SMLid = unit.Known(n)
			says(p, "sm", f.Proof(line))
		}
	case "Rate": // "100", "40 (FDR10)"
		number, rest, _ := strings.Cut(value, " ")
		if gigabits, err := strconv.ParseFloat(number, 64); err == nil && gigabits > 0 && gigabits < 1e5 &&
			!p.Rate.IsKnown() {
			p.Rate, p.Width = unit.Known(unit.BitRate(gigabits*1e9)), unit.Unknown[string]("ibstat does not name it")
			if strings.Contains(rest, "FDR10") {
				p.Lane = "FDR10"
			}
			says(p, "rate", f.Proof(line))
		}
	}
}

var ibstatusHead = lazyregexp.New(`^Infiniband device '([^'\s/]+)' port (\d{1,3}) status:`)

// readIbstatus reads "ibstatus", which prints the files of /sys/class/infiniband.
// Format: rdma-core's infiniband-diags/scripts/ibstatus.
//
//	Infiniband device 'mlx5_0' port 1 status:
//		state:		 4: ACTIVE
//		rate:		 100 Gb/sec (4X EDR)
//		link_layer:	 Ethernet
func readIbstatus(f *parse.Builder, _ []string, text []byte) error {
	var device string
	port := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if m := ibstatusHead.FindStringSubmatch(line); m != nil {
			device = m[1]
			if port, _ = strconv.Atoi(m[2]); port < 1 || port > 255 {
				port = 0
			}
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || port == 0 || value == "" {
			continue
		}
		p := portOfDevice(rdma(f, device), port)
		switch key {
		case "state":
			p.State = unit.Known(portState(afterNumber(value)))
			says(p, "state", f.Proof(line))
		case "phys state":
			p.PhysState = unit.Known(physState(afterNumber(value)))
			says(p, "phys_state", f.Proof(line))
		case "rate":
			setRate(p, value)
			says(p, "rate", f.Proof(line))
		case "link_layer":
			p.LinkLayer = unit.Known(linkLayer(value))
			says(p, "link_layer", f.Proof(line))
		case "sm lid":
			if n, err := strconv.ParseUint(value, 0, 32); err == nil {
				p.SMLid = unit.Known(int(n))
				says(p, "sm", f.Proof(line))
			}
		}
	}
	if port == 0 {
		return parse.ToolError(text)
	}
	return nil
}

// IsDeviceName reports whether a word can be the name of an RDMA device or an interface.
func IsDeviceName(s string) bool {
	return s != "" && len(s) < 64 && !strings.ContainsAny(s, " \t/:'\"\x00")
}

package facts

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
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
func readIbstat(f *Facts, _ []string, text []byte) error {
	device, port := "", 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "CA '"); ok {
			device, port = strings.TrimSuffix(name, "'"), 0
			if !isDeviceName(device) {
				return toolError(text)
			}
			f.rdma(device)
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || device == "" {
			continue
		}
		d := f.rdma(device)
		if n, ok := strings.CutPrefix(key, "Port "); ok && value == "" {
			if port, _ = strconv.Atoi(n); port < 1 || port > 255 {
				port = 0
			}
			continue
		}
		if port == 0 {
			switch key {
			case "CA type":
				d.Model = known(value)
			case "Firmware version":
				d.Firmware = known(value)
			case "Node GUID":
				d.NodeGUID = known(value)
			}
			continue
		}
		d.port(port).ibstat(f, key, value, line)
	}
	if device == "" {
		return toolError(text)
	}
	return nil
}

func (p *RDMAPort) ibstat(f *Facts, key, value, line string) {
	switch key {
	case "State":
		p.State = known(portState(value))
		p.says("state", f.proof(line))
	case "Physical state":
		p.PhysState = known(physState(value))
		p.says("phys_state", f.proof(line))
	case "Link layer":
		p.LinkLayer = known(linkLayer(value))
		p.says("link_layer", f.proof(line))
	case "SM lid":
		if n, err := strconv.Atoi(value); err == nil && n >= 0 {
			p.SMLid = known(n)
			p.says("sm", f.proof(line))
		}
	case "Rate": // "100", "40 (FDR10)"
		number, rest, _ := strings.Cut(value, " ")
		if gigabits, err := strconv.ParseFloat(number, 64); err == nil && gigabits > 0 && gigabits < 1e5 && !p.Rate.IsKnown() {
			p.Rate, p.Width = known(unit.BitRate(gigabits*1e9)), unit.Unknown[string]("ibstat does not name it")
			if strings.Contains(rest, "FDR10") {
				p.Lane = "FDR10"
			}
			p.says("rate", f.proof(line))
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
func readIbstatus(f *Facts, _ []string, text []byte) error {
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
		p := f.rdma(device).port(port)
		switch key {
		case "state":
			p.State = known(portState(afterNumber(value)))
			p.says("state", f.proof(line))
		case "phys state":
			p.PhysState = known(physState(afterNumber(value)))
			p.says("phys_state", f.proof(line))
		case "rate":
			p.setRate(value)
			p.says("rate", f.proof(line))
		case "link_layer":
			p.LinkLayer = known(linkLayer(value))
			p.says("link_layer", f.proof(line))
		case "sm lid":
			if n, err := strconv.ParseUint(value, 0, 32); err == nil {
				p.SMLid = known(int(n))
				p.says("sm", f.proof(line))
			}
		}
	}
	if port == 0 {
		return toolError(text)
	}
	return nil
}

// isDeviceName says whether a word can be the name of an RDMA device or an interface.
func isDeviceName(s string) bool {
	return s != "" && len(s) < 64 && !strings.ContainsAny(s, " \t/:'\"\x00")
}

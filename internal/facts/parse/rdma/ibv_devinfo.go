package rdma

import (
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// devInfo is a device of ibv_devinfo.
type devInfo struct {
	name, firmware, guid, board string
	ports                       []devInfoPort
}

type devInfoPort struct {
	number            int
	state, linkLayer  string
	physState         string
	lanes, smLid      unit.Opt[int]
	lane              string // generation
	maxMTU, activeMTU unit.Opt[unit.Bytes]
	gids              []facts.GID
	lines             map[string]string // by aspect
}

// parseIbvDevinfo reads "ibv_devinfo", with -v or without. In a text that begins after the device's name, the name is
// unknown. Format: rdma-core's libibverbs/examples/devinfo.c.
//
//	hca_id:	rxe0
//		fw_ver:				0.0.0
//			port:	1
//				state:			PORT_ACTIVE (4)
//				active_mtu:		1024 (3)
//				link_layer:		Ethernet
func parseIbvDevinfo(text []byte) ([]devInfo, error) {
	var list []devInfo
	for line := range strings.Lines(string(text)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" {
			continue
		}
		if key == "hca_id" {
			if strings.ContainsAny(value, " \t/") {
				return nil, parse.ToolError(text)
			}
			list = append(list, devInfo{name: value})
			continue
		}
		if len(list) == 0 {
			if key != "port" {
				continue
			}
			list = append(list, devInfo{name: parse.UnnamedPort})
		}
		d := &list[len(list)-1]
		if key == "port" {
			if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 256 {
				d.ports = append(d.ports, devInfoPort{number: n})
			}
			continue
		}
		if len(d.ports) > 0 {
			d.ports[len(d.ports)-1].read(key, value, line)
			continue
		}
		switch key {
		case "fw_ver":
			d.firmware = value
		case "node_guid":
			d.guid = value
		case "board_id":
			d.board = value
		}
	}
	if len(list) == 0 {
		return nil, parse.ToolError(text)
	}
	return list, nil
}

func (p *devInfoPort) read(key, value, line string) {
	word, _, _ := strings.Cut(value, " ")
	aspect := key
	switch key {
	case "state":
		p.state = portState(word)
	case "link_layer":
		p.linkLayer = linkLayer(value)
	case "max_mtu":
		p.maxMTU = verbsMTU(word)
	case "active_mtu":
		p.activeMTU, aspect = verbsMTU(word), "mtu"
	case "phys_state":
		p.physState = physState(word)
	case "sm_lid":
		if n, err := strconv.Atoi(word); err == nil && n >= 0 {
			p.smLid, aspect = unit.Known(n), "sm"
		}
	case "active_width":
		if n, err := strconv.Atoi(strings.TrimRight(word, "X")); err == nil && n > 0 && n <= 16 {
			p.lanes = unit.Known(n)
		}
	case "active_speed":
		if gigabits, err := strconv.ParseFloat(word, 64); err == nil {
			p.lane, aspect = verbsSpeed(gigabits), "lane"
		}
	default:
		p.readGID(key, value)
		return
	}
	if p.lines == nil {
		p.lines = map[string]string{}
	}
	p.lines[aspect] = line
}

// verbsSpeed returns the generation of a lane by libibverbs' rate: 2.5, 5.0, 10.0, 14.0, 25.0, 50.0, 100.0 Gbps. 10.0
// is for QDR and FDR10.
func verbsSpeed(gigabits float64) string {
	switch gigabits {
	case 2.5:
		return "SDR"
	case 5:
		return "DDR"
	case 14:
		return "FDR"
	case 25:
		return "EDR"
	case 50:
		return "HDR"
	case 100:
		return "NDR"
	case 200:
		return "XDR"
	}
	return ""
}

// readGID reads "GID[  3]: ::ffff:10.0.0.1, RoCE v2"; old releases omit the type.
func (p *devInfoPort) readGID(key, value string) {
	number, ok := strings.CutPrefix(key, "GID[")
	index, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(number, "]")))
	if !ok || err != nil || index < 0 || index >= maxGIDs {
		return
	}
	word, kind, _ := strings.Cut(value, ",")
	gid, err := netip.ParseAddr(strings.TrimSpace(word))
	if err != nil || !gid.Is6() || gid.Zone() != "" {
		return
	}
	g := facts.GID{Index: index, GID: gid, Type: unit.Unknown[string]("ibv_devinfo does not name it"),
		Interface: unit.Unknown[string]("ibv_devinfo does not name it")}
	if kind = strings.TrimSpace(kind); kind != "" {
		g.Type = unit.Known(kind)
	}
	p.gids = append(p.gids, g)
}

// verbsMTU reads one of the five MTUs of RDMA.
func verbsMTU(word string) unit.Opt[unit.Bytes] {
	switch n, err := strconv.Atoi(word); {
	case err == nil && (n == 256 || n == 512 || n == 1024 || n == 2048 || n == 4096):
		return unit.Known(unit.Bytes(n))
	}
	return unit.Unknown[unit.Bytes]("ibv_devinfo says " + strconv.Quote(word))
}

// putIbvDevinfo adds the facts that sysfs does not have.
func putIbvDevinfo(f *parse.Builder, _ []string, list []devInfo) {
	words := func(o *unit.Opt[string], v string) {
		if !o.IsKnown() && v != "" {
			*o = unit.Known(v)
		}
	}
	for _, i := range list {
		d := rdma(f, i.name)
		words(&d.Firmware, i.firmware)
		words(&d.NodeGUID, i.guid)
		words(&d.Board, i.board)
		for _, n := range i.ports {
			p := portOfDevice(d, n.number)
			words(&p.State, n.state)
			words(&p.LinkLayer, n.linkLayer)
			words(&p.PhysState, n.physState)
			p.ActiveMTU, p.MaxMTU = n.activeMTU, n.maxMTU
			if !p.Lanes.IsKnown() {
				p.Lanes = n.lanes
			}
			if p.Lane == "" && n.linkLayer == "InfiniBand" { // with Ethernet it is a rate in InfiniBand's words
				p.Lane = n.lane
			}
			if !p.SMLid.IsKnown() {
				p.SMLid = n.smLid
			}
			if p.GIDs == nil {
				p.GIDs = n.gids
			}
			for aspect, line := range n.lines {
				says(p, aspect, f.Proof(line))
			}
		}
	}
}

// missingIbvDevinfo stores why the MTUs that only verbs have are unknown.
func missingIbvDevinfo(f *parse.Builder, _ []string, why string) {
	for i := range f.RDMA {
		for j := range f.RDMA[i].Ports {
			p := &f.RDMA[i].Ports[j]
			parse.Missing(&p.ActiveMTU, "sysfs does not name it, and ibv_devinfo: "+why)
			parse.Missing(&p.MaxMTU, "sysfs does not name it, and ibv_devinfo: "+why)
		}
	}
}

package facts

import (
	"strconv"
	"strings"

	"linerate/unit"
)

// devInfo is a device as ibv_devinfo prints it.
type devInfo struct {
	name, firmware, guid, board string
	ports                       []devInfoPort
}

type devInfoPort struct {
	number            int
	state, linkLayer  string
	maxMTU, activeMTU unit.Opt[unit.Bytes]
}

// parseIbvDevinfo reads "ibv_devinfo", with -v or without.
// Format: rdma-core's libibverbs/examples/devinfo.c.
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
				return nil, toolError(text)
			}
			list = append(list, devInfo{name: value})
			continue
		}
		if len(list) == 0 {
			continue
		}
		d := &list[len(list)-1]
		if key == "port" {
			if n, err := strconv.Atoi(value); err == nil && n > 0 && n < 256 {
				d.ports = append(d.ports, devInfoPort{number: n})
			}
			continue
		}
		if len(d.ports) > 0 {
			d.ports[len(d.ports)-1].read(key, value)
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
		return nil, toolError(text)
	}
	return list, nil
}

func (p *devInfoPort) read(key, value string) {
	word, _, _ := strings.Cut(value, " ")
	switch key {
	case "state":
		p.state = strings.TrimPrefix(word, "PORT_")
	case "link_layer":
		p.linkLayer = value
	case "max_mtu":
		p.maxMTU = verbsMTU(word)
	case "active_mtu":
		p.activeMTU = verbsMTU(word)
	}
}

// verbsMTU reads one of the five MTUs that RDMA has.
func verbsMTU(word string) unit.Opt[unit.Bytes] {
	switch n, err := strconv.Atoi(word); {
	case err == nil && (n == 256 || n == 512 || n == 1024 || n == 2048 || n == 4096):
		return known(unit.Bytes(n))
	}
	return unit.Unknown[unit.Bytes]("ibv_devinfo says " + strconv.Quote(word))
}

// putIbvDevinfo adds what sysfs did not say.
func putIbvDevinfo(f *Facts, _ []string, list []devInfo) {
	words := func(o *unit.Opt[string], v string) {
		if !o.IsKnown() && v != "" {
			*o = known(v)
		}
	}
	for _, i := range list {
		d := f.rdma(i.name)
		words(&d.Firmware, i.firmware)
		words(&d.NodeGUID, i.guid)
		words(&d.Board, i.board)
		for _, n := range i.ports {
			p := d.port(n.number)
			words(&p.State, n.state)
			words(&p.LinkLayer, n.linkLayer)
			p.ActiveMTU, p.MaxMTU = n.activeMTU, n.maxMTU
		}
	}
}

// missingIbvDevinfo says why the MTUs that only verbs name are unknown.
func missingIbvDevinfo(f *Facts, _ []string, why string) {
	for i := range f.RDMA {
		for j := range f.RDMA[i].Ports {
			p := &f.RDMA[i].Ports[j]
			set(&p.ActiveMTU, "sysfs does not name it, and ibv_devinfo: "+why)
			set(&p.MaxMTU, "sysfs does not name it, and ibv_devinfo: "+why)
		}
	}
}

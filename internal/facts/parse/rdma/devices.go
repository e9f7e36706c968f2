package rdma

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// readIbvDevices reads "ibv_devices": names and GUIDs under a line of dashes. Format: rdma-core's
// libibverbs/examples/device_list.c.
func readIbvDevices(f *parse.Builder, _ []string, text []byte) error {
	head := false
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		switch {
		case len(w) == 2 && w[0] == "------":
			head = true
			if f.RDMA == nil {
				f.RDMA = []facts.RDMADevice{}
			}
		case head && len(w) == 2 && IsDeviceName(w[0]) && len(w[1]) == 16:
			if d := rdma(f, w[0]); !d.NodeGUID.IsKnown() {
				d.NodeGUID = unit.Known(w[1])
			}
		}
	}
	if !head {
		return parse.ToolError(text)
	}
	return nil
}

var ibdev2netdevLine = lazyregexp.New(`^(\S+)\s+port\s+(\d{1,3})\s+==>\s+(\S+)\s+\((Up|Down)\)`)

// readIbdev2netdev reads "ibdev2netdev" of mlnx-tools (also through "column -t"): the interface of each port. Up and
// Down are the interface's; with InfiniBand it may be down while the port is ACTIVE. Format:
// https://github.com/Mellanox/mlnx-tools, sbin/ibdev2netdev.
func readIbdev2netdev(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		m := ibdev2netdevLine.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || !IsDeviceName(m[1]) || !IsDeviceName(m[3]) {
			continue
		}
		if n, _ := strconv.Atoi(m[2]); n > 0 && n < 256 {
			seen = true
			p := portOfDevice(rdma(f, m[1]), n)
			p.Interface = unit.Known(m[3])
			says(p, "interface", f.Proof(line))
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// rdmaPortName reads "mlx5_0/1", with the colon of old releases.
func rdmaPortName(word string) (device string, port int, ok bool) {
	device, number, ok := strings.Cut(strings.TrimSuffix(word, ":"), "/")
	n, err := strconv.Atoi(number)
	return device, n, ok && err == nil && n > 0 && n < 256 && IsDeviceName(device)
}

type rdmaLinkJSON struct {
	Name     string `json:"ifname"` // of the RDMA device
	Port     int    `json:"port"`
	State    string `json:"state"`
	Physical string `json:"physical_state"`
	Netdev   string `json:"netdev"`
	SMLid    *int   `json:"sm_lid"`
}

// readRDMALink reads "rdma link", as text or with -j; old releases write a colon after the port. Format: iproute2's
// rdma/link.c; https://man7.org/linux/man-pages/man8/rdma-link.8.html. The only snapshots of its JSON are of linerate's
// own guests.
//
//	link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens21f0
//	link mlx5_0/1 subnet_prefix fe80:0000:0000:0000 lid 13 sm_lid 3 lmc 0 state ACTIVE physical_state LINK_UP
func readRDMALink(f *parse.Builder, _ []string, text []byte) error {
	put := func(device string, port int, state, physical, netdev, line string) {
		p := portOfDevice(rdma(f, device), port)
		if state != "" {
			p.State = unit.Known(portState(state))
			says(p, "state", f.Proof(line))
		}
		if physical != "" {
			p.PhysState = unit.Known(physState(physical))
		}
		if IsDeviceName(netdev) {
			p.Interface = unit.Known(netdev)
			says(p, "interface", f.Proof(line))
		}
	}
	if strings.HasPrefix(strings.TrimSpace(string(text)), "[") {
		var list []rdmaLinkJSON
		if err := parse.ParseJSON(text, &list); err != nil {
			return err
		}
		if f.RDMA == nil {
			f.RDMA = []facts.RDMADevice{}
		}
		for _, l := range list {
			if IsDeviceName(l.Name) && l.Port > 0 && l.Port < 256 {
				put(l.Name, l.Port, l.State, l.Physical, l.Netdev,
					"link "+l.Name+"/"+strconv.Itoa(l.Port)+" state "+l.State+" physical_state "+l.Physical+" netdev "+l.Netdev)
				if l.SMLid != nil {
					portOfDevice(rdma(f, l.Name), l.Port).SMLid = unit.Known(*l.SMLid)
				}
			}
		}
		return nil
	}
	seen := false
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) < 4 || w[0] != "link" {
			continue
		}
		device, port, ok := rdmaPortName(w[1])
		if !ok {
			continue
		}
		seen = true
		o := parse.Pairs(w[2:])
		put(device, port, o["state"], o["physical_state"], o["netdev"], line)
		if n, err := strconv.Atoi(o["sm_lid"]); err == nil {
			portOfDevice(rdma(f, device), port).SMLid = unit.Known(n)
			says(portOfDevice(rdma(f, device), port), "sm", f.Proof(line))
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// readRDMADev reads "rdma dev": firmware and node of each device. Format: iproute2's rdma/dev.c.
//
//	0: mlx5_0: node_type ca fw 2.8.9999 node_guid 5254:00c0:fe12:3457 sys_image_guid 5254:00c0:fe12:3457
func readRDMADev(f *parse.Builder, _ []string, text []byte) error {
	seen := false
	for line := range strings.Lines(string(text)) {
		w := strings.Fields(line)
		if len(w) < 3 || !strings.HasSuffix(w[0], ":") || !strings.HasSuffix(w[1], ":") ||
			!IsDeviceName(strings.TrimSuffix(w[1], ":")) {
			continue
		}
		if _, err := strconv.Atoi(strings.TrimSuffix(w[0], ":")); err != nil {
			continue
		}
		seen = true
		d, o := rdma(f, strings.TrimSuffix(w[1], ":")), parse.Pairs(w[2:])
		if fw := o["fw"]; fw != "" && !d.Firmware.IsKnown() {
			d.Firmware = unit.Known(fw)
		}
		if kind := o["node_type"]; kind != "" && !d.NodeType.IsKnown() {
			d.NodeType = unit.Known(strings.ToUpper(kind))
		}
		if guid := o["node_guid"]; guid != "" && !d.NodeGUID.IsKnown() {
			d.NodeGUID = unit.Known(guid)
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	return nil
}

// settleRDMAInterfaces finds the interface of a port by its GIDs, or by adapter and number.
func settleRDMAInterfaces(f *parse.Builder) {
	for i := range f.RDMA {
		for j := range f.RDMA[i].Ports {
			p := &f.RDMA[i].Ports[j]
			for _, g := range p.GIDs {
				if name, ok := g.Interface.Get(); ok && !p.Interface.IsKnown() && name != "" {
					p.Interface = unit.Known(name)
				}
			}
		}
	}
}

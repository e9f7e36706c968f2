package path

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
	"linerate/internal/record"
)

// Transport is a transport protocol over one link, with its ceiling.
type Transport struct {
	Name, Title string
	// Uses are the flags of the command line that its ceiling depends on in addition to the rate.
	Uses []string
	link func(Asked) (ceiling.Ceiling, error)
	// onBus is the share of the bytes on the NIC's bus that is payload; nil: the NIC removes all headers.
	onBus func(Asked) (payload, frame float64)
	tcp   bool // it has a TCP window, losses and a CPU cost per packet
	io    unit.Bytes
	head  int // header of a storage protocol, in bytes per request
}

var overEthernet = []string{"mtu", "ipv6", "vlan"}

// Transports returns all known transports, in the order of listings.
func Transports() []Transport {
	tcp := append([]string{"no-timestamps", "direction", "window", "loss", "per-packet", "per-byte"}, overEthernet...)
	storage := append([]string{"io"}, tcp...)
	protocol := func(name, title string, head int, io unit.Bytes) Transport {
		return Transport{Name: name, Title: title, Uses: storage, link: tcpLink, onBus: tcpOnBus, tcp: true, head: head,
			io: io}
	}
	return []Transport{
		{Name: "tcp", Title: "TCP", Uses: tcp, link: tcpLink, onBus: tcpOnBus, tcp: true},
		{Name: "udp", Title: "UDP", Uses: append([]string{"io"}, overEthernet...), link: udpLink, onBus: udpOnBus},
		{Name: "rocev1", Title: "RoCE v1", Uses: []string{"mtu", "vlan", "path-mtu", "io"}, link: roceLink(1)},
		{Name: "rocev2", Title: "RoCE v2", Uses: append([]string{"path-mtu", "io"}, overEthernet...), link: roceLink(2)},
		{Name: "iwarp", Title: "iWARP", Uses: append([]string{"no-timestamps", "markers"}, overEthernet...), link: iwarpLink},
		{Name: "ib", Title: "InfiniBand verbs", Uses: []string{"path-mtu"}, link: infiniBandLink},
		protocol("iscsi", "iSCSI", ceiling.ISCSIHeader, 256*unit.KiB),
		protocol("smb", "SMB 3", ceiling.SMB3Header, unit.MiB),
		protocol("smb-encrypted", "SMB 3, encrypted", ceiling.SMB3Sealed, unit.MiB),
		protocol("nfs", "NFS 3", ceiling.NFS3Header, unit.MiB),
		protocol("nvme-tcp", "NVMe/TCP", ceiling.NVMeHeader, 128*unit.KiB),
	}
}

func tcpLink(a Asked) (ceiling.Ceiling, error) {
	if a.Both {
		return ceiling.TCPBothWays(a.Rate, a.Frame, segmentsPerAck)
	}
	return ceiling.TCPOverEthernet(a.Rate, a.Frame)
}

func udpLink(a Asked) (ceiling.Ceiling, error) {
	if a.IO > 0 {
		return ceiling.UDPMessages(a.Rate, a.Frame, int(a.IO))
	}
	return ceiling.UDPOverEthernet(a.Rate, a.Frame)
}

func roceLink(version int) func(Asked) (ceiling.Ceiling, error) {
	return func(a Asked) (ceiling.Ceiling, error) {
		mtu, origin := a.PathMTU, record.Declared
		if mtu == 0 {
			mtu, origin = int(ceiling.PathMTUFor(a.Frame.MTU)), record.Assumed
		}
		if mtu == 0 {
			return ceiling.Ceiling{}, fmt.Errorf("MTU %d leaves no room for RDMA's smallest packets, which with all their "+
				"headers take 352 bytes; use 1500 or more", a.Frame.MTU)
		}
		c, err := ceiling.RDMAOverEthernet(a.Rate, ceiling.RoCE{Version: version, PathMTU: mtu, VLAN: a.Frame.VLAN,
			IPv6: a.Frame.IPv6 && version == 2, Message: a.IO})
		return c.With("path_mtu", origin), err
	}
}

func iwarpLink(a Asked) (ceiling.Ceiling, error) {
	return ceiling.IWARPOverEthernet(a.Rate, a.Frame, a.Markers)
}

// UsualPathMTU is the default path MTU of subnet managers (OpenSM's for the partition of IPoIB).
const UsualPathMTU = 2048

func infiniBandLink(a Asked) (ceiling.Ceiling, error) {
	mtu, origin := a.PathMTU, record.Declared
	if mtu == 0 {
		mtu, origin = UsualPathMTU, record.Assumed
	}
	c, err := ceiling.InfiniBandVerbs(a.InfiniBand, a.Lanes, mtu)
	return c.With("path_mtu", origin), err
}

func tcpOnBus(a Asked) (payload, frame float64) {
	return float64(a.Frame.Segment()), float64(a.Frame.MTU + frameHeader)
}

func udpOnBus(a Asked) (payload, frame float64) {
	size := int(a.IO)
	if size == 0 {
		size = a.Frame.MTU - 28
		if a.Frame.IPv6 {
			size -= 20
		}
	}
	b := builder{frame: a.Frame, message: size}
	return b.share()
}

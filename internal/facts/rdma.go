package facts

import (
	"math"
	"net/netip"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// IBLink is a port of an InfiniBand fabric and its peer, as printed on any host of the fabric.
type IBLink struct {
	Node, Peer  string // descriptions of both ends: "MF0;leaf1:MQM8700/U1 port 21"; an empty peer: not linked
	State, Phys string // ACTIVE, INIT, DOWN; LinkUp, Polling; empty: unknown
	Lanes       int    // in use; 0: unknown
	Lane        string // generation in use; empty: unknown
	// CouldLanes and CouldLane are what both ends support, if more; 0 and empty: no more, or unknown.
	CouldLanes int
	CouldLane  string
	Proof
}

// FirmwareSetting is a setting in an adapter's firmware, from mlxconfig.
type FirmwareSetting struct {
	Device  string // as in the command; empty: unknown
	Name    string // LINK_TYPE_P1
	Default string // "ETH(2)"; empty: unknown
	Current string // in effect since the last boot; empty: unknown
	Was     string // the next boot's value before it was set; empty: it was not set
	Next    string // after the next boot
	Proof
}

// Setting returns a firmware setting by its name, of an adapter, or nil.
func (f *Facts) Setting(device, name string) *FirmwareSetting {
	return xslices.At(f.Firmware, func(x *FirmwareSetting) bool {
		return x.Name == name && x.Device == device
	})
}

// Phy is the physical port of an adapter, from mlxlink.
type Phy struct {
	Device   string // as in the command; empty: unknown
	State    string // "Active", "Polling"
	Speed    string // "IB-SDR", "100G", "25GbE"
	Lane     string // generation of InfiniBand; empty: Ethernet, or unknown
	Lanes    int    // 0: unknown
	FEC      string
	Firmware string
	// Enabled are the speeds that the port may use, Cable those that the cable supports: "HDR", "100G_4X"; nil: unknown.
	Enabled, Cable []string
	Opcode         int    // of trouble; 0: none, or unknown
	Advice         string // mlxlink's own words
	// RawBER is the bit error rate before FEC, EffectiveBER after it. mlxlink prints 15E-255 for none.
	RawBER, EffectiveBER unit.Opt[float64]
	Minutes              unit.Opt[float64] // since the counters were cleared
	Proofs               map[string]Proof  // "speed", "raw", "effective", "advice"
}

// RDMADevice is a device of /sys/class/infiniband: InfiniBand, RoCE or iWARP.
type RDMADevice struct {
	Name     string           // mlx5_0, rxe0
	NodeType unit.Opt[string] // CA (InfiniBand and RoCE), RNIC (iWARP), switch
	NodeGUID unit.Opt[string] // "0000:0000:0000:0000" if it has none
	Firmware unit.Opt[string]
	Model    unit.Opt[string] // hca_type: MT4129
	Board    unit.Opt[string] // board_id: MT_0000000838
	PCI      string           // address of its adapter on PCI Express; empty: none, or unknown
	Ports    []RDMAPort       // nil if unknown
}

// RDMAPort is a port of an RDMA device.
type RDMAPort struct {
	Port      int              // counted from 1
	State     unit.Opt[string] // DOWN, INIT, ARMED, ACTIVE
	PhysState unit.Opt[string] // LinkUp, Disabled, Polling
	LinkLayer unit.Opt[string] // InfiniBand, Ethernet
	Rate      unit.Opt[unit.BitRate]
	Width     unit.Opt[string]     // lanes and generation: "4X NDR"
	Lanes     unit.Opt[int]        // in use
	Lane      string               // generation of a lane in InfiniBand's terms: SDR to XDR; empty: unknown
	ActiveMTU unit.Opt[unit.Bytes] // of RDMA's own packets: 256 to 4096
	MaxMTU    unit.Opt[unit.Bytes]
	Interface unit.Opt[string] // the network interface of the same port
	SMLid     unit.Opt[int]    // of the subnet manager; 0: none
	// ToS is the type of service of RDMA CM's connections over Ethernet, TrafficClass that of all others; Mode is RDMA
	// CM's version of RoCE: "RoCE v2".
	ToS, TrafficClass unit.Opt[int]
	Mode              unit.Opt[string]
	// GIDs are the entries in use of the port's table; nil if unknown.
	GIDs []GID
	// Counters are those of /sys/class/infiniband/NAME/ports/N/counters; port_rcv_data and port_xmit_data are in units of
	// four bytes. HWCounters are the driver's, of hw_counters. Nil if there are none, or unknown.
	Counters, HWCounters map[string]uint64
	// by aspect: "state", "rate", "mtu", "layer", "tos", and of a counter by its name
	Proofs map[string]Proof
}

// GID is an address of an RDMA port.
type GID struct {
	Index     int
	GID       netip.Addr       // ::ffff:10.0.2.1 is an IPv4 address
	Type      unit.Opt[string] // "IB/RoCE v1", "RoCE v2"
	Interface unit.Opt[string] // the network interface with that address
}

// RDMADevice returns the device of that name, or nil.
func (f *Facts) RDMADevice(name string) *RDMADevice {
	return xslices.At(f.RDMA, func(r *RDMADevice) bool { return r.Name == name })
}

// RDMASystem is how a kernel shares its RDMA devices among network namespaces.
type RDMASystem struct {
	Mode string // "shared": each namespace has all of them; "exclusive": a device is in one
	Proof
}

// RDMAResources are the current uses of an RDMA device. The kernel itself uses some on every port.
type RDMAResources struct {
	Device string
	Counts map[string]int // "pd", "cq", "qp", "cm_id", "mr", "ctx" (programs that have it open), "srq"
	Proof
}

// NICFirmware is the firmware of an adapter, and the newest available to a tool.
type NICFirmware struct {
	Device             string // "/dev/mst/mt4117_pciconf0", "0000:01:00.0"; empty: unknown
	Type, PSID         string // "ConnectX4LX", "MT_2420110034"
	Current, Available string // empty: unknown, or no matching image
	Status             Proof  // "Status: Update required"
	Proof                     // of the versions
}

// GIDCount is how many GIDs the tool show_gids found.
type GIDCount struct {
	N int
	Proof
}

// RDMATools are the outputs of InfiniBand's and NVIDIA's tools that do not belong to an RDMA device or interface.
type RDMATools struct {
	IBLinks  []IBLink          // of an InfiniBand fabric, from one of its hosts
	GIDs     *GIDCount         // number of GIDs that show_gids found; nil if not queried
	Firmware []FirmwareSetting // of adapters, from mlxconfig
	Phys     []Phy             // physical ports of adapters, from mlxlink

	RDMANetns   *RDMASystem     // nil if unknown
	RDMAInUse   []RDMAResources // nil if unknown
	NICFirmware []NICFirmware   `json:"CardFirmware"` // from mlxfwmanager
}

// ibLanes are the lanes of InfiniBand by generation: the signalling rate, and the rate after line coding (8b/10b up to
// QDR, then 64b/66b, from HDR on without the FEC's share, as in sysfs). Source: InfiniBand Trade Association's roadmap;
// linux' rdma/ib_verbs.h (ib_rate) has the products.
var ibLanes = []struct {
	name         string
	signal, data unit.BitRate
}{
	{"SDR", 2.5e9, 2e9}, {"DDR", 5e9, 4e9}, {"QDR", 10e9, 8e9}, {"FDR10", 10.3125e9, 10e9},
	{"FDR", 14.0625e9, 14.0625e9 * 64 / 66},
	{"EDR", 25.78125e9, 25e9}, {"HDR", 53.125e9, 50e9}, {"NDR", 106.25e9, 100e9}, {"XDR", 212.5e9, 200e9},
}

// LaneRate returns the rate of a lane of a generation of InfiniBand; 0: unknown name.
func LaneRate(generation string) unit.BitRate {
	for _, l := range ibLanes {
		if strings.EqualFold(l.name, generation) {
			return l.data
		}
	}
	return 0
}

// Generation returns the generation of a lane by its signalling rate in Gb/s ("25.78125"); empty: none.
func Generation(gigabits float64) string {
	for _, l := range ibLanes {
		if math.Abs(float64(l.signal)/1e9-gigabits) < 0.02*gigabits {
			if l.name == "QDR" && math.Abs(gigabits-10.3125) < 0.01 {
				continue
			}
			return l.name
		}
	}
	return ""
}

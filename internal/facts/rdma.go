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
	Node  string `json:"node"`
	Peer  string `json:"peer"` // descriptions of both ends: "MF0;leaf1:MQM8700/U1 port 21"; an empty peer: not linked
	State string `json:"state"`
	Phys  string `json:"phys"`  // ACTIVE, INIT, DOWN; LinkUp, Polling; empty: unknown
	Lanes int    `json:"lanes"` // in use; 0: unknown
	Lane  string `json:"lane"`  // generation in use; empty: unknown
	// CouldLanes and CouldLane are what both ends support, if more; 0 and empty: no more, or unknown.
	CouldLanes int    `json:"could_lanes"`
	CouldLane  string `json:"could_lane"`
	Proof
}

// FirmwareSetting is a setting in an adapter's firmware, from mlxconfig.
type FirmwareSetting struct {
	Device  string `json:"device"`  // as in the command; empty: unknown
	Name    string `json:"name"`    // LINK_TYPE_P1
	Default string `json:"default"` // "ETH(2)"; empty: unknown
	Current string `json:"current"` // in effect since the last boot; empty: unknown
	Was     string `json:"was"`     // the next boot's value before it was set; empty: it was not set
	Next    string `json:"next"`    // after the next boot
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
	Device   string `json:"device"` // as in the command; empty: unknown
	State    string `json:"state"`  // "Active", "Polling"
	Speed    string `json:"speed"`  // "IB-SDR", "100G", "25GbE"
	Lane     string `json:"lane"`   // generation of InfiniBand; empty: Ethernet, or unknown
	Lanes    int    `json:"lanes"`  // 0: unknown
	FEC      string `json:"fec"`
	Firmware string `json:"firmware"`
	// Enabled are the speeds that the port may use, Cable those that the cable supports: "HDR", "100G_4X"; nil: unknown.
	Enabled []string `json:"enabled"`
	Cable   []string `json:"cable"`
	Opcode  int      `json:"opcode"` // of trouble; 0: none, or unknown
	Advice  string   `json:"advice"` // mlxlink's own words
	// RawBER is the bit error rate before FEC, EffectiveBER after it. mlxlink prints 15E-255 for none.
	RawBER       unit.Opt[float64] `json:"raw_ber"`
	EffectiveBER unit.Opt[float64] `json:"effective_ber"`
	Minutes      unit.Opt[float64] `json:"minutes"` // since the counters were cleared
	Proofs       map[string]Proof  `json:"proofs"`  // "speed", "raw", "effective", "advice"
}

// RDMADevice is a device of /sys/class/infiniband: InfiniBand, RoCE or iWARP.
type RDMADevice struct {
	Name     string           `json:"name"`      // mlx5_0, rxe0
	NodeType unit.Opt[string] `json:"node_type"` // CA (InfiniBand and RoCE), RNIC (iWARP), switch
	NodeGUID unit.Opt[string] `json:"node_guid"` // "0000:0000:0000:0000" if it has none
	Firmware unit.Opt[string] `json:"firmware"`
	Model    unit.Opt[string] `json:"model"` // hca_type: MT4129
	Board    unit.Opt[string] `json:"board"` // board_id: MT_0000000838
	PCI      string           `json:"pci"`   // address of its adapter on PCI Express; empty: none, or unknown
	Ports    []RDMAPort       `json:"ports"` // nil if unknown
}

// RDMAPort is a port of an RDMA device.
type RDMAPort struct {
	Port      int                    `json:"port"`       // counted from 1
	State     unit.Opt[string]       `json:"state"`      // DOWN, INIT, ARMED, ACTIVE
	PhysState unit.Opt[string]       `json:"phys_state"` // LinkUp, Disabled, Polling
	LinkLayer unit.Opt[string]       `json:"link_layer"` // InfiniBand, Ethernet
	Rate      unit.Opt[unit.BitRate] `json:"rate"`
	Width     unit.Opt[string]       `json:"width"` // lanes and generation: "4X NDR"
	Lanes     unit.Opt[int]          `json:"lanes"` // in use
	// generation of a lane in InfiniBand's terms: SDR to XDR; empty: unknown
	Lane      string               `json:"lane"`
	ActiveMTU unit.Opt[unit.Bytes] `json:"active_mtu"` // of RDMA's own packets: 256 to 4096
	MaxMTU    unit.Opt[unit.Bytes] `json:"max_mtu"`
	Interface unit.Opt[string]     `json:"interface"` // the network interface of the same port
	SMLid     unit.Opt[int]        `json:"sm_lid"`    // of the subnet manager; 0: none
	// ToS is the type of service of RDMA CM's connections over Ethernet, TrafficClass that of all others; Mode is RDMA
	// CM's version of RoCE: "RoCE v2".
	ToS          unit.Opt[int]    `json:"tos"`
	TrafficClass unit.Opt[int]    `json:"traffic_class"`
	Mode         unit.Opt[string] `json:"mode"`
	// GIDs are the entries in use of the port's table; nil if unknown.
	GIDs []GID `json:"gids"`
	// Counters are those of /sys/class/infiniband/NAME/ports/N/counters; port_rcv_data and port_xmit_data are in units of
	// four bytes. HWCounters are the driver's, of hw_counters. Nil if there are none, or unknown.
	Counters   map[string]uint64 `json:"counters"`
	HWCounters map[string]uint64 `json:"hw_counters"`
	// by aspect: "state", "rate", "mtu", "layer", "tos", and of a counter by its name
	Proofs map[string]Proof `json:"proofs"`
}

// GID is an address of an RDMA port.
type GID struct {
	Index     int              `json:"index"`
	GID       netip.Addr       `json:"gid"`       // ::ffff:10.0.2.1 is an IPv4 address
	Type      unit.Opt[string] `json:"type"`      // "IB/RoCE v1", "RoCE v2"
	Interface unit.Opt[string] `json:"interface"` // the network interface with that address
}

// RDMADevice returns the device of that name, or nil.
func (f *Facts) RDMADevice(name string) *RDMADevice {
	return xslices.At(f.RDMA, func(r *RDMADevice) bool { return r.Name == name })
}

// RDMASystem is how a kernel shares its RDMA devices among network namespaces.
type RDMASystem struct {
	Mode string `json:"mode"` // "shared": each namespace has all of them; "exclusive": a device is in one
	Proof
}

// RDMAResources are the current uses of an RDMA device. The kernel itself uses some on every port.
type RDMAResources struct {
	Device string `json:"device"`
	// "pd", "cq", "qp", "cm_id", "mr", "ctx" (programs that have it open), "srq"
	Counts map[string]int `json:"counts"`
	Proof
}

// NICFirmware is the firmware of an adapter, and the newest available to a tool.
type NICFirmware struct {
	Device    string `json:"device"` // "/dev/mst/mt4117_pciconf0", "0000:01:00.0"; empty: unknown
	Type      string `json:"type"`
	PSID      string `json:"psid"` // "ConnectX4LX", "MT_2420110034"
	Current   string `json:"current"`
	Available string `json:"available"` // empty: unknown, or no matching image
	Status    Proof  `json:"status"`    // "Status: Update required"
	Proof            // of the versions
}

// GIDCount is how many GIDs the tool show_gids found.
type GIDCount struct {
	N int `json:"n"`
	Proof
}

// RDMATools are the outputs of InfiniBand's and NVIDIA's tools that do not belong to an RDMA device or interface.
type RDMATools struct {
	IBLinks  []IBLink          `json:"ib_links"` // of an InfiniBand fabric, from one of its hosts
	GIDs     *GIDCount         `json:"gids"`     // number of GIDs that show_gids found; nil if not queried
	Firmware []FirmwareSetting `json:"firmware"` // of adapters, from mlxconfig
	Phys     []Phy             `json:"phys"`     // physical ports of adapters, from mlxlink

	RDMANetns   *RDMASystem     `json:"rdma_netns"`   // nil if unknown
	RDMAInUse   []RDMAResources `json:"rdma_in_use"`  // nil if unknown
	NICFirmware []NICFirmware   `json:"nic_firmware"` // from mlxfwmanager
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

package facts

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// RDMADevice is a device of /sys/class/infiniband: InfiniBand, RoCE or iWARP.
type RDMADevice struct {
	Name     string           // mlx5_0, rxe0
	NodeType unit.Opt[string] // CA (InfiniBand and RoCE), RNIC (iWARP), switch
	NodeGUID unit.Opt[string] // "0000:0000:0000:0000" if it has none
	Firmware unit.Opt[string]
	Model    unit.Opt[string] // hca_type: MT4129
	Board    unit.Opt[string] // board_id: MT_0000000838
	PCI      string           // address of its card on PCI Express; empty: none, or not known
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
	Lanes     unit.Opt[int]        // that are in use
	Lane      string               // generation of a lane, as InfiniBand calls it: SDR to XDR; empty: not known
	ActiveMTU unit.Opt[unit.Bytes] // of RDMA's own packets: 256 to 4096
	MaxMTU    unit.Opt[unit.Bytes]
	Interface unit.Opt[string] // the network interface of the same port
	SMLid     unit.Opt[int]    // of the subnet manager; 0: none has been there
	// ToS is the type of service that RDMA CM gives connections over Ethernet, TrafficClass what all others are sent with;
	// Mode is the version of RoCE that RDMA CM takes: "RoCE v2".
	ToS, TrafficClass unit.Opt[int]
	Mode              unit.Opt[string]
	// GIDs are the entries of the port's table that are set; nil if unknown.
	GIDs []GID
	// Counters are those of /sys/class/infiniband/NAME/ports/N/counters; port_rcv_data
	// and port_xmit_data are in units of four bytes. HWCounters are those of
	// hw_counters, which are the driver's own. Nil if there are none, or unknown.
	Counters, HWCounters map[string]uint64
	Proofs               map[string]Proof // by aspect: "state", "rate", "mtu", "layer", "tos", and of a counter by its name
}

// unnamedPort stands for a device or an interface that an output which somebody kept does not name.
const unnamedPort = "unnamed"

// says keeps the line that says an aspect of a port; the first one stays.
func (p *RDMAPort) says(aspect string, proof Proof) {
	if p.Proofs == nil {
		p.Proofs = map[string]Proof{}
	}
	if _, ok := p.Proofs[aspect]; !ok {
		p.Proofs[aspect] = proof
	}
}

// portState brings the ways in which tools write a state into that of sysfs: PORT_ACTIVE and Active are ACTIVE.
func portState(word string) string {
	word = strings.TrimPrefix(strings.ToUpper(word), "PORT_")
	if word == "INITIALIZING" || word == "INITIALIZE" {
		return "INIT"
	}
	return word
}

// physState is the same of the physical state: LINK_UP is LinkUp.
func physState(word string) string {
	for _, w := range []string{"LinkUp", "Disabled", "Polling", "Sleep"} {
		if strings.EqualFold(strings.NewReplacer("_", "", " ", "").Replace(word), w) {
			return w
		}
	}
	return word
}

// linkLayer is InfiniBand or Ethernet, whatever the case.
func linkLayer(word string) string {
	for _, w := range []string{"InfiniBand", "Ethernet"} {
		if strings.EqualFold(word, w) {
			return w
		}
	}
	return word
}

// GID is an address of an RDMA port.
type GID struct {
	Index     int
	GID       netip.Addr       // ::ffff:10.0.2.1 is an IPv4 address
	Type      unit.Opt[string] // "IB/RoCE v1", "RoCE v2"
	Interface unit.Opt[string] // the network interface whose address it is
}

// maxRDMADevices bounds what is read; a host with all its virtual functions has some hundreds.
const maxRDMADevices = 4096

// RDMADevice returns the device of that name, or nil.
func (f *Facts) RDMADevice(name string) *RDMADevice {
	for i := range f.RDMA {
		if f.RDMA[i].Name == name {
			return &f.RDMA[i]
		}
	}
	return nil
}

// rdma returns the RDMA device of that name, and makes it if there is none yet.
func (f *Facts) rdma(name string) *RDMADevice {
	if d := f.RDMADevice(name); d != nil {
		return d
	}
	if len(f.RDMA) >= maxRDMADevices { // of a damaged text: it counts for nothing
		return &RDMADevice{Name: name}
	}
	f.RDMA = append(f.RDMA, RDMADevice{Name: name})
	return &f.RDMA[len(f.RDMA)-1]
}

// port returns the port of that number, and makes it if there is none yet.
func (d *RDMADevice) port(n int) *RDMAPort {
	for i := range d.Ports {
		if d.Ports[i].Port == n {
			return &d.Ports[i]
		}
	}
	const only = "sysfs does not name it; ibv_devinfo does"
	d.Ports = append(d.Ports, RDMAPort{Port: n, ActiveMTU: unit.Unknown[unit.Bytes](only), MaxMTU: unit.Unknown[unit.Bytes](only)})
	return &d.Ports[len(d.Ports)-1]
}

// gid returns the entry of that index, and makes it if there is none yet.
func (p *RDMAPort) gid(index int) *GID {
	for i := range p.GIDs {
		if p.GIDs[i].Index == index {
			return &p.GIDs[i]
		}
	}
	p.GIDs = append(p.GIDs, GID{Index: index})
	return &p.GIDs[len(p.GIDs)-1]
}

// settleRDMA drops the entries of GID tables that are not set, and sorts.
func settleRDMA(f *Facts) {
	for i := range f.RDMA {
		d := &f.RDMA[i]
		slices.SortFunc(d.Ports, func(a, b RDMAPort) int { return a.Port - b.Port })
		for j := range d.Ports {
			p := &d.Ports[j]
			p.GIDs = slices.DeleteFunc(p.GIDs, func(g GID) bool { return !g.GID.IsValid() || g.GID.IsUnspecified() })
			slices.SortFunc(p.GIDs, func(a, b GID) int { return a.Index - b.Index })
			f.countRDMA(d.Name, p)
			if p.LinkLayer.Or("") == "Ethernet" {
				p.SMLid = unit.Unknown[int]("Ethernet has no subnet manager")
				delete(p.Proofs, "sm")
			}
			if p.LinkLayer.Or("") != "InfiniBand" {
				continue
			}
			for k := range p.GIDs {
				set(&p.GIDs[k].Interface, "a GID of InfiniBand belongs to no network interface")
			}
		}
	}
	settleRDMAInterfaces(f)
	slices.SortFunc(f.RDMA, func(a, b RDMADevice) int { return compareNumbered(a.Name, b.Name) })
}

// compareNumbered sorts mlx5_9 before mlx5_10.
func compareNumbered(a, b string) int {
	stem := func(s string) (string, int) {
		head := strings.TrimRight(s, "0123456789")
		n, _ := strconv.Atoi(s[len(head):])
		return head, n
	}
	ha, na := stem(a)
	hb, nb := stem(b)
	if c := strings.Compare(ha, hb); c != 0 {
		return c
	}
	if na != nb {
		return na - nb
	}
	return strings.Compare(a, b)
}

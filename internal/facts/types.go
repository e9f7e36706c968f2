package facts

import (
	"net/netip"
	"time"

	"linerate/internal/base/unit"
)

// Facts is what one host's capture says, parsed. What could not be read stands
// in Unknown with its reason and is an unknown Opt, a nil map or a nil pointer.
type Facts struct {
	Host    string
	When    time.Time               // of the capture, by that host's clock
	Uptime  unit.Opt[time.Duration] // since boot, suspended time included; for elapsed times, which a clock that is set would spoil
	Cost    unit.Opt[time.Duration] // processor time that the capture took, without that of programs that were asked
	Boot    string                  // an id made at each boot; empty if unknown
	Level   Level                   // what the capture looked at
	Lab     float64                 // scale of the lab that it is a host of; 0: of none
	OS      string                  // linux, freebsd, windows
	Kernel  string
	Machine Machine
	CPU     CPU
	Memory  unit.Opt[unit.Bytes]
	NICs    []Interface
	// LLDPWhy is why nobody was asked who is at the other ends of cables; empty: somebody was, or nobody tried.
	LLDPWhy string
	Routes  []Route // of the main table, both families; nil if unknown
	// Neighbours are the answers to ARP and neighbour discovery that the kernel keeps; nil if unknown.
	Neighbours []Neighbour
	// Rules is the number of policy routing rules besides the kernel's own three.
	Rules        unit.Opt[int]
	Sockets      []Socket // TCP, from ss; nil if unknown
	TCP          TCP
	Softnet      []SoftnetCPU      // one a core; nil if unknown
	Counters     map[string]uint64 // /proc/net/snmp and netstat: "Tcp.RetransSegs", "TcpExt.TCPLostRetransmit"
	Modules      []Module          // of the kernel that are loaded, by name; nil if unknown
	RDMA         []RDMADevice      // nil if unknown, empty if there are none
	PCI          []PCIDevice       // the cards with their bridges; nil if unknown
	Firewall     unit.Opt[Firewall]
	Interrupts   *Interrupts // nil if unknown
	NUMA         []NUMANode  // nil if unknown
	Quotas       []Quota     // of the control groups that the process is in; nil if unknown
	Memlock      Memlock
	IOMMU        unit.Opt[int]    // groups of devices; 0: it is off, or there is none
	GroupMembers []GroupMember    // devices of the IOMMU's groups, those of cards at least; nil if unknown
	BootLine     unit.Opt[string] // words of the kernel's command line
	Conntrack    *Conntrack       // nil if unknown
	Temperatures []Temperature    // nil if unknown
	Sysctls      map[string]Proof // those of settings that checks look at, by name, as lines "NAME = VALUE"
	ToldSettings []ToldSetting    // of the kernel, that kept files ask for; nil: none was kept
	Storage      Storage
	Probes       Probes      // what was tried towards peers
	Switch       SwitchState // what a switch says of itself as a whole
	Events       []Event     // what logs and states say in words
	Counts       []Count     // counters whose meaning is known
	ClassCounts  []ClassCount
	SMB          *SMB // Windows: its file sharing; nil if unknown
	Windows      *Windows
	RDMATools
	Unknown []Unknown

	after    []func()       // what is done when all sources were read
	reading  string         // the source that is being read
	told     map[Event]int  // where an event stands, by what makes it another one
	named    map[string]int // where an interface stands, by its name
	nameless bool           // an entry of the source that is being read names no interface
	said     switchParts    // by a switch, not yet held against each other
	routeros *routeros      // read, not yet put together
	wanted   map[string]rankedSetting
	files    []toldFile
	printed  map[string]printedSetting
	versions map[string]string // of modules, read, not yet given to them; nil if they were not looked for
}

// Unknown is a fact that could not be read.
type Unknown struct {
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}

// CPU is the processor, with its time by core.
type CPU struct {
	Model      unit.Opt[string]
	Governor   unit.Opt[string]
	Cores      []CoreTime    // since boot; nil if unknown
	Count      unit.Opt[int] // processors that are online
	Hypervisor string        // of a virtual machine, from lscpu: "KVM"; empty: none, or not known
	Frequency  *Frequency    // nil if unknown
}

// CoreTime is a core's time since boot by what it was spent on, in seconds.
type CoreTime struct {
	Core                                                  int
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal float64
}

// Interface is a network interface.
type Interface struct {
	Name     string
	Alias    string // as somebody described it (ifalias); empty: nobody did, or it is not known
	Index    int
	Kind     string // veth, bridge, vlan, bond, or empty for a device with a driver
	Driver   unit.Opt[string]
	BusInfo  unit.Opt[string]
	PCI      string // address of its device on PCI Express; empty: none, or not known
	Firmware unit.Opt[string]
	MAC      string
	MTU      int // 0 if unknown
	// L2MTU is the largest frame without its MAC header, where a switch has such a limit beside the MTU (RouterOS).
	L2MTU     unit.Opt[int]
	Up        bool // administratively; false also where that is not known
	UpKnown   bool // whether it is switched on or off was read
	Carrier   unit.Opt[bool]
	Speed     unit.Opt[unit.BitRate]
	Duplex    unit.Opt[string]
	Addresses []netip.Prefix
	Master    string
	Lower     string // the interface that a VLAN is on
	VLAN      int    // the tag of an interface of a VLAN; 0: it is none, or its tag is not known
	Standby   bool   // a bond's member that is kept for when another one fails: what comes in on it is dropped
	// Offloads by ethtool's name: "tx-tcp-segmentation", "tx-generic-segmentation",
	// "rx-gro", "rx-lro", "tx-checksum-ip-generic". Nil if unknown.
	Offloads map[string]bool
	// Fixed are the offloads that cannot be switched on this device.
	Fixed            map[string]bool
	Qdiscs           []Qdisc           // nil if unknown
	Counters         map[string]uint64 // rx_bytes, tx_bytes, rx_packets, tx_packets, rx_dropped, tx_dropped, rx_errors, tx_errors
	Driven           map[string]uint64 // the driver's own counters (ethtool -S); nil if unknown
	Queues           unit.Opt[int]     // receive queues
	MostQueues       unit.Opt[int]     // that the card can have
	IRQs             []IRQ             // its interrupts; nil if unknown
	RPS              unit.Opt[bool]    // received packets are handed to other processors
	Steered          []QueueCPUs       // its queues with their processors, RPS and XPS; nil if unknown
	NumVFs, TotalVFs unit.Opt[int]     // functions of SR-IOV: there are, there can be
	VFs              []VirtualFunction // as the interface has them set
	Bond             *Bond             // nil if it is none, or unknown
	Wire             Wire              // the physical link
	LLDP             []LLDPNeighbour   // who was heard at the other end of its cable; nil: not known, empty: nobody spoke
	// IPoIB is the mode of an interface of IP over InfiniBand: datagram, or connected.
	IPoIB      unit.Opt[string]
	IPoIBProof Proof
	// Asked is what a configuration that was kept says of the port's traffic classes, Effect what the device says is so. Nil
	// if unknown.
	Asked, Effect *Classes
	Told          *Told           // what a configuration that was kept tells it beside its classes; nil: none was kept
	Windows       *WindowsAdapter // nil: it is of another system, or not known
	// Hardware says of a switch's port whether its chip forwards for it, or the processor does.
	Hardware unit.Opt[bool]
	// Proofs are the lines that say something, by aspect: "mtu", "speed", "duplex", "carrier", "flags", "addresses", "offloads".
	// Nil for an output that has no lines, such as JSON.
	Proofs map[string]Proof

	parent  string  // the device of FreeBSD that it is a port of: t5nex0
	classes []Class // read, not yet given to their discipline
}

// Qdisc is a queueing discipline with its counters.
type Qdisc struct {
	Kind         string
	Handle       string                 // "1:"
	Parent       string                 // "root", "1:1"
	Rate         unit.Opt[unit.BitRate] // of tbf, htb's limiting class; bits per second
	Burst        unit.Opt[unit.Bytes]
	Limit        unit.Opt[unit.Bytes]
	DefaultClass string  // htb's, "1:10"; empty if it has none
	Classes      []Class // of htb and the like; nil if it has none or they are unknown
	Bytes        uint64
	Packets      uint64
	Drops        uint64
	Overlimits   uint64
	Backlog      uint64 // bytes
}

// Class is a class of a queueing discipline.
type Class struct {
	Kind       string
	Handle     string // "1:10"
	Parent     string // "root", "1:1"
	Rate, Ceil unit.Opt[unit.BitRate]
	Bytes      uint64
	Packets    uint64
	Drops      uint64
	Overlimits uint64
	Backlog    uint64 // bytes
}

// Route is a route of the main table. One with several next hops is several
// routes with one Dst and Metric.
type Route struct {
	Kind      string       // empty: to an interface; else blackhole, unreachable, prohibit, throw
	Dst       netip.Prefix // 0.0.0.0/0: default
	Gateway   netip.Addr
	Interface string
	Source    netip.Addr
	Metric    int
	Window    int64 // bytes that a connection over it may offer at most; 0: as much as its buffer holds
	Cwnd      int64 // segments in flight at most, if it is locked; 0: no limit
}

// TCP is the TCP settings of the host.
type TCP struct {
	RMem              unit.Opt[[3]int64] // net.ipv4.tcp_rmem: min, default, max, bytes
	WMem              unit.Opt[[3]int64]
	Timestamps        unit.Opt[bool]
	WindowScaling     unit.Opt[bool]
	SACK              unit.Opt[bool]
	AutoTuning        unit.Opt[bool] // net.ipv4.tcp_moderate_rcvbuf
	ECN               unit.Opt[int]
	MTUProbing        unit.Opt[int]
	CongestionControl unit.Opt[string]
	RMemMax, WMemMax  unit.Opt[int64] // net.core.rmem_max, wmem_max
	AppWin            unit.Opt[int]   // net.ipv4.tcp_adv_win_scale
	Window            unit.Opt[int64] // Windows: the most that a receive window grows to, bytes
	// FreeBSD's limits of a socket's buffers, bytes: net.inet.tcp.recvbuf_max, sendbuf_max, and of both kern.ipc.maxsockbuf.
	ReceiveMost, SendMost, SocketMost unit.Opt[int64]
}

// SoftnetCPU is one line of /proc/net/softnet_stat.
type SoftnetCPU struct {
	Core                            int
	Processed, Dropped, TimeSqueeze uint64
}

// NIC returns the interface of that name, or nil.
func (f *Facts) NIC(name string) *Interface {
	for i := range f.NICs {
		if f.NICs[i].Name == name {
			return &f.NICs[i]
		}
	}
	return nil
}

package facts

import (
	"net/netip"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
)

// Facts is the parsed snapshot of one host. A value that could not be read is in Unknown with its reason, and is an
// unknown Opt, a nil map or a nil pointer.
type Facts struct {
	Host string
	When time.Time // of the snapshot, by that host's clock
	// since boot, with suspended time; for elapsed times, because the clock may be set
	Uptime  unit.Opt[time.Duration]
	Cost    unit.Opt[time.Duration] // CPU time of the snapshot, without the programs that it ran
	Boot    string                  // an id that changes at each boot; empty if unknown
	Level   Level                   // what the snapshot looked at
	Lab     float64                 // scale of its lab; 0: none
	OS      string                  // "linux", "freebsd", "windows"
	Kernel  string
	Machine Machine
	CPU     CPU
	Memory  unit.Opt[unit.Bytes]
	NICs    []Interface
	// LLDPWhy is why no LLDP agent was queried; empty: one was, or it was not tried.
	LLDPWhy string
	Routes  []Route // of the main table, both families; nil if unknown
	// Neighbours are the entries of the kernel's ARP and neighbour discovery tables; nil if unknown.
	Neighbours []Neighbour
	// Rules is the number of policy routing rules besides the kernel's own three.
	Rules        unit.Opt[int]
	Sockets      []Socket // TCP, from ss; nil if unknown
	TCP          TCP
	Softnet      []SoftnetCPU      // one per core; nil if unknown
	Counters     map[string]uint64 // /proc/net/snmp and netstat: "Tcp.RetransSegs", "TcpExt.TCPLostRetransmit"
	Modules      []Module          // loaded modules of the kernel, by name; nil if unknown
	RDMA         []RDMADevice      // nil if unknown, empty if there are none
	PCI          []PCIDevice       // the adapters with their bridges; nil if unknown
	Firewall     unit.Opt[Firewall]
	Interrupts   *Interrupts // nil if unknown
	NUMA         []NUMANode  // nil if unknown
	Quotas       []Quota     // of the process's control groups; nil if unknown
	Memlock      Memlock
	IOMMU        unit.Opt[int]    // number of groups; 0: it is off, or there is none
	GroupMembers []GroupMember    // devices of IOMMU groups, at least those of adapters; nil if unknown
	BootLine     unit.Opt[string] // words of the kernel's command line
	Conntrack    *Conntrack       // nil if unknown
	Temperatures []Temperature    // nil if unknown
	Sysctls      map[string]Proof // settings that checks use, by name, as lines "NAME = VALUE"
	// kernel settings in saved files; nil: no file was saved
	ConfiguredSettings []ConfiguredSetting `json:"ToldSettings"`
	Storage            Storage
	Probes             Probes      // tests of peers
	Switch             SwitchState // state of the whole switch
	Events             []Event     // messages of logs and states
	Counts             []Count     // counters with a known meaning
	ClassCounts        []ClassCount
	SMB                *SMB // Windows: its file sharing; nil if unknown
	Windows            *Windows
	RDMATools
	Unknown []Unknown
}

// Unknown is a fact that could not be read.
type Unknown struct {
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}

// CPU is the CPUs of a host, with the CPU time of each core.
type CPU struct {
	Model      unit.Opt[string]
	Governor   unit.Opt[string]
	Cores      []CoreTime    // since boot; nil if unknown
	Count      unit.Opt[int] // online CPUs
	Hypervisor string        // of a virtual machine, from lscpu: "KVM"; empty: none, or unknown
	Frequency  *Frequency    // nil if unknown
}

// CoreTime is a core's CPU time since boot by use, in seconds.
type CoreTime struct {
	Core                                                  int
	User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal float64
}

// Interface is a network interface.
type Interface struct {
	Name     string
	Alias    string // an administrator's description (ifalias); empty: none, or unknown
	Index    int
	Kind     string // veth, bridge, vlan, bond, or empty for a device with a driver
	Driver   unit.Opt[string]
	BusInfo  unit.Opt[string]
	PCI      string // address of its device on PCI Express; empty: none, or unknown
	Firmware unit.Opt[string]
	MAC      string
	MTU      int // 0 if unknown
	// L2MTU is the largest frame without its MAC header, if a switch has this limit besides the MTU (RouterOS).
	L2MTU     unit.Opt[int]
	Up        bool // administratively; also false if unknown
	UpKnown   bool // Up is known
	Carrier   unit.Opt[bool]
	Speed     unit.Opt[unit.BitRate]
	Duplex    unit.Opt[string]
	Addresses []netip.Prefix
	Master    string
	Lower     string // the interface below a VLAN
	VLAN      int    // the tag of a VLAN interface; 0: not one, or unknown
	Standby   bool   // a bond's spare member: frames that it receives are dropped
	// Offloads by ethtool's name: "tx-tcp-segmentation", "tx-generic-segmentation",
	// "rx-gro", "rx-lro", "tx-checksum-ip-generic". Nil if unknown.
	Offloads map[string]bool
	// Fixed are the offloads that cannot be changed on this device.
	Fixed  map[string]bool
	Qdiscs []Qdisc // nil if unknown
	// rx_bytes, tx_bytes, rx_packets, tx_packets, rx_dropped, tx_dropped, rx_errors, tx_errors
	Counters         map[string]uint64
	Driven           map[string]uint64 // the driver's counters (ethtool -S); nil if unknown
	Queues           unit.Opt[int]     // receive queues
	MostQueues       unit.Opt[int]     // the most that the adapter supports
	IRQs             []IRQ             // its interrupts; nil if unknown
	RPS              unit.Opt[bool]    // received packets are passed to other CPUs
	Steered          []QueueCPUs       // its queues with their CPUs, RPS and XPS; nil if unknown
	NumVFs, TotalVFs unit.Opt[int]     // SR-IOV functions: existing, possible
	VFs              []VirtualFunction // as configured at the interface
	Bond             *Bond             // nil if it is not a bond, or unknown
	Wire             Wire              // the physical link
	LLDP             []LLDPNeighbour   // neighbours at the other end of its cable; nil: unknown, empty: none was received
	// IPoIB is the mode of an IP over InfiniBand interface: datagram, or connected.
	IPoIB      unit.Opt[string]
	IPoIBProof Proof
	// Asked is the configuration of the port's traffic classes in saved files, Effect what the device reports in effect.
	// Nil if unknown.
	Asked, Effect *Classes
	// its other settings in saved files; nil: no file was saved
	Configured *Configured     `json:"Told"`
	Windows    *WindowsAdapter // nil: it is of another system, or unknown
	// Hardware reports whether a switch's chip forwards for the port, or its CPU does.
	Hardware unit.Opt[bool]
	// Proofs are the lines that prove an aspect: "mtu", "speed", "duplex", "carrier", "flags", "addresses", "offloads".
	// Nil for an output without lines, such as JSON.
	Proofs map[string]Proof
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
	Classes      []Class // of htb and similar ones; nil if it has none or they are unknown
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

// Route is a route of the main table. A route with several next hops is several routes with one Dst and Metric.
type Route struct {
	Kind      string       // empty: to an interface; else blackhole, unreachable, prohibit, throw
	Dst       netip.Prefix // 0.0.0.0/0: default
	Gateway   netip.Addr
	Interface string
	Source    netip.Addr
	Metric    int
	TCPWindow int64 `json:"Window"` // most bytes in the TCP window of a connection; 0: as much as its buffer holds
	Cwnd      int64 // most segments in flight, if it is locked; 0: no limit
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
	MaxReceiveWindow  unit.Opt[int64] `json:"Window"` // Windows: the most that a receive window grows to, bytes
	// FreeBSD's limits of socket buffers, bytes: net.inet.tcp.recvbuf_max, sendbuf_max, and of both kern.ipc.maxsockbuf.
	ReceiveMost, SendMost, SocketMost unit.Opt[int64]
}

// SoftnetCPU is one line of /proc/net/softnet_stat.
type SoftnetCPU struct {
	Core                            int
	Processed, Dropped, TimeSqueeze uint64
}

// NIC returns the interface of a name, or nil.
func (f *Facts) NIC(name string) *Interface {
	return xslices.At(f.NICs, func(x *Interface) bool { return x.Name == name })
}

// Level is how much a snapshot contains.
type Level string

const (
	// Counters is what changes under load and is cheap enough to read every second: CPU time, softnet, TCP and interface
	// counters, queueing disciplines.
	Counters Level = "counters"
	// Statistics is all counters: Counters, and those of adapters and RDMA devices (ethtool -S, counters, hw_counters). It
	// renews a full snapshot (Renew). Where reading only them saves nothing, such a snapshot is a full one.
	Statistics Level = "statistics"
	// Full is everything.
	Full Level = "full"
)

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
	Host string    `json:"host"`
	When time.Time `json:"when"` // of the snapshot, by that host's clock
	// since boot, with suspended time; for elapsed times, because the clock may be set
	Uptime  unit.Opt[time.Duration] `json:"uptime"`
	Cost    unit.Opt[time.Duration] `json:"cost"`  // CPU time of the snapshot, without the programs that it ran
	Boot    string                  `json:"boot"`  // an id that changes at each boot; empty if unknown
	Level   Level                   `json:"level"` // what the snapshot looked at
	Lab     float64                 `json:"lab"`   // scale of its lab; 0: none
	OS      string                  `json:"os"`    // "linux", "freebsd", "windows"
	Kernel  string                  `json:"kernel"`
	Machine Machine                 `json:"machine"`
	CPU     CPU                     `json:"cpu"`
	Memory  unit.Opt[unit.Bytes]    `json:"memory"`
	NICs    []Interface             `json:"nics"`
	// LLDPWhy is why no LLDP agent was queried; empty: one was, or it was not tried.
	LLDPWhy string  `json:"lldp_why"`
	Routes  []Route `json:"routes"` // of the main table, both families; nil if unknown
	// Neighbours are the entries of the kernel's ARP and neighbour discovery tables; nil if unknown.
	Neighbours []Neighbour `json:"neighbours"`
	// Rules is the number of policy routing rules besides the kernel's own three.
	Rules   unit.Opt[int] `json:"rules"`
	Sockets []Socket      `json:"sockets"` // TCP, from ss; nil if unknown
	TCP     TCP           `json:"tcp"`
	Softnet []SoftnetCPU  `json:"softnet"` // one per core; nil if unknown
	// /proc/net/snmp and netstat: "Tcp.RetransSegs", "TcpExt.TCPLostRetransmit"
	Counters   map[string]uint64  `json:"counters"`
	Modules    []Module           `json:"modules"` // loaded modules of the kernel, by name; nil if unknown
	RDMA       []RDMADevice       `json:"rdma"`    // nil if unknown, empty if there are none
	PCI        []PCIDevice        `json:"pci"`     // the adapters with their bridges; nil if unknown
	Firewall   unit.Opt[Firewall] `json:"firewall"`
	Interrupts *Interrupts        `json:"interrupts"` // nil if unknown
	NUMA       []NUMANode         `json:"numa"`       // nil if unknown
	Quotas     []Quota            `json:"quotas"`     // of the process's control groups; nil if unknown
	Memlock    Memlock            `json:"memlock"`
	IOMMU      unit.Opt[int]      `json:"iommu"` // number of groups; 0: it is off, or there is none
	// devices of IOMMU groups, at least those of adapters; nil if unknown
	GroupMembers []GroupMember    `json:"group_members"`
	BootLine     unit.Opt[string] `json:"boot_line"`    // words of the kernel's command line
	Conntrack    *Conntrack       `json:"conntrack"`    // nil if unknown
	Temperatures []Temperature    `json:"temperatures"` // nil if unknown
	// settings that checks use, by name, as lines "NAME = VALUE"
	Sysctls map[string]Proof `json:"sysctls"`
	// kernel settings in saved files; nil: no file was saved
	ConfiguredSettings []ConfiguredSetting `json:"configured_settings"`
	Storage            Storage             `json:"storage"`
	Probes             Probes              `json:"probes"` // tests of peers
	Switch             SwitchState         `json:"switch"` // state of the whole switch
	Events             []Event             `json:"events"` // messages of logs and states
	Counts             []Count             `json:"counts"` // counters with a known meaning
	ClassCounts        []ClassCount        `json:"class_counts"`
	SMB                *SMB                `json:"smb"` // Windows: its file sharing; nil if unknown
	Windows            *Windows            `json:"windows"`
	RDMATools
	Unknown []Unknown `json:"unknown"`
}

// Unknown is a fact that could not be read.
type Unknown struct {
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}

// CPU is the CPUs of a host, with the CPU time of each core.
type CPU struct {
	Model    unit.Opt[string] `json:"model"`
	Governor unit.Opt[string] `json:"governor"`
	Cores    []CoreTime       `json:"cores"` // since boot; nil if unknown
	Count    unit.Opt[int]    `json:"count"` // online CPUs
	// of a virtual machine, from lscpu: "KVM"; empty: none, or unknown
	Hypervisor string     `json:"hypervisor"`
	Frequency  *Frequency `json:"frequency"` // nil if unknown
}

// CoreTime is a core's CPU time since boot by use, in seconds.
type CoreTime struct {
	Core    int     `json:"core"`
	User    float64 `json:"user"`
	Nice    float64 `json:"nice"`
	System  float64 `json:"system"`
	Idle    float64 `json:"idle"`
	IOWait  float64 `json:"iowait"`
	IRQ     float64 `json:"irq"`
	SoftIRQ float64 `json:"softirq"`
	Steal   float64 `json:"steal"`
}

// Interface is a network interface.
type Interface struct {
	Name     string           `json:"name"`
	Alias    string           `json:"alias"` // an administrator's description (ifalias); empty: none, or unknown
	Index    int              `json:"index"`
	Kind     string           `json:"kind"` // veth, bridge, vlan, bond, or empty for a device with a driver
	Driver   unit.Opt[string] `json:"driver"`
	BusInfo  unit.Opt[string] `json:"bus_info"`
	PCI      string           `json:"pci"` // address of its device on PCI Express; empty: none, or unknown
	Firmware unit.Opt[string] `json:"firmware"`
	MAC      string           `json:"mac"`
	MTU      int              `json:"mtu"` // 0 if unknown
	// L2MTU is the largest frame without its MAC header, if a switch has this limit besides the MTU (RouterOS).
	L2MTU     unit.Opt[int]          `json:"l2_mtu"`
	Up        bool                   `json:"up"`       // administratively; also false if unknown
	UpKnown   bool                   `json:"up_known"` // Up is known
	Carrier   unit.Opt[bool]         `json:"carrier"`
	Speed     unit.Opt[unit.BitRate] `json:"speed"`
	Duplex    unit.Opt[string]       `json:"duplex"`
	Addresses []netip.Prefix         `json:"addresses"`
	Master    string                 `json:"master"`
	Lower     string                 `json:"lower"`   // the interface below a VLAN
	VLAN      int                    `json:"vlan"`    // the tag of a VLAN interface; 0: not one, or unknown
	Standby   bool                   `json:"standby"` // a bond's spare member: frames that it receives are dropped
	// Offloads by ethtool's name: "tx-tcp-segmentation", "tx-generic-segmentation",
	// "rx-gro", "rx-lro", "tx-checksum-ip-generic". Nil if unknown.
	Offloads map[string]bool `json:"offloads"`
	// Fixed are the offloads that cannot be changed on this device.
	Fixed  map[string]bool `json:"fixed"`
	Qdiscs []Qdisc         `json:"qdiscs"` // nil if unknown
	// rx_bytes, tx_bytes, rx_packets, tx_packets, rx_dropped, tx_dropped, rx_errors, tx_errors
	Counters   map[string]uint64 `json:"counters"`
	Driven     map[string]uint64 `json:"driven"`      // the driver's counters (ethtool -S); nil if unknown
	Queues     unit.Opt[int]     `json:"queues"`      // receive queues
	MostQueues unit.Opt[int]     `json:"most_queues"` // the most that the adapter supports
	IRQs       []IRQ             `json:"irqs"`        // its interrupts; nil if unknown
	RPS        unit.Opt[bool]    `json:"rps"`         // received packets are passed to other CPUs
	Steered    []QueueCPUs       `json:"steered"`     // its queues with their CPUs, RPS and XPS; nil if unknown
	NumVFs     unit.Opt[int]     `json:"num_vfs"`
	TotalVFs   unit.Opt[int]     `json:"total_vfs"` // SR-IOV functions: existing, possible
	VFs        []VirtualFunction `json:"vfs"`       // as configured at the interface
	Bond       *Bond             `json:"bond"`      // nil if it is not a bond, or unknown
	Wire       Wire              `json:"wire"`      // the physical link
	// neighbours at the other end of its cable; nil: unknown, empty: none was received
	LLDP []LLDPNeighbour `json:"lldp"`
	// IPoIB is the mode of an IP over InfiniBand interface: datagram, or connected.
	IPoIB      unit.Opt[string] `json:"ipoib"`
	IPoIBProof Proof            `json:"ipoib_proof"`
	// Asked is the configuration of the port's traffic classes in saved files, Effect what the device reports in effect.
	// Nil if unknown.
	Asked  *Classes `json:"asked"`
	Effect *Classes `json:"effect"`
	// its other settings in saved files; nil: no file was saved
	Configured *Configured     `json:"configured"`
	Windows    *WindowsAdapter `json:"windows"` // nil: it is of another system, or unknown
	// Hardware reports whether a switch's chip forwards for the port, or its CPU does.
	Hardware unit.Opt[bool] `json:"hardware"`
	// Proofs are the lines that prove an aspect: "mtu", "speed", "duplex", "carrier", "flags", "addresses", "offloads".
	// Nil for an output without lines, such as JSON.
	Proofs map[string]Proof `json:"proofs"`
}

// Qdisc is a queueing discipline with its counters.
type Qdisc struct {
	Kind         string                 `json:"kind"`
	Handle       string                 `json:"handle"` // "1:"
	Parent       string                 `json:"parent"` // "root", "1:1"
	Rate         unit.Opt[unit.BitRate] `json:"rate"`   // of tbf, htb's limiting class; bits per second
	Burst        unit.Opt[unit.Bytes]   `json:"burst"`
	Limit        unit.Opt[unit.Bytes]   `json:"limit"`
	DefaultClass string                 `json:"default_class"` // htb's, "1:10"; empty if it has none
	// of htb and similar ones; nil if it has none or they are unknown
	Classes    []Class `json:"classes"`
	Bytes      uint64  `json:"bytes"`
	Packets    uint64  `json:"packets"`
	Drops      uint64  `json:"drops"`
	Overlimits uint64  `json:"overlimits"`
	Backlog    uint64  `json:"backlog"` // bytes
}

// Class is a class of a queueing discipline.
type Class struct {
	Kind       string                 `json:"kind"`
	Handle     string                 `json:"handle"` // "1:10"
	Parent     string                 `json:"parent"` // "root", "1:1"
	Rate       unit.Opt[unit.BitRate] `json:"rate"`
	Ceil       unit.Opt[unit.BitRate] `json:"ceil"`
	Bytes      uint64                 `json:"bytes"`
	Packets    uint64                 `json:"packets"`
	Drops      uint64                 `json:"drops"`
	Overlimits uint64                 `json:"overlimits"`
	Backlog    uint64                 `json:"backlog"` // bytes
}

// Route is a route of the main table. A route with several next hops is several routes with one Dst and Metric.
type Route struct {
	Kind      string       `json:"kind"` // empty: to an interface; else blackhole, unreachable, prohibit, throw
	Dst       netip.Prefix `json:"dst"`  // 0.0.0.0/0: default
	Gateway   netip.Addr   `json:"gateway"`
	Interface string       `json:"interface"`
	Source    netip.Addr   `json:"source"`
	Metric    int          `json:"metric"`
	// most bytes in the TCP window of a connection; 0: as much as its buffer holds
	TCPWindow int64 `json:"tcp_window"`
	Cwnd      int64 `json:"cwnd"` // most segments in flight, if it is locked; 0: no limit
}

// TCP is the TCP settings of the host.
type TCP struct {
	RMem              unit.Opt[[3]int64] `json:"rmem"` // net.ipv4.tcp_rmem: min, default, max, bytes
	WMem              unit.Opt[[3]int64] `json:"wmem"`
	Timestamps        unit.Opt[bool]     `json:"timestamps"`
	WindowScaling     unit.Opt[bool]     `json:"window_scaling"`
	SACK              unit.Opt[bool]     `json:"sack"`
	AutoTuning        unit.Opt[bool]     `json:"auto_tuning"` // net.ipv4.tcp_moderate_rcvbuf
	ECN               unit.Opt[int]      `json:"ecn"`
	MTUProbing        unit.Opt[int]      `json:"mtu_probing"`
	CongestionControl unit.Opt[string]   `json:"congestion_control"`
	RMemMax           unit.Opt[int64]    `json:"rmem_max"`
	WMemMax           unit.Opt[int64]    `json:"wmem_max"` // net.core.rmem_max, wmem_max
	AppWin            unit.Opt[int]      `json:"app_win"`  // net.ipv4.tcp_adv_win_scale
	// Windows: the most that a receive window grows to, bytes
	MaxReceiveWindow unit.Opt[int64] `json:"max_receive_window"`
	// FreeBSD's limits of socket buffers, bytes: net.inet.tcp.recvbuf_max, sendbuf_max, and of both kern.ipc.maxsockbuf.
	ReceiveMost unit.Opt[int64] `json:"receive_most"`
	SendMost    unit.Opt[int64] `json:"send_most"`
	SocketMost  unit.Opt[int64] `json:"socket_most"`
}

// SoftnetCPU is one line of /proc/net/softnet_stat.
type SoftnetCPU struct {
	Core        int    `json:"core"`
	Processed   uint64 `json:"processed"`
	Dropped     uint64 `json:"dropped"`
	TimeSqueeze uint64 `json:"time_squeeze"`
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

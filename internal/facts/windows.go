package facts

import (
	"linerate/internal/base/unit"
)

// Windows is facts that only Windows has; nil if none was read.
type Windows struct {
	// Edition is EditionID of the registry ("Core" is Home, "Professional", "ServerDatacenter"), else the name
	// ("Microsoft Windows 11 Pro").
	Edition   unit.Opt[string]
	Build     unit.Opt[int]    // 20348
	PowerPlan unit.Opt[string] // balanced, high performance, power saver, ultimate performance, else its name
	// NetworkDirect, RSS and RSC are settings of all adapters (Get-NetOffloadGlobalSetting).
	NetworkDirect, AcrossSubnets, RSS, RSC unit.Opt[bool]
	Policy                                 *Policy      // of DCB; nil: unknown
	VirtualRSS                             []VirtualRSS // of virtual adapters; nil: unknown
	ClusterNetworks                        []ClusterNetwork
	Switches                               []VMSwitch       // of Hyper-V; nil: unknown
	Machines                               []VMAdapter      // adapters of virtual machines; nil: unknown
	Disks                                  []PhysicalDisk   // nil: unknown
	Proofs                                 map[string]Proof // by aspect: "edition", "networkdirect", "window", "power"
}

// WindowsAdapter is facts of an adapter that only Windows has.
type WindowsAdapter struct {
	Description   string            // "Mellanox ConnectX-4 Lx 10/25GbE 2-port"; empty: unknown
	Keywords      map[string]string // the driver's, by name ("*JumboPacket"); nil: unknown
	DriverVersion unit.Opt[string]
	RSS           unit.Opt[bool]
	RSC           string // why RSC is not in effect although it is on; empty: it is, or unknown
	RDMA          *NetworkDirect
	SRIOV         *SRIOV // nil: the adapter has none, or unknown
}

// NetworkDirect is an adapter's RDMA, from Get-NetAdapterRdma.
type NetworkDirect struct {
	Enabled, Operational unit.Opt[bool]
	PFC, ETS             unit.Opt[bool]   // enabled for its traffic
	Technology           unit.Opt[string] // iwarp, infiniband, rocev1, rocev2
	Proof
}

// VirtualRSS is whether a virtual adapter distributes received packets over CPUs, and over queues of the adapter.
type VirtualRSS struct {
	Name                string
	Wanted, On          unit.Opt[bool]
	WantedPairs, Pairs  unit.Opt[int64] // VMMQ queue pairs
	RSSProof, VMMQProof Proof
}

// ClusterNetwork is a network of a failover cluster.
type ClusterNetwork struct {
	Name, State string // Up, Down, Partitioned, Unavailable
	Proof
}

// Policy is the settings of Data Center Bridging for all adapters: configured by a script (Asked), and reported by
// Windows (Effect).
type Policy struct {
	Asked, Effect *Classes
	// Marks are the existing rules, AskedMarks those that a script creates.
	Marks, AskedMarks []PolicyMark
	Ports             []string // of the plan, on which a script enables QoS
}

// PolicyMark is a rule that gives traffic its priority (New-NetQosPolicy).
type PolicyMark struct {
	Name     string
	Match    string // "smb-direct", "iscsi", "smb", "default", else as written
	Priority unit.Opt[int]
	DSCP     unit.Opt[int]
	Proof
}

// BuildNumber returns the number of Windows' build; false: unknown.
func (w *Windows) BuildNumber() (int, bool) {
	if w == nil {
		return 0, false
	}
	return w.Build.Get()
}

// VMSwitch is a virtual switch of Hyper-V.
type VMSwitch struct {
	Name, Type string         // External, Internal, Private
	Adapters   []string       // descriptions of the adapters below it
	Teaming    unit.Opt[bool] // of them, inside the switch (SET)
	// created with SR-IOV, so that machines can have functions of its adapter; fixed at creation
	SRIOV unit.Opt[bool]
	Proof
}

// VMAdapter is an adapter that Hyper-V gives to a machine.
type VMAdapter struct {
	Name, Machine, Switch string
	MAC                   string           // empty: unknown
	VLAN                  unit.Opt[int]    // 0: none
	Spoofing              unit.Opt[bool]   // it may send from another MAC address
	Weight                unit.Opt[int64]  // of SR-IOV; 0: no function requested
	Mode                  unit.Opt[string] // of the VLAN: Untagged, Access, Trunk
	Proof
}

// SRIOV is the SR-IOV state of an adapter of Windows.
type SRIOV struct {
	Enabled unit.Opt[bool]
	// "Supported", else the reason: "MissingAcs", "NoVfBarSpace"; a number if printed as one
	Support      unit.Opt[string]
	Proof        // of their number
	SupportProof Proof
}

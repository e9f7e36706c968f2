package facts

import (
	"linerate/internal/base/unit"
)

// Windows is facts that only Windows has; nil if none was read.
type Windows struct {
	// Edition is EditionID of the registry ("Core" is Home, "Professional", "ServerDatacenter"), else the name
	// ("Microsoft Windows 11 Pro").
	Edition unit.Opt[string] `json:"edition"`
	Build   unit.Opt[int]    `json:"build"` // 20348
	// balanced, high performance, power saver, ultimate performance, else its name
	PowerPlan unit.Opt[string] `json:"power_plan"`
	// NetworkDirect, RSS and RSC are settings of all adapters (Get-NetOffloadGlobalSetting).
	NetworkDirect   unit.Opt[bool]   `json:"network_direct"`
	AcrossSubnets   unit.Opt[bool]   `json:"across_subnets"`
	RSS             unit.Opt[bool]   `json:"rss"`
	RSC             unit.Opt[bool]   `json:"rsc"`
	Policy          *Policy          `json:"policy"`      // of DCB; nil: unknown
	VirtualRSS      []VirtualRSS     `json:"virtual_rss"` // of virtual adapters; nil: unknown
	ClusterNetworks []ClusterNetwork `json:"cluster_networks"`
	Switches        []VMSwitch       `json:"switches"` // of Hyper-V; nil: unknown
	Machines        []VMAdapter      `json:"machines"` // adapters of virtual machines; nil: unknown
	Disks           []PhysicalDisk   `json:"disks"`    // nil: unknown
	Proofs          map[string]Proof `json:"proofs"`   // by aspect: "edition", "networkdirect", "window", "power"
}

// WindowsAdapter is facts of an adapter that only Windows has.
type WindowsAdapter struct {
	Description   string            `json:"description"` // "Mellanox ConnectX-4 Lx 10/25GbE 2-port"; empty: unknown
	Keywords      map[string]string `json:"keywords"`    // the driver's, by name ("*JumboPacket"); nil: unknown
	DriverVersion unit.Opt[string]  `json:"driver_version"`
	RSS           unit.Opt[bool]    `json:"rss"`
	// why RSC is not in effect although it is on; empty: it is, or unknown
	RSC   string         `json:"rsc"`
	RDMA  *NetworkDirect `json:"rdma"`
	SRIOV *SRIOV         `json:"sriov"` // nil: the adapter has none, or unknown
}

// NetworkDirect is an adapter's RDMA, from Get-NetAdapterRdma.
type NetworkDirect struct {
	Enabled     unit.Opt[bool]   `json:"enabled"`
	Operational unit.Opt[bool]   `json:"operational"`
	PFC         unit.Opt[bool]   `json:"pfc"`
	ETS         unit.Opt[bool]   `json:"ets"`        // enabled for its traffic
	Technology  unit.Opt[string] `json:"technology"` // iwarp, infiniband, rocev1, rocev2
	Proof
}

// VirtualRSS is whether a virtual adapter distributes received packets over CPUs, and over queues of the adapter.
type VirtualRSS struct {
	Name        string          `json:"name"`
	Wanted      unit.Opt[bool]  `json:"wanted"`
	On          unit.Opt[bool]  `json:"on"`
	WantedPairs unit.Opt[int64] `json:"wanted_pairs"`
	Pairs       unit.Opt[int64] `json:"pairs"` // VMMQ queue pairs
	RSSProof    Proof           `json:"rss_proof"`
	VMMQProof   Proof           `json:"vmmq_proof"`
}

// ClusterNetwork is a network of a failover cluster.
type ClusterNetwork struct {
	Name  string `json:"name"`
	State string `json:"state"` // Up, Down, Partitioned, Unavailable
	Proof
}

// Policy is the settings of Data Center Bridging for all adapters: configured by a script (Asked), and reported by
// Windows (Effect).
type Policy struct {
	Asked  *Classes `json:"asked"`
	Effect *Classes `json:"effect"`
	// Marks are the existing rules, AskedMarks those that a script creates.
	Marks      []PolicyMark `json:"marks"`
	AskedMarks []PolicyMark `json:"asked_marks"`
	Ports      []string     `json:"ports"` // of the plan, on which a script enables QoS
}

// PolicyMark is a rule that gives traffic its priority (New-NetQosPolicy).
type PolicyMark struct {
	Name     string        `json:"name"`
	Match    string        `json:"match"` // "smb-direct", "iscsi", "smb", "default", else as written
	Priority unit.Opt[int] `json:"priority"`
	DSCP     unit.Opt[int] `json:"dscp"`
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
	Name     string         `json:"name"`
	Type     string         `json:"type"`     // External, Internal, Private
	Adapters []string       `json:"adapters"` // descriptions of the adapters below it
	Teaming  unit.Opt[bool] `json:"teaming"`  // of them, inside the switch (SET)
	// created with SR-IOV, so that machines can have functions of its adapter; fixed at creation
	SRIOV unit.Opt[bool] `json:"sriov"`
	Proof
}

// VMAdapter is an adapter that Hyper-V gives to a machine.
type VMAdapter struct {
	Name     string           `json:"name"`
	Machine  string           `json:"machine"`
	Switch   string           `json:"switch"`
	MAC      string           `json:"mac"`      // empty: unknown
	VLAN     unit.Opt[int]    `json:"vlan"`     // 0: none
	Spoofing unit.Opt[bool]   `json:"spoofing"` // it may send from another MAC address
	Weight   unit.Opt[int64]  `json:"weight"`   // of SR-IOV; 0: no function requested
	Mode     unit.Opt[string] `json:"mode"`     // of the VLAN: Untagged, Access, Trunk
	Proof
}

// SRIOV is the SR-IOV state of an adapter of Windows.
type SRIOV struct {
	Enabled unit.Opt[bool] `json:"enabled"`
	// "Supported", else the reason: "MissingAcs", "NoVfBarSpace"; a number if printed as one
	Support      unit.Opt[string] `json:"support"`
	Proof                         // of their number
	SupportProof Proof            `json:"support_proof"`
}

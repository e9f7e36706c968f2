package facts

import "linerate/internal/base/unit"

// Windows is what only a machine with Windows has; nil where nothing of it was read.
type Windows struct {
	// Edition is EditionID of the registry ("Core" is Home, "Professional", "ServerDatacenter"), else the name ("Microsoft Windows 11 Pro").
	Edition   unit.Opt[string]
	Build     unit.Opt[int]    // 20348
	PowerPlan unit.Opt[string] // balanced, high performance, power saver, ultimate performance, else its own name
	// NetworkDirect, RSS and RSC are for all adapters (Get-NetOffloadGlobalSetting).
	NetworkDirect, AcrossSubnets, RSS, RSC unit.Opt[bool]
	Policy                                 *Policy      // of DCB; nil: not known
	VirtualRSS                             []VirtualRSS // of virtual adapters; nil: not known
	ClusterNetworks                        []ClusterNetwork
	Switches                               []VMSwitch       // of Hyper-V; nil: not known
	Machines                               []VMAdapter      // adapters of virtual machines; nil: not known
	Disks                                  []PhysicalDisk   // nil: not known
	Proofs                                 map[string]Proof // by aspect: "edition", "networkdirect", "window", "power"
}

// WindowsAdapter is what an adapter has on Windows alone.
type WindowsAdapter struct {
	Description   string            // "Mellanox ConnectX-4 Lx 10/25GbE 2-port"; empty: not known
	Keywords      map[string]string // the driver's, by name ("*JumboPacket"); nil: not known
	DriverVersion unit.Opt[string]
	RSS           unit.Opt[bool]
	RSC           string // why RSC is not in effect though it is on; empty: it is, or not known
	RDMA          *NetworkDirect
	SRIOV         *SRIOV // nil: the adapter has none, or not known

	instance string // of Plug and Play
}

// NetworkDirect is an adapter's RDMA, as Get-NetAdapterRdma has it.
type NetworkDirect struct {
	Enabled, Operational unit.Opt[bool]
	PFC, ETS             unit.Opt[bool]   // whether they are on for its traffic
	Technology           unit.Opt[string] // iwarp, infiniband, rocev1, rocev2
	Proof
}

// VirtualRSS is whether a virtual adapter spreads what it receives over processors, and over queues of the card.
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

// Policy is what Data Center Bridging is told for all adapters (Asked: by a script), and what it says that it has (Effect).
type Policy struct {
	Asked, Effect *Classes
	// Marks are the rules that are there, AskedMarks those that a script makes.
	Marks, AskedMarks []PolicyMark
	Ports             []string // of the plan, on which a script turns QoS on
}

// PolicyMark is a rule that gives traffic its priority (New-NetQosPolicy).
type PolicyMark struct {
	Name     string
	Match    string // "smb-direct", "iscsi", "smb", "default", else as it is written
	Priority unit.Opt[int]
	DSCP     unit.Opt[int]
	Proof
}

// windows returns what only Windows has, and makes it if there is none yet.
func (f *Facts) windows() *Windows {
	if f.Windows == nil {
		f.Windows = &Windows{}
	}
	return f.Windows
}

func (w *Windows) policy() *Policy {
	if w.Policy == nil {
		w.Policy = &Policy{}
	}
	return w.Policy
}

// proves keeps the line that says an aspect.
func (w *Windows) proves(aspect string, p Proof) {
	if w.Proofs == nil {
		w.Proofs = map[string]Proof{}
	}
	w.Proofs[aspect] = p
}

func (n *Interface) windows() *WindowsAdapter {
	if n.Windows == nil {
		n.Windows = &WindowsAdapter{}
	}
	return n.Windows
}

// rdma returns the adapter's RDMA, and makes it if there is none yet.
func (a *WindowsAdapter) rdma() *NetworkDirect {
	if a.RDMA == nil {
		a.RDMA = &NetworkDirect{}
	}
	return a.RDMA
}

// BuildNumber is the number of Windows' build; false: it is not known.
func (w *Windows) BuildNumber() (int, bool) {
	if w == nil {
		return 0, false
	}
	return w.Build.Get()
}

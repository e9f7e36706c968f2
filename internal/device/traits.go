package device

// Traits are the properties that checks and advice depend on: how to read a running system, and how to configure it.
// Those of an unknown system are zero.
type Traits struct {
	// Proc: the kernel shows its state below /proc and /sys, from which linerate reads CPU time, limits, capabilities,
	// drives, sockets and IOMMU groups. sysctl -w, ip, tc, ethtool and dcb write its settings.
	Proc bool
	// PowerShell: hosts are queried and configured in PowerShell, one network adapter after the other.
	PowerShell bool
	// Ifconfig: interfaces are configured with ifconfig, and the system's settings are in rc.conf and loader.conf.
	Ifconfig bool
	// Menus: settings are tables in menus, and a port of a switch refers to a profile of classes in one.
	Menus bool
	// BridgeInPortID: LLDP names a port after its bridge: "bridge1/sfp2".
	BridgeInPortID bool
	// CableLengths: a switch computes its buffers from the cable lengths in its configuration.
	CableLengths bool
	// NoTimestamps: TCP sends no timestamps unless they are turned on.
	NoTimestamps bool
	// ApplySuggested: linerate apply is suggested for a host that does not follow the plan.
	ApplySuggested bool

	// Offloads are the features that let the CPU process many packets as one.
	Offloads []Offload
	// SetMTU returns the command that sets the MTU of an interface; nil: that of iproute2.
	SetMTU func(nic string, mtu int) string
	// SetWilling returns the command that makes a NIC accept the classes of a switch, or not; nil: that of dcb.
	SetWilling func(nic string, on bool) string
	// SyncClock is the command that sets the calendar clock from a time server, and ListFirewall lists the packets that a
	// firewall drops. AsRoot reports whether only root may run them.
	SyncClock, ListFirewall string
	AsRoot                  bool

	// PFC are the commands that enable PFC on a port of a switch and undo it, with %s for the port; empty: unknown.
	PFC [2]string
	// PortPrefix is the word before a port's number that the PFC commands omit.
	PortPrefix string
	// Save is the command that saves a switch's settings for a restart.
	Save string

	// ByHand: linerate runs only locally on the system, because no script reads it; Script: one does.
	ByHand, Script bool
}

// Offload is a feature that lets the CPU process many packets as one.
type Offload struct {
	Feature string // ethtool's name
	Flag    string // of the system's own command
	Side    string // sending or receiving
}

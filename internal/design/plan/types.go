package plan

import (
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/device"
	"linerate/internal/record"
)

// Plan is a fabric with addresses, speeds, settings and a bill of materials. It is a pure function of the fabric.
type Plan struct {
	Name    string
	Variant string
	MTU     int
	Fabric  *fabric.Fabric

	Hosts    []*Host
	Switches []*Switch
	Links    []*Link
	BOM      BOM
	Problems []record.Problem

	qos   *device.QoS
	index *index
}

// Host is a host with its ports and the settings that make it follow the plan.
type Host struct {
	Name       string
	OS         string
	Connection string
	Ports      []*Port // in the order of the file; unused ports of NICs included
	// Settings are in the order in which they are applied. Of a host that is not Linux, its simulated host gets them.
	Settings []Setting
	// Names are the lines of the host's hosts file.
	Names []Name
	Decl  *fabric.Host
}

// Name is one line of a hosts file.
type Name struct {
	Address netip.Addr
	Names   []string
}

// Port is one port of a host's NIC or bond.
type Port struct {
	ID        string // nas.cx3.2
	Host      string
	NIC       string
	Index     int
	Interface string // the operating system's name, or the lab's (see LabName) if the file has none
	Declared  bool   // Interface was written in the file
	Part      *catalog.Part
	Slot      string
	Speed     unit.BitRate // planned, 0 if unknown
	RDMA      string       // rocev2, rocev1, iwarp or ib; empty: none is planned
	MTU       int
	Address   netip.Prefix // zero if it has none
	// VLAN is the tag of the address, which is on an interface of its own; 0: untagged.
	VLAN          int
	VLANInterface string
	Link          string // name of its link; empty if unplugged
}

// Switch is a switch with the ports that are used.
type Switch struct {
	Name       string
	OS         string
	Connection string
	Part       *catalog.Part
	Ports      []SwitchPort
	Decl       *fabric.Switch
}

// SwitchPort is a used port of a switch.
type SwitchPort struct {
	ID    string // sw1.19
	Index int
	Lane  int
	Speed unit.BitRate
	MTU   int
	VLAN  int
	Link  string
}

// End is one end of a link.
type End struct {
	ID     string // nas.cx3.2 or sw1.19
	Host   string // empty for a switch
	Switch string // empty for a host
}

// Link is a cable between two ports.
type Link struct {
	Name     string
	Ends     [2]End
	Speed    unit.BitRate // what both ends and the cable share, 0 if unknown
	MTU      int
	Subnet   netip.Prefix
	VLAN     int
	Cable    *catalog.Part // nil if not written
	Label    string        // short name to print on the cable
	EndLabel [2]string     // text for each end: cable, this end, other end, address
	LengthM  unit.Opt[float64]
	// Loop is whether it closes a loop of switches, so that a spanning tree blocks it. The switches choose which link
	// of a loop that is; the plan takes the last of the file. No path goes over it.
	Loop       bool
	InfiniBand bool // not Ethernet; the lab replaces it by Ethernet
}

// Path is a path from a host's port to another host's port: one link, or several through switches.
type Path struct {
	From, To string // hosts
	FromPort *Port
	ToPort   *Port
	Links    []*Link
	Switches []string
	// Bundles has, for each of Links, the bond that it is part of; nil: it is one cable.
	Bundles []*Bundle
	// NoTimestamps reports for the systems of From and To whether TCP sends no timestamps by default.
	NoTimestamps [2]bool
}

// SettingKind is what a setting changes.
type SettingKind string

// The kinds of settings, with the fields that they use.
const (
	SetLink    SettingKind = "link"    // Interface up
	SetMTU     SettingKind = "mtu"     // Interface, Int
	SetAddress SettingKind = "address" // Interface, Prefix
	SetRoute   SettingKind = "route"   // Prefix via Address on Interface
	SetSysctl  SettingKind = "sysctl"  // Key, Value
	SetOffload SettingKind = "offload" // Interface, Key (ethtool feature), Value on|off
	SetQdisc   SettingKind = "qdisc"   // Interface, Key (kind), Value
	SetVLAN    SettingKind = "vlan"    // Interface is the parent, Key the new name, Int the id
	// Interface is the bond, Key the mode, Value its hash policy, Of its members; of a backup the preferred one first.
	SetBond SettingKind = "bond"
	SetQoS  SettingKind = "qos" // Interface gets the traffic classes QoS
	SetVFs  SettingKind = "vfs" // Interface gets Int virtual functions (SR-IOV)
)

// Setting is one thing to set on a Linux host, with the reason.
type Setting struct {
	Kind      SettingKind
	Interface string
	Key       string
	Value     string
	Int       int
	Prefix    netip.Prefix
	Address   netip.Addr
	Of        []string
	QoS       *device.QoS
	Why       string
}

// BOM is the bill of materials.
type BOM struct {
	Items  []BOMItem         `json:"items"`
	Totals []record.BOMTotal `json:"totals"`
}

// BOMItem is one line of the bill of materials.
type BOMItem struct {
	Part      string             `json:"part"`
	Role      string             `json:"role"` // nic, cable, switch, drive, spare, ..
	Count     int                `json:"count"`
	UnitPrice *unit.Money        `json:"unit_price"` // null: unknown
	Currency  string             `json:"currency"`
	Total     *unit.Money        `json:"total"`
	Origin    fabric.PriceOrigin `json:"price_from"` // written, owned, catalogue, unknown
	// From is the user's file with the part; empty: the catalogue, or written out.
	From string `json:"part_from,omitempty"`
	// For is where it goes: NICs (nas.cx3), hosts, drives and switches by name, cables and adapters by the cable's
	// label; nil of spares.
	For []string `json:"for,omitempty"`
	// Numbers are part numbers and other spellings under which it is sold.
	Numbers []string `json:"part_numbers,omitempty"`
	// Traps are the reasons why people buy the wrong part, as far as they matter to this fabric.
	Traps []string `json:"traps,omitempty"`
	// PriceNote is what a price of the catalogue was paid for.
	PriceNote string        `json:"price_note,omitempty"`
	Bought    *catalog.Part `json:"-"` // nil: the file does not say which
}

package fabric

import (
	"net/netip"

	"linerate/internal/base/unit"
	"linerate/internal/design/catalog"
)

// Fabric is a fabric file after decoding: variants merged, ranges expanded,
// parts looked up, names resolved. Slices keep the order of the file.
type Fabric struct {
	Path    string         // the file's name as passed to Load
	Text    []byte         // the file as read
	Parts   []catalog.File // the user's own files of parts, which override the catalogue
	Name    string         // key fabric
	Variant string         // the variants merged into it, "ten+iwarp"; empty for the file as written
	Note    string

	MTU        int // the hosts' IP MTU; 1500 if not written
	Addressing Addressing
	Subnets    []Subnet
	Hosts      []*Host
	Volumes    []*Volume
	Profiles   []*Profile // of block
	Switches   []*Switch
	Links      []*Link
	Spares     []Item
	Classes    []Class
	Trust      string // dscp, pcp, port or empty
	DCBX       string // none, switch or empty

	Experiments []*Experiment // empty if the file has none: see DefaultExperiments
	Goals       []*Goal
	Variants    []string // the names the file defines
}

// Addressing is where addresses come from.
type Addressing struct {
	Pool   netip.Prefix // 10.20.0.0/16 if not written
	Prefix int          // length of a link's own subnet; 24 if not written
	Avoid  []netip.Prefix
	Names  string // hosts-file or empty
	At     At
}

// Subnet is a named subnet that several links share.
type Subnet struct {
	Name  string
	Range netip.Prefix // zero if it comes from the pool
	VLAN  int          // 0: untagged
	At    At
}

// Host is a machine with NICs and drives; also a virtual machine (On is set).
type Host struct {
	Name       string
	Group      string // the name as written, "n[1-4]"; equal to Name without a range
	OS         string // linux, freebsd, truenas, windows, proxmox, macos; empty if not written
	Version    string
	System     string
	CPU        string
	Memory     string
	Connection string   // with the host's name in place of {host}; empty: cannot be measured outside the lab
	Slots      []string // PCI Express slots for NICs, pcie3x8 ..; empty: not written
	On         string   // the host that a virtual machine runs on
	Guest      bool     // runs as a whole machine in the lab, not a namespace
	// GuestSystem is the operating system of a guest: systemd; empty if it only needs programs.
	GuestSystem string
	Price       Price
	// Settings are host-wide settings as written, for the report.
	Settings map[string]string
	NICs     []*NIC
	Bonds    []*Bond
	Drives   []*Drive
	Note     string
	At       At
}

// NIC is one adapter of a host, or a virtual function given to a virtual machine.
type NIC struct {
	Name     string
	Part     *catalog.Part // nil for a virtual function
	Slot     string        // pcie3x8; empty if not written
	Behind   string        // cpu, chipset, ..
	Mode     string        // eth, ib
	Speed    unit.BitRate  // 0: as fast as the part and the other end allow
	RDMA     string
	VFs      int
	VF       string // host.NIC.port of the function
	Firmware string
	Settings map[string]string
	Offloads map[string]bool // the offloads among Settings: on or off
	Ports    []string        // the operating system's names, in the order of the part's ports
	Price    Price
	Note     string
	At       At
}

// Bond joins ports of one host.
type Bond struct {
	Name   string
	Of     []Port
	Mode   string // lacp, backup, set
	Subnet string
	Note   string
	At     At
}

// Drive is a drive or a set of equal drives.
type Drive struct {
	Name     string
	Part     *catalog.Part
	Bus      string // sas3x4, pcie3x4
	Behind   string // cpu, chipset, ..
	Count    int
	Read     unit.BitRate // the most that the set delivers locally, 0: not written
	Write    unit.BitRate
	Capacity unit.Bytes // of one drive, 0: not written
	Layout   string
	Path     string
	Mounts   map[string]string // its mount points by host
	Export   string            // iscsi, nvme-tcp, nbd, nfs, smb, http or empty
	Size     unit.Bytes        // of the file that is exported for a run, 0: as large as the experiment's span
	Shares   map[string]string
	Login    string // source of the secret: env:NAME
	Price    Price
	Note     string
	At       At
}

// Volume is storage made of several hosts' drives.
type Volume struct {
	Name   string
	Of     []string
	Layout string
	Note   string
	Extra  map[string]string // further keys, as written
	At     At
}

// Switch is a switch.
type Switch struct {
	Name       string
	Part       *catalog.Part
	OS         string
	Version    string
	System     string
	Connection string
	Price      Price
	Note       string
	At         At
}

// Port names one end of a link: a NIC's port on a host, or a switch's port.
type Port struct {
	Host string // empty for a switch's port
	NIC  string // or the bond's name
	// Switch is empty for a host's port.
	Switch string
	Index  int // counted from 1
	Lane   int // of a breakout, from 1; 0: the whole port
}

// String returns the port's name as in the file: nas.cx3.1, sw1.19, sw1.2/3.
func (p Port) String() string { return portName(p) }

// Link is one cable between two ports.
type Link struct {
	Name      string // default "desk.cx3.1--nas.cx3.2"
	Ends      [2]Port
	Subnet    string       // name of a Subnet, or a range as written; empty: its own from the pool
	Addresses []netip.Addr // in the order of the host ends; may be shorter
	Cable     Item
	// Adapter is a part between plug and cage, at each end whose cage the plug does not fit; Part is nil if there is none.
	Adapter Item
	Adapted [2]bool // the ends that have it
	MTU     int     // 0: the fabric's
	Length  float64 // metres between the ends, 0: not written
	Note    string
	At      At
}

// Item is something bought: a part with its price.
type Item struct {
	Part  *catalog.Part // nil if no part was written
	Price Price
	Label string
	Count int
	Note  string
	At    At
}

// PriceOrigin is where a price comes from.
type PriceOrigin string

// The origins of a price.
const (
	PriceWritten   PriceOrigin = "written"
	PriceOwned     PriceOrigin = "owned" // costs nothing
	PriceCatalogue PriceOrigin = "catalogue"
	PriceUnknown   PriceOrigin = "unknown"
)

// Price is the price of an item, and its origin.
type Price struct {
	Money  unit.Money
	Origin PriceOrigin
}

// Class is a traffic class.
type Class struct {
	Name     string
	Priority int
	DSCP     int // -1 if not written
	Lossless bool
	ECN      bool
	Share    float64 // of the link, 0..1; 0 if not written
	Match    string
	At       At
}

// Parameter is one setting of an experiment with its values; a single value is a parameter of length one. Values are as
// written, with ranges such as 512B..1MiB expanded to doublings.
type Parameter struct {
	Key    string
	Values []string
	At     At
}

// Experiment is a method, its endpoints and its parameters. An entry of the file whose from or to is a list becomes
// several experiments of the same name.
type Experiment struct {
	Name    string
	Method  string
	From    []string // hosts, virtual machines or host.drive; several measure at once
	To      []string
	On      []string // hosts of an app, or {"links"}: one after another, with the pattern pairs all at once
	Via     []string
	Repeats int     // 0: not written
	Figure  *Figure // of an app: the number to find in its output
	// of an app: files to copy next to it, with slashes, relative to the folder of the fabric file
	Files      []string
	Parameters []Parameter // all other keys in the order of the file: streams, size, direction, time ..
	Note       string
	At         At
}

// Figure is the number that an app prints: the first group of Match in its output.
type Figure struct {
	Match string // regular expression with one group
	Unit  string // s, GB/s ..; empty: a plain number
}

// Parameter returns the values of a key, or nil.
func (e *Experiment) Parameter(key string) []string {
	for _, a := range e.Parameters {
		if a.Key == key {
			return a.Values
		}
	}
	return nil
}

// GoalKind is what a goal compares with.
type GoalKind string

// The kinds of a goal's wanted value.
const (
	GoalValue     GoalKind = "value"   // Value, in base units of the metric
	GoalOfCeiling GoalKind = "ceiling" // Value x ceiling
	GoalOfLink    GoalKind = "link"    // Value x the link's rate
	GoalOther     GoalKind = "other"   // Value x another experiment, parameter value or variant: Other
)

// Goal is a requirement for every combination that Where selects.
type Goal struct {
	Name   string
	Of     string // the experiment; "plan" for cost and watts
	Where  []Parameter
	Text   string // as written: "goodput >= 95% of ceiling"
	Metric string // goodput, iops, latency.p50, latency.p99, seconds, cpu, iops/cpu, figure, cost, watts
	Op     string // >= or <=
	Kind   GoalKind
	Value  float64
	Other  string     // "variant ten", "streams 1", or an experiment's name
	Money  unit.Money // for cost
	At     At
}

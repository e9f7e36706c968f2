package catalog

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// Kind is what a part is.
type Kind string

// The kinds of part.
const (
	NIC         Kind = "nic"
	Cable       Kind = "cable"
	Transceiver Kind = "transceiver"
	Adapter     Kind = "adapter" // a plug of one form with a cage of another
	Switch      Kind = "switch"
	Drive       Kind = "drive"
)

// kinds are all kinds, in the order of messages.
var kinds = []Kind{NIC, Switch, Cable, Transceiver, Adapter, Drive}

// SourceID names a source of the catalogue: a document, a manual, or "recall" for general knowledge that was not
// compared with a document.
type SourceID string

// Confidence is how reliable an entry as a whole is.
type Confidence string

// The levels of confidence. Low: mostly recall. Declared: written in the user's own file, which is taken as true.
const (
	High     Confidence = "high"
	Medium   Confidence = "medium"
	Low      Confidence = "low"
	Declared Confidence = "declared"
)

// Part is one entry of the catalogue, or a part described in a fabric file. Properties that no source has are nil, or
// an unknown unit.Opt; an empty list that is not nil is known to be empty. Parts are shared: do not change them.
type Part struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Vendor  string   `json:"vendor,omitempty"`
	Family  string   `json:"family,omitempty"`
	Kind    Kind     `json:"kind"`
	Aliases []string `json:"aliases,omitempty"` // part numbers and other spellings

	// Ethernet rates of one port or of the cable, ascending; nil: unknown
	Speeds     []unit.BitRate `json:"speeds"`
	InfiniBand []IBRate       `json:"infiniband,omitempty"` // rates of one 4-lane port in InfiniBand mode; nil: none known
	Ports      []Port         `json:"ports,omitempty"`      // of a NIC or switch, Index 1 first; nil: unknown
	PCIe       *PCIe          `json:"pcie"`                 // the NIC's own; nil: unknown or none
	RDMA       []string       `json:"rdma"`                 // ib, rocev1, rocev2, iwarp; nil: unknown, empty: none
	SRIOV      unit.Opt[bool] `json:"sriov"`
	VFs        unit.Opt[int]  `json:"vfs"` // SR-IOV functions per port, at most
	// ISCSIOffload: the NIC has its own iSCSI initiator.
	ISCSIOffload unit.Opt[bool]    `json:"iscsi_offload"`
	Drivers      map[string]Driver `json:"drivers,omitempty"` // by operating system: linux, freebsd, windows
	PCIIDs       []string          `json:"pci_ids,omitempty"` // "15b3:1007"

	Switch *SwitchInfo `json:"switch,omitempty"` // of a switch
	Cable  *CableInfo  `json:"cable,omitempty"`  // of a cable, transceiver or adapter
	Drive  *DriveInfo  `json:"drive,omitempty"`  // of a drive

	Watts *Watts `json:"watts"` // nil: unknown
	Price *Price `json:"price"` // nil: unknown

	Notes      []string              `json:"notes,omitempty"`
	Traps      []string              `json:"traps,omitempty"`   // reasons why people buy or plug the wrong part
	Sources    map[string][]SourceID `json:"sources,omitempty"` // by field
	Confidence Confidence            `json:"confidence"`
	// From is the user's file with the entry; empty: the catalogue, or described in the fabric file.
	From string `json:"from,omitempty"`
}

// Port is a port of a NIC or switch.
type Port struct {
	Index  int            `json:"index"`          // from 1, as in host.NIC.1 and switch.1
	Name   string         `json:"name,omitempty"` // on a switch, its operating system's name for the port, if known
	Cage   Cage           `json:"cage"`           // empty: unknown
	Speeds []unit.BitRate `json:"speeds"`         // Ethernet; nil: unknown
	// Lanes is how many ports a breakout cable makes of this one; 0: no source says that it can.
	Lanes int `json:"lanes,omitempty"`
}

// PCIe is a PCI Express link: its generation and the number of lanes.
type PCIe struct {
	Gen   int `json:"gen"`
	Lanes int `json:"lanes"`
}

// SwitchInfo is the properties of switches.
type SwitchInfo struct {
	OS     string               `json:"os,omitempty"`
	Chip   string               `json:"chip,omitempty"`
	PFC    unit.Opt[bool]       `json:"pfc"`
	ECN    unit.Opt[bool]       `json:"ecn"`
	Buffer unit.Opt[unit.Bytes] `json:"buffer"`
	L2MTU  unit.Opt[int]        `json:"l2mtu"` // the largest frame in bytes, without its MAC header
	QoS    *QoSLimits           `json:"qos,omitempty"`
}

// QoSLimits are the numbers of objects in the switch's QoS engine.
type QoSLimits struct {
	Maps       int `json:"maps"`
	Profiles   int `json:"profiles"`
	TxManagers int `json:"tx_managers"`
}

// Media is what a cable is made of.
type Media string

// The media.
const (
	DAC   Media = "dac"   // copper with fixed plugs
	AOC   Media = "aoc"   // fibre with fixed transceivers
	Fiber Media = "fiber" // fibre alone, or a transceiver for it
	Pair  Media = "pair"  // twisted pairs
)

// CableInfo is the properties of cables, transceivers and adapters.
type CableInfo struct {
	Media Media `json:"media"`
	// its plugs, by the cage they are made for; a transceiver has one, a breakout more than two
	Ends     []Cage            `json:"ends"`
	Length   unit.Opt[float64] `json:"length_m"`        // of this cable, in metres
	Distance unit.Opt[float64] `json:"distance_m"`      // the longest cable that works, in metres
	Fiber    string            `json:"fiber,omitempty"` // OM4 MPO-12, SMF LC duplex ..
}

// DriveInfo is the properties of drives.
type DriveInfo struct {
	Bus      Bus                    `json:"bus"`
	Medium   string                 `json:"medium,omitempty"` // flash, optane, disk, nvdimm
	Capacity unit.Opt[unit.Bytes]   `json:"capacity"`
	Read     unit.Opt[unit.BitRate] `json:"read"` // sequential, of one drive
	Write    unit.Opt[unit.BitRate] `json:"write"`
}

// Watts is a measured or rated power draw.
type Watts struct {
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Condition string  `json:"condition,omitempty"`
}

// Price is a price that was paid or seen once.
type Price struct {
	Money unit.Money
	Note  string
}

// MarshalJSON writes {"amount": 12.665, "currency": "USD", "note": ".."}.
func (p Price) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Amount   unit.Money `json:"amount"`
		Currency string     `json:"currency"`
		Note     string     `json:"note,omitempty"`
	}{p.Money, p.Money.Currency, p.Note})
}

// Port returns the port with an index, counted from 1. If the ports are unknown, every index may exist: known is false
// and the port has only its index.
func (p *Part) Port(index int) (port Port, ok, known bool) {
	if p.Ports == nil {
		return Port{Index: index}, index >= 1, false
	}
	if index < 1 || index > len(p.Ports) {
		return Port{}, false, true
	}
	return p.Ports[index-1], true, true
}

// PortSummary lists the ports by their indices, in runs of equal ones: "1-18: sfp28 25G, 19-22: qsfp28 100G". It is
// empty if the ports are unknown.
func (p *Part) PortSummary() string {
	var runs []string
	for first := 0; first < len(p.Ports); {
		port, next := p.Ports[first], first+1
		for next < len(p.Ports) && p.Ports[next].Cage == port.Cage && slices.Equal(p.Ports[next].Speeds, port.Speeds) {
			next++
		}
		text := strconv.Itoa(first + 1)
		if next > first+1 {
			text += "-" + strconv.Itoa(next)
		}
		text += ": " + cmp.Or(string(port.Cage), "cage not known")
		if len(port.Speeds) > 0 {
			text += " " + short(slices.Max(port.Speeds))
		}
		runs = append(runs, text)
		first = next
	}
	return strings.Join(runs, ", ")
}

// Fastest returns the highest Ethernet rate of any port; 0 if unknown or none.
func (p *Part) Fastest() unit.BitRate {
	if len(p.Speeds) == 0 {
		return 0
	}
	return slices.Max(p.Speeds)
}

// HasRDMA reports whether the part supports a transport (ib, rocev1, rocev2, iwarp).
func (p *Part) HasRDMA(transport string) unit.Opt[bool] {
	if p.RDMA == nil {
		return unit.Unknown[bool]("no source says which RDMA transports " + p.Name + " has")
	}
	return unit.Known(slices.Contains(p.RDMA, transport))
}

// IBRate is an InfiniBand data rate by its name: sdr, ddr, qdr, fdr, edr, hdr.
type IBRate string

// ibRates has the signalling and data rates of four lanes. SDR to QDR carry 8 bits in 10; from FDR on 64 in 66
// (InfiniBand Architecture Specification).
var ibRates = map[IBRate]struct{ signal, data unit.BitRate }{
	"sdr": {10e9, 8e9},
	"ddr": {20e9, 16e9},
	"qdr": {40e9, 32e9},
	"fdr": {56.25e9, 56.25e9 * 64 / 66},
	"edr": {103.125e9, 100e9},
	"hdr": {212.5e9, 200e9},
}

// Known reports whether r is in the table.
func (r IBRate) Known() bool { _, ok := ibRates[r]; return ok }

// Signalling returns the rate of four lanes with line code; 0 for an unknown name.
func (r IBRate) Signalling() unit.BitRate { return ibRates[r].signal }

// Data returns the rate of four lanes without line code; 0 for an unknown name.
func (r IBRate) Data() unit.BitRate { return ibRates[r].data }

// Brief is what distinguishes a part from those of similar names: "40G Ethernet, FDR"; empty: unknown.
func (p *Part) Brief() string {
	var all []string
	if rate := p.Fastest(); rate > 0 {
		all = append(all, short(rate)+" Ethernet")
	}
	if n := len(p.InfiniBand); n > 0 {
		all = append(all, strings.ToUpper(string(p.InfiniBand[n-1])))
	}
	return strings.Join(all, ", ")
}

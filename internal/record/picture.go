package record

import (
	"linerate/internal/base/unit"
)

// Picture is what a report needs to draw the fabric, apart from package plan so
// that old runs stay readable. What older runs do not have is empty.
type Picture struct {
	Hosts    []PictureHost   `json:"hosts"`
	Switches []string        `json:"switches"`
	Devices  []PictureSwitch `json:"switch_devices,omitempty"` // of Switches, in their order
	Links    []PictureLink   `json:"links"`
	Totals   []BOMTotal      `json:"totals"`
}

// PictureHost is a host with its plugged ports.
type PictureHost struct {
	Name   string        `json:"name"`
	OS     string        `json:"os"`
	On     string        `json:"on,omitempty"` // the host that a virtual machine runs on
	Ports  []PicturePort `json:"ports"`
	Unused []PicturePort `json:"unused,omitempty"` // ports of cards without a cable
	Cards  []PictureCard `json:"cards,omitempty"`
}

// PictureCard is a card of a host.
type PictureCard struct {
	Name      string `json:"name"`
	Part      string `json:"part,omitempty"`
	Slot      string `json:"slot,omitempty"`
	Functions int    `json:"vfs,omitempty"` // SR-IOV functions that the file asks for
}

// PicturePort is a port of a card, a bond, or an SR-IOV function.
type PicturePort struct {
	ID        string   `json:"id"`
	Interface string   `json:"interface"`
	Assumed   bool     `json:"interface_assumed,omitempty"` // the lab's name: the file has none
	Address   string   `json:"address"`
	Part      string   `json:"part"`
	Function  string   `json:"vf,omitempty"` // the port that this is a function of
	Of        []string `json:"of,omitempty"` // ids of a bond's members
	Mode      string   `json:"bond_mode,omitempty"`
}

// PictureSwitch is a switch.
type PictureSwitch struct {
	Name  string `json:"name"`
	Part  string `json:"part,omitempty"`
	OS    string `json:"os,omitempty"`
	Ports int    `json:"ports,omitempty"` // all that it has; 0: not known
}

// PictureLink is a cable.
type PictureLink struct {
	Name   string       `json:"name"`
	Label  string       `json:"label"`
	Ends   [2]string    `json:"ends"`                 // port ids; a switch's is sw1.19
	Ports  []string     `json:"port_names,omitempty"` // the switch's own names of both ends' ports; empty where not known
	Rate   unit.BitRate `json:"bits_per_second"`      // planned; 0 if unknown
	Cable  string       `json:"cable"`                // "dac 3 m"
	Media  string       `json:"media,omitempty"`
	Length *float64     `json:"length_m"`
	VLAN   int          `json:"vlan,omitempty"`
	IB     bool         `json:"infiniband,omitempty"`
}

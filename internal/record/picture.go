package record

import (
	"linerate/internal/base/unit"
)

// Picture has what a report needs to draw the fabric. It is separate from package plan so that old runs stay readable.
type Picture struct {
	Hosts    []PictureHost   `json:"hosts"`
	Switches []string        `json:"switches"`
	Devices  []PictureSwitch `json:"switch_devices,omitempty"` // of Switches, in their order
	Links    []PictureLink   `json:"links"`
	Totals   []BOMTotal      `json:"totals"`
}

// PictureHost is a host with its ports that have a cable.
type PictureHost struct {
	Name   string        `json:"name"`
	OS     string        `json:"os"`
	On     string        `json:"on,omitempty"` // the host that a virtual machine runs on
	Ports  []PicturePort `json:"ports"`
	Unused []PicturePort `json:"unused,omitempty"` // ports of NICs without a cable
	NICs   []PictureNIC  `json:"nics,omitempty"`
}

// PictureNIC is a NIC of a host.
type PictureNIC struct {
	Name      string `json:"name"`
	Part      string `json:"part,omitempty"`
	Slot      string `json:"slot,omitempty"`
	Functions int    `json:"vfs,omitempty"` // SR-IOV functions that the fabric file configures
}

// PicturePort is a port of a NIC, a bond, or an SR-IOV function.
type PicturePort struct {
	ID        string   `json:"id"`
	Interface string   `json:"interface"`
	Assumed   bool     `json:"interface_assumed,omitempty"` // named by the lab, because the file names none
	Address   string   `json:"address"`
	Part      string   `json:"part"`
	Function  string   `json:"vf,omitempty"` // the port that this function belongs to
	Of        []string `json:"of,omitempty"` // ids of a bond's members
	Mode      string   `json:"bond_mode,omitempty"`
}

// PictureSwitch is a switch.
type PictureSwitch struct {
	Name  string `json:"name"`
	Part  string `json:"part,omitempty"`
	OS    string `json:"os,omitempty"`
	Ports int    `json:"ports,omitempty"` // number of ports; 0: not known
}

// PictureLink is a cable.
type PictureLink struct {
	Name   string       `json:"name"`
	Label  string       `json:"label"`
	Ends   [2]string    `json:"ends"`                 // port ids; a switch's is sw1.19
	Ports  []string     `json:"port_names,omitempty"` // port names of both ends, as on the switch; empty: not known
	Rate   unit.BitRate `json:"bits_per_second"`      // planned; 0 if unknown
	Cable  string       `json:"cable"`                // "dac 3 m"
	Media  string       `json:"media,omitempty"`
	Length *float64     `json:"length_m"`
	VLAN   int          `json:"vlan,omitempty"`
	IB     bool         `json:"infiniband,omitempty"`
}

package facts

import (
	"linerate/internal/base/unit"
)

// Machine is the model of a host from its firmware, without serial numbers.
type Machine struct {
	Vendor  unit.Opt[string] `json:"vendor"`
	Product unit.Opt[string] `json:"product"`
	Board   unit.Opt[string] `json:"board"`
	Nodes   unit.Opt[int]    `json:"nodes"` // of NUMA
}

// Temperature is a sensor of an adapter or drive, in degrees Celsius.
type Temperature struct {
	Device string  `json:"device"` // interface or chip: "eth2", "nvme"
	Sensor string  `json:"sensor"` // "temp1"
	Label  string  `json:"label"`  // "asic", "Composite"; empty: the driver has no label
	Now    float64 `json:"now"`    // degrees
	// High and Critical are the device's limits.
	High     unit.Opt[float64] `json:"high"`
	Critical unit.Opt[float64] `json:"critical"`
	Proof
}

// Sensor is a part of a switch or machine that reports its state: a power supply, a fan, a temperature.
type Sensor struct {
	Kind  string `json:"kind"`  // psu, fan, temperature
	Name  string `json:"name"`  // the device's name: "1", "PSU 2", "FAN_1", "Outlet sensor"
	State string `json:"state"` // in the device's words: "Ok", "Power Loss"
	// OK reports whether the device reports it as good; unknown for missing parts, and for unknown words.
	OK unit.Opt[bool] `json:"ok"`
	Proof
}

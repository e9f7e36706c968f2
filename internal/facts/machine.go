package facts

import (
	"linerate/internal/base/unit"
)

// Machine is the model of a host from its firmware, without serial numbers.
type Machine struct {
	Vendor, Product, Board unit.Opt[string]
	Nodes                  unit.Opt[int] // of NUMA
}

// Temperature is a sensor of an adapter or drive, in degrees Celsius.
type Temperature struct {
	Device string  // interface or chip: "eth2", "nvme"
	Sensor string  // "temp1"
	Label  string  // "asic", "Composite"; empty: the driver has no label
	Now    float64 // degrees
	// High and Critical are the device's limits.
	High, Critical unit.Opt[float64]
	Proof
}

// Sensor is a part of a switch or machine that reports its state: a power supply, a fan, a temperature.
type Sensor struct {
	Kind  string // psu, fan, temperature
	Name  string // the device's name: "1", "PSU 2", "FAN_1", "Outlet sensor"
	State string // in the device's words: "Ok", "Power Loss"
	// OK reports whether the device reports it as good; unknown for missing parts, and for unknown words.
	OK unit.Opt[bool]
	Proof
}

package facts

import (
	"linerate/internal/base/unit"
)

// Optic is a module or cable, with its measurements.
type Optic struct {
	Form       string   `json:"form"`  // "SFP", "QSFP28"
	Types      []string `json:"types"` // "25G Base-SR", "Passive Cable"
	Vendor     string   `json:"vendor"`
	Part       string   `json:"part"` // the vendor's part number
	Revision   string   `json:"revision"`
	Length     string   `json:"length"`     // of a cable, as printed: "2m"
	Wavelength string   `json:"wavelength"` // "850nm"
	Copper     bool     `json:"copper"`     // a cable without light
	// Diagnostics reports whether it has measurements.
	Diagnostics unit.Opt[bool]    `json:"diagnostics"`
	Temperature unit.Opt[float64] `json:"temperature"` // degrees C
	Voltage     unit.Opt[float64] `json:"voltage"`     // V
	Lanes       []OpticLane       `json:"lanes"`
	// Limits are the module's own, by measurement: "temperature", "voltage", "bias", "send", "receive".
	Limits map[string]Limits `json:"limits"`
	// Raised are the alarms and warnings of the module, under its names: "Laser rx power low alarm".
	Raised []Proof `json:"raised"`
	// Proofs are the lines of the measurements, by the names of Limits, followed by " 2" for lane 2.
	Proofs map[string]Proof `json:"proofs"`
}

// OpticLane is one laser and its receiver. Powers are in dBm; no light at all is below -40.
type OpticLane struct {
	Bias    unit.Opt[float64] `json:"bias"` // mA
	Send    unit.Opt[float64] `json:"send"`
	Receive unit.Opt[float64] `json:"receive"` // dBm
}

// Limits of a measurement. Zero values of modules without limits are omitted.
type Limits struct {
	HighAlarm   unit.Opt[float64] `json:"high_alarm"`
	LowAlarm    unit.Opt[float64] `json:"low_alarm"`
	HighWarning unit.Opt[float64] `json:"high_warning"`
	LowWarning  unit.Opt[float64] `json:"low_warning"`
}

// Dark is the power below which there is practically no light, dBm: the floor of modules is -40 or -30.
const Dark = -29.0

// Lane returns a lane by its number from 1, and creates those up to it.
func (o *Optic) Lane(n int) *OpticLane {
	for len(o.Lanes) < n {
		o.Lanes = append(o.Lanes, OpticLane{})
	}
	return &o.Lanes[n-1]
}

// Measured records the line of a measurement.
func (o *Optic) Measured(what string, p Proof) {
	if o.Proofs == nil {
		o.Proofs = map[string]Proof{}
	}
	o.Proofs[what] = p
}

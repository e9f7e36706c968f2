package facts

import "linerate/internal/base/unit"

// Optic is a module or cable, and what it measures of itself.
type Optic struct {
	Form       string   // "SFP", "QSFP28"
	Types      []string // "25G Base-SR", "Passive Cable"
	Vendor     string
	Part       string // the vendor's number for it
	Revision   string
	Length     string // of a cable, as it says: "2m"
	Wavelength string // "850nm"
	Copper     bool   // a cable without light
	// Diagnostics says whether it measures itself.
	Diagnostics unit.Opt[bool]
	Temperature unit.Opt[float64] // degrees C
	Voltage     unit.Opt[float64] // V
	Lanes       []OpticLane
	// Limits are the module's own, by what they limit: "temperature", "voltage", "bias", "send", "receive".
	Limits map[string]Limits
	// Raised are the alarms and warnings that the module itself raises, as it names them: "Laser rx power low alarm".
	Raised []Proof
	// Proofs are the lines of what it measures, by the names of Limits, with " 2" behind for lane 2.
	Proofs map[string]Proof
}

// OpticLane is one laser and its receiver. Powers are in dBm; no light at all is below -40.
type OpticLane struct {
	Bias          unit.Opt[float64] // mA
	Send, Receive unit.Opt[float64] // dBm
}

// Limits of something that is measured. Zero values of modules that have none are left out.
type Limits struct {
	HighAlarm, LowAlarm, HighWarning, LowWarning unit.Opt[float64]
}

// Dark is the power at which there is no light to speak of, dBm: the floor that modules print is -40 or -30.
const Dark = -29.0

// lane returns a lane by its number from 1, and makes those up to it.
func (o *Optic) lane(n int) *OpticLane {
	for len(o.Lanes) < n {
		o.Lanes = append(o.Lanes, OpticLane{})
	}
	return &o.Lanes[n-1]
}

// measured keeps the line that says what is measured.
func (o *Optic) measured(what string, p Proof) {
	if o.Proofs == nil {
		o.Proofs = map[string]Proof{}
	}
	o.Proofs[what] = p
}

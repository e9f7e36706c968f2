package record

// Origin says where an input of a formula comes from.
type Origin string

// The origins of an input.
const (
	Declared  Origin = "declared"
	Measured  Origin = "measured"
	Assumed   Origin = "assumed"
	Simulated Origin = "simulated"
)

// Input is one number that went into a ceiling.
type Input struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Origin Origin  `json:"origin"`
}

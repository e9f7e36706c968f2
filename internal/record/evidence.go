package record

// EvidenceCost is what looking at the ends cost them while they were measured.
type EvidenceCost struct {
	Hosts []HostCost `json:"hosts"`
	// Share is that of the host and experiment with the most, of one core over the steady window; null: no capture says what it took.
	Share   *float64  `json:"share"`
	Unknown []Unknown `json:"unknown,omitempty"` // hosts that do not say
}

// HostCost is of one host or switch, over all experiments.
type HostCost struct {
	Host     string  `json:"host"`
	Captures int     `json:"captures"` // in steady windows
	Seconds  float64 `json:"processor_seconds"`
	Windows  float64 `json:"window_seconds"` // of the repeats in which they were taken
	Share    float64 `json:"share"`          // the most in one experiment
}

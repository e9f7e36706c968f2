package record

// Cost is the CPU time of moving data, fitted over combinations of different MTU or message size: CPU time = per packet
// x packets + per byte x bytes + per call x calls. Each repeat of all combinations gives one fit, and the estimates are
// over the fits. A part that the combinations cannot separate is nil, with the reason in Why.
type Cost struct {
	Experiment string `json:"experiment"`
	Variant    string `json:"variant,omitempty"`
	// Host is "nas+desk" where both ends are on one machine and share its CPU time.
	Host      string            `json:"host"`
	End       string            `json:"end"`        // sender, receiver, both
	Settings  map[string]string `json:"settings"`   // common to all combinations
	PerPacket *Estimate         `json:"per_packet"` // CPU seconds, with a packet's share of the acknowledgements
	// PerByte is in CPU seconds per byte of payload. Where PerPacket is nil, it includes the cost of packets.
	PerByte *Estimate `json:"per_byte"`
	PerCall *Estimate `json:"per_call,omitempty"`
	Repeats int       `json:"repeats"` // number of fits
	// Residual is the largest |fitted/measured - 1| over the combinations; nil: there are only as many combinations as
	// parts.
	Residual *float64 `json:"residual"`
	// Merged are the offloads that combine several packets into one: "tso on nas".
	Merged       []string          `json:"merged,omitempty"`
	Combinations []CostCombination `json:"cells"`
	Why          string            `json:"unknown,omitempty"`
}

// CostCombination is one combination of a fit: its measured cost and its fitted cost.
type CostCombination struct {
	Experiment string  `json:"id"`
	MTU        string  `json:"mtu"`
	Size       string  `json:"size,omitempty"` // of a message
	Packet     float64 `json:"packet"`         // payload bytes per packet, from the interface's counters; 0: not known
	Goodput    float64 `json:"goodput"`        // bits per second
	Cores      float64 `json:"cores"`          // in use
	Measured   float64 `json:"measured"`       // bits per CPU second
	Fitted     float64 `json:"fitted"`         // bits per CPU second; 0: there is no fit
}

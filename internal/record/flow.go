package record

// Flow is one pair of hosts in a group that is measured concurrently.
type Flow struct {
	From     string    `json:"from"`
	To       string    `json:"to"`
	Ends     []End     `json:"ends"`
	Links    []string  `json:"links"`
	Streams  int       `json:"streams"`               // connections, of both directions
	Goodput  *Estimate `json:"goodput"`               // bits per second; in direction both the sum
	Forward  *Estimate `json:"goodput_out,omitempty"` // in direction both: From -> To
	Backward *Estimate `json:"goodput_in,omitempty"`
	Class    string    `json:"class,omitempty"`  // of a proof: its class, or BestEffort
	Failed   string    `json:"failed,omitempty"` // why it could not be measured
}

// BestEffort is the class of a flow that is sent together with the class under test.
const BestEffort = "best effort"

// FlowRepeat is one flow in one repeat of a group, in the interval that all flows share.
type FlowRepeat struct {
	Goodput  float64 `json:"goodput"` // bits per second at the receivers
	Forward  float64 `json:"goodput_out"`
	Backward float64 `json:"goodput_in"`
	// First is the seconds from the first byte of the earliest flow to the first byte of this one, at the receivers.
	First  float64 `json:"first"`
	Failed string  `json:"failed,omitempty"`
}

// Fairness is how evenly streams share the goodput, in the repeat that is nearest to the median.
type Fairness struct {
	Streams int     `json:"streams"`
	Jain    float64 `json:"jain"` // (sum of x)^2 / (n * sum of x^2): 1 if all get the same, 1/n if one gets everything
	Low     float64 `json:"low"`  // of the slowest stream, bits per second
	Median  float64 `json:"median"`
	High    float64 `json:"high"`
}

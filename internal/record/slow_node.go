package record

// SlowNode is a host that the measurements agree on: every path to it, or from it, is slow, and no other path is.
type SlowNode struct {
	Host string `json:"host"`
	Port string `json:"port,omitempty"` // empty: its paths use several
	Way  string `json:"way"`            // receiving, sending, both
	// Paths is the number of its paths. Low and High are their range, Others is the lowest of all others: shares of the
	// ceilings, or with Unit "bit/s" the flows of one group.
	Paths    int     `json:"paths"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Others   float64 `json:"others"`
	Unit     string  `json:"unit"` // 1, bit/s
	Sentence string  `json:"sentence"`
}

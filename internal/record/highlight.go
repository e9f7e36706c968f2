package record

// Highlight is a sentence about a run that can be quoted. Each report derives it from the other figures. It is never
// stored.
type Highlight struct {
	Kind string `json:"kind"` // line-rate, paths, ratio, work, latency, always, under-load
	Text string `json:"text"`
	// Experiments are the ids behind it, the winning side of a comparison first.
	Experiments []string `json:"experiments"`
	// Metric is goodput, iops, cpu, iops/cpu, goodput/cpu, latency.p50 or seconds; empty: nothing was compared.
	Metric string `json:"metric,omitempty"`
	// Ratio is first side / second side, Low and High are its 95 % interval; null: there is one side only.
	Ratio *float64 `json:"ratio,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

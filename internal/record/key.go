package record

// KeyFinding is a sentence that the data of a run allow to quote. It is made of the other figures of the run whenever a
// report is written, and never stored.
type KeyFinding struct {
	Kind string `json:"kind"` // line-rate, paths, ratio, work, latency, always, under-load
	Text string `json:"text"`
	// Experiments are the ids of those that it is of, the winning side of a comparison first.
	Experiments []string `json:"experiments"`
	// Metric is what was compared: goodput, iops, cpu, iops/cpu, goodput/cpu, latency.p50, seconds; empty: nothing was.
	Metric string `json:"metric,omitempty"`
	// Ratio is of the first side to the second, Low and High the ends of its 95 % interval; null: not of two sides.
	Ratio *float64 `json:"ratio,omitempty"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
}

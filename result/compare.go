package result

// Comparison is one figure of two sets of repeats, as other / base.
type Comparison struct {
	Experiment string         `json:"experiment"`
	Cell       string         `json:"cell"`   // "nas -> desktop, streams 4"
	Metric     string         `json:"metric"` // goodput (bits per second), latency.p50 (seconds), cpu/goodput (processor seconds a gigabit, both ends)
	Base       ComparisonSide `json:"base"`
	Other      ComparisonSide `json:"other"`
	Ratio      *float64       `json:"ratio"` // null: it could not be computed, see Why
	Low        *float64       `json:"low"`
	High       *float64       `json:"high"`
	Interval   string         `json:"interval"`    // "95%", or "range" where the repeats carry no interval
	Different  *bool          `json:"different"`   // true: the 95 % interval leaves 1 out; false: no difference shown; null: too few repeats
	Turns      bool           `json:"interleaved"` // the repeats alternated
	Paired     bool           `json:"paired"`      // the interval is of pairs
	P          *float64       `json:"p"`
	Why        string         `json:"why,omitempty"`
	// Emulated says of which side a host is an emulated machine: base, other, both; empty: of none. Such figures are none of
	// speed: of one side there is no ratio, of both there is no claim of a difference.
	Emulated string `json:"emulated,omitempty"`
	// Resolution is the least difference, as a share, that as many repeats of this noise find 9 times in 10; null: the
	// repeats carry no interval.
	Resolution *float64 `json:"resolution"`
}

// ComparisonSide is one of the two.
type ComparisonSide struct {
	Label   string  `json:"label"` // "variant ten", "run kxzp", "streams 4"
	ID      string  `json:"id"`    // of the experiment
	Median  float64 `json:"median"`
	Repeats int     `json:"repeats"` // that have the figure
}

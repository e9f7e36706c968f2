package record

// Comparison compares one figure of two sets of repeats, as the ratio other / base.
type Comparison struct {
	Experiment  string `json:"experiment"`
	Combination string `json:"cell"` // "nas -> desktop, streams 4"
	// Metric is goodput (bits per second), latency.p50 (seconds), cpu/goodput (CPU seconds per gigabit, both ends) ...
	Metric   string         `json:"metric"`
	Base     ComparisonSide `json:"base"`
	Other    ComparisonSide `json:"other"`
	Ratio    *float64       `json:"ratio"` // null: it could not be computed, see Why
	Low      *float64       `json:"low"`
	High     *float64       `json:"high"`
	Interval string         `json:"interval"` // "95%", or "range" where there are too few repeats
	// Different is true where the 95 % interval does not contain 1, false where it does, null with too few repeats.
	Different *bool    `json:"different"`
	Turns     bool     `json:"interleaved"` // the repeats alternated
	Paired    bool     `json:"paired"`      // the interval comes from pairs of repeats
	P         *float64 `json:"p"`
	Why       string   `json:"why,omitempty"`
	// Emulated is the side with an emulated machine: base, other, both; empty: neither. Figures of an emulated machine do
	// not show speed. One such side leaves no ratio, two leave no claim of a difference.
	Emulated string `json:"emulated,omitempty"`
	// Resolution is the smallest difference, as a share, that this many repeats with this noise detect 9 times in 10;
	// null: too few repeats.
	Resolution *float64 `json:"resolution"`
	// Differs are the conditions in which two otherwise equal experiments differ: "mtu 1500 to 9000".
	Differs []string `json:"differs,omitempty"`
	// Published is set where base is the figure of a document and other that of the run.
	Published *Published `json:"published,omitempty"`
}

// Published is a figure of a document, with its source.
type Published struct {
	Baseline string  `json:"baseline"`
	Row      string  `json:"row"`
	Section  string  `json:"section"`
	Text     string  `json:"text"`  // as the document words it
	Value    string  `json:"value"` // as printed in the document
	Low      float64 `json:"low"`   // in the metric's base unit; equal to High unless it is a range
	High     float64 `json:"high"`
	Bound    string  `json:"bound,omitempty"` // about, over, under, up to
	With     string  `json:"with,omitempty"`  // conditions of this figure
	// Differs and Same are about MTU and link rate: "MTU 1500 to 9000", "link 40.0 Gb/s".
	Differs []string `json:"differs,omitempty"`
	Same    []string `json:"same,omitempty"`
	Mean    int      `json:"mean_of,omitempty"` // number of experiments that the run's figure is the mean of; 0: one
	// Shares are both figures as shares of their ceilings; nil: a ceiling is not known.
	Shares *PublishedShares `json:"shares,omitempty"`
}

// PublishedShares are the figures of a run and of a document, each as a share of the ceiling of its link.
type PublishedShares struct {
	Yours   float64 `json:"yours"`
	Theirs  float64 `json:"theirs"`
	Ceiling float64 `json:"ceiling"` // bits per second of the document's link
	Formula string  `json:"formula"`
}

// OfLink describes shares of the link rate, for a document that does not give an MTU.
const OfLink = "the link's rate: the document does not say its MTU, and so no ceiling is known"

// Refused is something that was not compared, and the reason.
type Refused struct {
	What string `json:"what"` // an experiment, or a figure of a document
	ID   string `json:"id,omitempty"`
	Why  string `json:"why"`
}

// ComparisonSide is one side of a comparison.
type ComparisonSide struct {
	Label   string  `json:"label"` // "variant ten", "run kxzp", "streams 4"
	ID      string  `json:"id"`    // of the experiment
	Median  float64 `json:"median"`
	Repeats int     `json:"repeats"` // repeats that have the figure
}

package record

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
	// Differs are the conditions in which the two experiments, which are the same thing otherwise, differ: "mtu 1500 to 9000".
	Differs []string `json:"differs,omitempty"`
	// Published is of a comparison with a published figure: base is the document's, other the run's; nil: both are runs'.
	Published *Published `json:"published,omitempty"`
}

// Published is a figure of a document, with its source.
type Published struct {
	Baseline string  `json:"baseline"`
	Row      string  `json:"row"`
	Section  string  `json:"section"`
	Text     string  `json:"text"`  // the document's own words
	Value    string  `json:"value"` // as it writes it
	Low      float64 `json:"low"`   // of a range; else both are the figure; in the metric's base unit
	High     float64 `json:"high"`
	Bound    string  `json:"bound,omitempty"` // about, over, under, up to
	With     string  `json:"with,omitempty"`  // conditions of this figure
	// Differs and Same are MTU and link rate: "MTU 1500 to 9000", "link 40.0 Gb/s".
	Differs []string `json:"differs,omitempty"`
	Same    []string `json:"same,omitempty"`
	Mean    int      `json:"mean_of,omitempty"` // experiments that the run's figure is the mean of; 0: it is one's
	// Shares are both figures as parts of their ceilings; nil: one is not known.
	Shares *PublishedShares `json:"shares,omitempty"`
}

// PublishedShares are a run's and a document's figure over what their links allow.
type PublishedShares struct {
	Yours   float64 `json:"yours"`
	Theirs  float64 `json:"theirs"`
	Ceiling float64 `json:"ceiling"` // of the document's link, bits per second
	Formula string  `json:"formula"`
}

// OfLink is the formula of shares of the links' rates, in place of ceilings, where a document does not say its MTU.
const OfLink = "the link's rate: the document does not say its MTU, and so no ceiling is known"

// Refused is what was not compared, and why.
type Refused struct {
	What string `json:"what"`         // an experiment, or a figure of a document
	ID   string `json:"id,omitempty"` // of it
	Why  string `json:"why"`
}

// ComparisonSide is one of the two.
type ComparisonSide struct {
	Label   string  `json:"label"` // "variant ten", "run kxzp", "streams 4"
	ID      string  `json:"id"`    // of the experiment
	Median  float64 `json:"median"`
	Repeats int     `json:"repeats"` // that have the figure
}

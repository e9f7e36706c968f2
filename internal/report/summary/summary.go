package summary

import "linerate/internal/base/xslices"

// Version is the form of the summaries that this version writes. The line of data has it: "linerate-data 2".
const Version = 2

// Schema is that of Set as JSON.
const Schema = "linerate/summary/2"

// The texts that replace a figure.
const (
	NotMeasured = "not measured"
	NotKnown    = "not known"
)

// Summary is what one run has measured between one pair of hosts. Ends[0] is called A, Ends[1] B. A summary of local
// storage has only A. Empty texts and nil figures are not known.
type Summary struct {
	Version int       `json:"summary"`
	Program string    `json:"version"` // of linerate
	Date    string    `json:"date"`    // 2026-11-21, UTC
	Run     string    `json:"run"`     // its four letters
	Variant string    `json:"variant,omitempty"`
	Lab     string    `json:"lab,omitempty"` // empty: real hosts; or else what replaces them
	Ends    []End     `json:"ends"`
	Link    string    `json:"link"` // in words: rate, cable, switches, MTU
	Rows    []Row     `json:"rows"` // those of the network, in the order of the table; RDMA only where it was measured
	Storage []Storage `json:"storage"`
	Notes   []string  `json:"notes"`
	Verdict string    `json:"verdict"`
	// Bottleneck is the component that limits the slowest path, with its direction; empty: none does, or not known.
	Bottleneck string `json:"bottleneck,omitempty"`
	Fix        string `json:"fix,omitempty"`
}

// End is one host, and its NIC at the link.
type End struct {
	Host   string `json:"host"`
	System string `json:"system"`
	CPU    string `json:"cpu"`
	NIC    string `json:"nic"`
	Slot   string `json:"slot"`
}

// Row is one line of figures, in base units. Its kind decides which of them it has. Nil is not known.
type Row struct {
	Key      string `json:"row"`
	Measured bool   `json:"measured"`
	// For rates: payload in bits per second, and storage in bytes per second.
	Goodput        *float64 `json:"goodput,omitempty"`
	BytesPerSecond *float64 `json:"bytes_per_second,omitempty"`
	IOPS           *float64 `json:"iops,omitempty"`
	Mean           *float64 `json:"mean_seconds,omitempty"` // of a request
	// Ceiling is the lowest known ceiling of its path, in bits per second; Share is the reached share of it.
	Ceiling *float64 `json:"ceiling,omitempty"`
	Share   *float64 `json:"share_of_ceiling,omitempty"`
	// For round trips, in seconds; for RDMA as in the run: half of a round trip, for reads from post to completion.
	P50  *float64 `json:"p50_seconds,omitempty"`
	P99  *float64 `json:"p99_seconds,omitempty"`
	P999 *float64 `json:"p999_seconds,omitempty"`
	Load *float64 `json:"load,omitempty"` // bits per second during the round trips, both directions together
	// CoresA and CoresB are the busy cores at each end, for any work.
	CoresA *float64 `json:"cores_a,omitempty"`
	CoresB *float64 `json:"cores_b,omitempty"`
}

// Storage is a drive or share with its rows: those of CrystalDiskMark, reads first.
type Storage struct {
	Name     string `json:"name"`
	Over     string `json:"over"`     // iscsi, smb .., local
	AskedBy  string `json:"asked_by"` // A or B
	Span     string `json:"span"`
	Interval string `json:"interval"`
	Repeats  int    `json:"repeats"` // each row has the best one; 0: not known
	Rows     []Row  `json:"rows"`    // keys are those of StorageKey
}

// Set is the summaries of one run.
type Set struct {
	Schema    string     `json:"schema"`
	Summaries []*Summary `json:"summaries"`
	Others    []string   `json:"others"` // titles of omitted summaries of the run
}

// Title names a summary among those of its run: "nas - pc", "nas - pc [ten]".
func (c *Summary) Title() string {
	text := ""
	for i, e := range c.Ends {
		if i > 0 {
			text += " - "
		}
		text += e.Host
	}
	if c.Variant != "" {
		text += " [" + c.Variant + "]"
	}
	return text
}

// Row returns the row with the key; nil: the summary has none.
func (c *Summary) Row(key string) *Row {
	return xslices.At(c.Rows, func(r *Row) bool { return r.Key == key })
}

package summary

// Version is the form of the cards that this version writes: it stands in a card's first line as "card 1".
const Version = 1

// Schema is that of Set as JSON.
const Schema = "linerate/card/1"

// What a card says where it has no figure.
const (
	NotMeasured = "not measured"
	NotKnown    = "not known"
)

// Card is what one run has to say of one pair of hosts. Ends[0] is called A, Ends[1] B; a card of storage that its own host asks has A alone.
// Empty texts and nil figures are not known.
type Card struct {
	Version int       `json:"card"`
	Program string    `json:"version"` // of linerate
	Date    string    `json:"date"`    // 2026-11-21, UTC
	Run     string    `json:"run"`     // its four letters
	Variant string    `json:"variant,omitempty"`
	Lab     string    `json:"lab,omitempty"` // empty: real hosts; else what stands in for them
	Ends    []End     `json:"ends"`
	Link    string    `json:"link"` // in words: rate, cable, switches, MTU
	Rows    []Row     `json:"rows"` // those of the network, in the order of the table; RDMA only where it was measured
	Storage []Storage `json:"storage"`
	Notes   []string  `json:"notes"`
	Verdict string    `json:"verdict"`
}

// End is one host, and the card in it that the link ends at.
type End struct {
	Host      string `json:"host"`
	System    string `json:"system"`
	Processor string `json:"processor"`
	Card      string `json:"card"`
	Slot      string `json:"slot"`
}

// Row is one line of figures, in base units; which of them it has hangs on its kind. Nil is not known.
type Row struct {
	Key      string `json:"row"`
	Measured bool   `json:"measured"`
	// Of rates: bits a second of payload, and of bytes a second of storage.
	Goodput        *float64 `json:"goodput,omitempty"`
	BytesPerSecond *float64 `json:"bytes_per_second,omitempty"`
	IOPS           *float64 `json:"iops,omitempty"`
	Mean           *float64 `json:"mean_seconds,omitempty"` // of a request
	// Ceiling is the least of what is known of the parts of its path, in bits a second; Share the part of it that was reached.
	Ceiling *float64 `json:"ceiling,omitempty"`
	Share   *float64 `json:"share_of_ceiling,omitempty"`
	// Of round trips, in seconds; of RDMA as the run has them: half of a round trip, of reads from post to completion.
	P50  *float64 `json:"p50_seconds,omitempty"`
	P99  *float64 `json:"p99_seconds,omitempty"`
	P999 *float64 `json:"p999_seconds,omitempty"`
	Load *float64 `json:"load,omitempty"` // bits a second beside the round trips, both directions together
	// CoresA and CoresB are the processor cores that were busy at each end, whatever for.
	CoresA *float64 `json:"cores_a,omitempty"`
	CoresB *float64 `json:"cores_b,omitempty"`
}

// Storage is a drive or share with its rows: those of CrystalDiskMark, reads first.
type Storage struct {
	Name    string `json:"name"`
	Over    string `json:"over"`     // iscsi, smb .., local
	AskedBy string `json:"asked_by"` // A or B
	Span    string `json:"span"`
	Window  string `json:"window"`
	Repeats int    `json:"repeats"` // of which each row is the best one; 0: not known
	Rows    []Row  `json:"rows"`    // keys are those of StorageKey
}

// Set is the cards of one run.
type Set struct {
	Schema string   `json:"schema"`
	Cards  []*Card  `json:"cards"`
	Others []string `json:"others"` // titles of the run's cards that are not here
}

// Title names a card among those of its run: "nas - pc", "nas - pc [ten]".
func (c *Card) Title() string {
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

// Row returns the row of a key; nil: the card has none.
func (c *Card) Row(key string) *Row {
	for i := range c.Rows {
		if c.Rows[i].Key == key {
			return &c.Rows[i]
		}
	}
	return nil
}

package record

// Account is a cross-check: two counts from both sides of a path that must be equal, or a use and its limit. Counters
// are the growth during the experiment, less their growth without load.
type Account struct {
	// Name is "resent", "sent", "received", "missing", "crossed", "processor" or "drive".
	Name       string   `json:"name"`
	Left       Entry    `json:"left"`
	Right      Entry    `json:"right"`
	Unit       string   `json:"unit"`
	Seconds    *float64 `json:"seconds"`    // for which both sides were counted; null: they differ, or are not known
	Difference *float64 `json:"difference"` // left less right, in Unit; null: not known
	Share      *float64 `json:"share"`      // of the difference in the larger side
	Closes     *bool    `json:"closes"`     // the sides match within 5 %, or within a count of one; null: not known
	Why        string   `json:"why,omitempty"`
	Sentence   string   `json:"sentence"`
	Uncertain  []string `json:"uncertain,omitempty"` // what may belong to a side and was not counted
}

// Entry is one side of a cross-check.
type Entry struct {
	What   string   `json:"what"`
	Host   string   `json:"host"`
	Source string   `json:"source"`
	Value  *float64 `json:"value"` // null: not known
	Parts  []Entry  `json:"parts,omitempty"`
	Note   string   `json:"note,omitempty"` // why a part is not added
}

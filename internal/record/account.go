package record

// Account holds what one side of a path counted against what another side did: two numbers that must be equal, or a use against what there is.
// Counters in it are deltas over the experiment with what they do without load taken off.
type Account struct {
	// Name is the account's: resent, sent, received, missing, processor, drive.
	Name       string   `json:"name"`
	Left       Entry    `json:"left"`
	Right      Entry    `json:"right"`
	Unit       string   `json:"unit"`
	Seconds    *float64 `json:"seconds"`    // that both sides were counted for; null: not the same time, or not known
	Difference *float64 `json:"difference"` // left less right, in Unit; null: not known
	Share      *float64 `json:"share"`      // of the difference in the larger of both
	Closes     *bool    `json:"closes"`     // within 5 %, or by one of what is counted; null: not known
	Why        string   `json:"why,omitempty"`
	Sentence   string   `json:"sentence"`
	Uncertain  []string `json:"uncertain,omitempty"` // what was not counted, though it might belong to it
}

// Entry is one side of an account.
type Entry struct {
	What   string   `json:"what"`
	Host   string   `json:"host"`
	Source string   `json:"source"`
	Value  *float64 `json:"value"` // null: not known
	Parts  []Entry  `json:"parts,omitempty"`
	Note   string   `json:"note,omitempty"` // of a part that is not added: why
}

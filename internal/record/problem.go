package record

import (
	"encoding/json"
	"slices"

	"linerate/internal/base/unit"
)

// Severity of a problem or finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Rank orders severities, the worst first: 0 is error.
func (s Severity) Rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Problem is something in the plan that would not work, is doubtful, or good to know before buying.
type Problem struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
	// Subjects are all that Subject stands for, where it is more than one.
	Subjects []string `json:"subjects,omitempty"`
	Why      string   `json:"why,omitempty"` // why it is looked at
	// Unknown: a check that could not be made, or a property that no source gives. Such a problem is only good to know.
	Unknown bool `json:"unknown,omitempty"`
	Line    int  `json:"line,omitempty"` // of the fabric's file; 0: of no single line
	LeftOut bool `json:"-"`              // only config leaves a device out: nothing of it concerns a run
}

// BOMTotal sums one currency. Amount includes the spares.
type BOMTotal struct {
	Currency string     `json:"currency"`
	Amount   unit.Money `json:"amount"`
	Spares   unit.Money `json:"spares"`
	Unpriced int        `json:"unpriced"` // items without a known price, in any currency
}

// UnmarshalJSON reads a total as it was written, and gives its amounts the currency
// that stands beside them.
func (t *BOMTotal) UnmarshalJSON(b []byte) error {
	type plain BOMTotal
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	t.Amount.Currency, t.Spares.Currency = t.Currency, t.Currency
	return nil
}

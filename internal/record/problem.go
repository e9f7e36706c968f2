package record

import (
	"encoding/json"
	"slices"

	"linerate/internal/base/unit"
)

// Severity is how bad a problem or a finding is.
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Rank returns the position in the order of severities, from 0 for error.
func (s Severity) Rank() int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// Problem is something in the plan that does not work, may not work, or matters before buying.
type Problem struct {
	ID       string   `json:"id"`
	Severity Severity `json:"severity"`
	Subject  string   `json:"subject"`
	Message  string   `json:"message"`
	Fix      string   `json:"fix"`
	// Subjects are all subjects, where there are several.
	Subjects []string `json:"subjects,omitempty"`
	Why      string   `json:"why,omitempty"` // why linerate checks it
	// Unknown is set where the check was not possible or no source gives a property. Such a problem is information only.
	Unknown bool `json:"unknown,omitempty"`
	Line    int  `json:"line,omitempty"` // of the fabric file; 0: of no single line
	LeftOut bool `json:"-"`              // config omits a device; runs are not affected
}

// BOMTotal is the sum of one currency. Amount includes the spares.
type BOMTotal struct {
	Currency string     `json:"currency"`
	Amount   unit.Money `json:"amount"`
	Spares   unit.Money `json:"spares"`
	Unpriced int        `json:"unpriced"` // items without a known price, in any currency
}

// UnmarshalJSON reads a total. Its amounts get the currency that is next to them.
func (t *BOMTotal) UnmarshalJSON(b []byte) error {
	type plain BOMTotal
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	t.Amount.Currency, t.Spares.Currency = t.Currency, t.Currency
	return nil
}

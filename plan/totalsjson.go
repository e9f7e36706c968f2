package plan

import "encoding/json"

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

package unit

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// UnmarshalJSON reads an amount as MarshalJSON writes it: a number, whose currency
// is a key of its own beside it. What is decoded is in no currency until that is set.
func (m *Money) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("an amount is a number: %w", err)
	}
	// An exponent of thousands of digits would be a number of that size.
	if len(n) > 32 || strings.ContainsAny(string(n), "eE") {
		return fmt.Errorf("the amount %.40s is not a price; write it as 25.33", n)
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return fmt.Errorf("the amount %.40q is not a number", string(n))
	}
	*m = Money{amount: r}
	return nil
}

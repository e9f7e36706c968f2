package unit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Money is an exact amount in one currency. The zero value is 0 without a currency.
type Money struct {
	Currency string // ISO 4217: USD, EUR, CNY
	amount   *big.Rat
}

var moneyForm = regexp.MustCompile(`^\s*(\d{1,12}(?:\.\d{1,6})?)\s*([A-Z]{3})\s*(?:/\s*(\d{1,6}))?\s*$`)

// ParseMoney reads "25.33 USD", or "25.33 USD / 2" for one of two bought together.
func ParseMoney(s string) (Money, error) {
	m := moneyForm.FindStringSubmatch(s)
	if m == nil {
		return Money{}, parseError(s, "a price", "25.33 USD, or 25.33 USD / 2 for one of two bought together")
	}
	r, _ := new(big.Rat).SetString(m[1])
	if m[3] != "" {
		n, err := strconv.ParseInt(m[3], 10, 64)
		if err != nil || n == 0 {
			return Money{}, parseError(s, "a price", "25.33 USD / 2: divided by at least 1")
		}
		r.Quo(r, new(big.Rat).SetInt64(n))
	}
	return Money{Currency: m[2], amount: r}, nil
}

func (m Money) rat() *big.Rat {
	if m.amount == nil {
		return new(big.Rat)
	}
	return m.amount
}

// Add returns m + o; both must be of one currency, unless one is zero money.
func (m Money) Add(o Money) Money {
	return Money{Currency: cmp.Or(m.Currency, o.Currency), amount: new(big.Rat).Add(m.rat(), o.rat())}
}

// Times returns n times m.
func (m Money) Times(n int) Money {
	return Money{Currency: m.Currency, amount: new(big.Rat).Mul(m.rat(), new(big.Rat).SetInt64(int64(n)))}
}

// Amount returns the number without its currency, rounded to the nearest float.
func (m Money) Amount() float64 { f, _ := m.rat().Float64(); return f }

// Same reports whether both are the same amount in the same currency.
func (m Money) Same(o Money) bool { return m.Currency == o.Currency && m.rat().Cmp(o.rat()) == 0 }

// Number prints the amount without its currency, with two decimals: "120.00".
func (m Money) Number() string { return m.rat().FloatString(2) }

// String prints "94.53 USD".
func (m Money) String() string {
	if m.Currency == "" {
		return m.Number()
	}
	return fmt.Sprintf("%s %s", m.Number(), m.Currency)
}

// MarshalJSON writes the amount as a number; the currency is a separate key next to it.
func (m Money) MarshalJSON() ([]byte, error) { return json.Marshal(m.Amount()) }

// UnmarshalJSON reads an amount as MarshalJSON writes it. The currency, a separate key, has to be set afterwards.
func (m *Money) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("an amount is a number: %w", err)
	}
	// An exponent of thousands of digits would need as many digits of memory.
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

package unit

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
)

// Money is an exact amount in one currency. The zero value is no money in no currency.
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
	c := m.Currency
	if c == "" {
		c = o.Currency
	}
	return Money{Currency: c, amount: new(big.Rat).Add(m.rat(), o.rat())}
}

// Times returns n times m.
func (m Money) Times(n int) Money {
	return Money{Currency: m.Currency, amount: new(big.Rat).Mul(m.rat(), new(big.Rat).SetInt64(int64(n)))}
}

// Amount is the number alone, rounded to the nearest float.
func (m Money) Amount() float64 { f, _ := m.rat().Float64(); return f }

// Same says whether both are the same amount in the same currency.
func (m Money) Same(o Money) bool { return m.Currency == o.Currency && m.rat().Cmp(o.rat()) == 0 }

// Number prints the amount without its currency, with two decimals, or as many as
// it needs up to three ("12.665"), and without decimals where it is whole.
func (m Money) Number() string {
	r := m.rat()
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimSuffix(r.FloatString(3), "0")
}

// String prints "94.53 USD".
func (m Money) String() string {
	if m.Currency == "" {
		return m.Number()
	}
	return fmt.Sprintf("%s %s", m.Number(), m.Currency)
}

// MarshalJSON writes the amount as a number; the currency is a key of its own beside it.
func (m Money) MarshalJSON() ([]byte, error) { return json.Marshal(m.Amount()) }

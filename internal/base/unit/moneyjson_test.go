package unit

import (
	"encoding/json"
	"testing"
)

func TestMoneyJSON(t *testing.T) {
	m, err := ParseMoney("25.33 USD / 2")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Money
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	back.Currency = "USD"
	if !back.Same(m) {
		t.Errorf("%s comes back as %v", b, back)
	}
	for _, bad := range []string{`1e9999999`, `true`, `{}`, `[1]`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s is taken as %v", bad, back)
		}
	}
}

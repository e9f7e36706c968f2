package iproute

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

func TestParseIPRule(t *testing.T) {
	f := parse.NewBuilder(new(facts.Facts))
	rules, err := parseIPRule(
		[]byte(`[{"priority":0,"src":"all","table":"local"},{"priority":100,"src":"10.0.0.1","table":"100"},
		{"priority":32766,"src":"all","table":"main"},{"priority":32767,"src":"all","table":"default"}]`),
	)
	if err != nil {
		t.Fatal(err)
	}
	if putIPRule(f, nil, rules); f.Rules.Or(0) != 1 {
		t.Errorf("%v", f.Rules)
	}
}

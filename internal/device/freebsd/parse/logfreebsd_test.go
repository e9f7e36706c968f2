package parse

import (
	"testing"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// A text that is not from a kernel of FreeBSD is refused as a log.
func TestFreeBSDLogOfNothing(t *testing.T) {
	for _, text := range []string{"dmesg: not permitted\n", "\n\n", "hello: world\n"} {
		if f := parse.NewBuilder(new(facts.Facts)); ReadLog(f, []byte(text)) == nil || len(f.Events) > 0 {
			t.Errorf("%q was read", text)
		}
	}
}

func TestChelsioNeeds(t *testing.T) {
	for words, want := range map[string]float64{"Chelsio T520-LL-CR": 20e9, "Chelsio T540-CR": 40e9,
		"Chelsio T580-LP-CR": 80e9, "Chelsio T62100-SO-CR": 200e9, "Chelsio T6225-CR": 50e9, "Chelsio T420-CR": 20e9} {
		if got := (&bsdNIC{words: words}).needs(1); float64(got) != want {
			t.Errorf("%s: %s, want %g", words, got, want)
		}
	}
}

package reporttest

import (
	"encoding/json"
	"testing"

	"linerate/internal/golden"
)

// The stored runs are those that the functions make; -update writes them.
func TestFixtures(t *testing.T) {
	for name, run := range Fixtures() {
		if name == "hostile" { // bytes of its texts are not UTF-8, which JSON cannot hold
			continue
		}
		b, err := json.Marshal(run())
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/"+name+".json", string(b)+"\n")
	}
}

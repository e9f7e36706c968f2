package facts

import (
	"os"
	"testing"
)

// fuzzSwitch runs all parsers of a system over a text, and what is drawn of them together.
func fuzzSwitch(f *testing.F, fixture string, table []source) {
	text, err := os.ReadFile("testdata/" + fixture)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range parseArchive(text).Files {
		f.Add(file.Data)
		f.Add(file.Data[:len(file.Data)*2/3])
	}
	f.Add([]byte(`{"a":[{"b":1}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all := &Facts{}
		for _, s := range table {
			args := []string{"p1", "p2"}
			if err := s.read(all, args, text); err != nil && (err.Error() == "" || len(err.Error()) > 1000) {
				t.Fatalf("%s: error %q", s.name, err)
			}
		}
		settle(all)
		for _, n := range all.NICs {
			if n.Name == "" || n.MTU < 0 || n.Speed.Or(1) <= 0 {
				t.Fatalf("%+v", n)
			}
		}
	})
}

func FuzzEOS(f *testing.F)     { fuzzSwitch(f, "switch.eos.txtar", eosSources()) }
func FuzzCumulus(f *testing.F) { fuzzSwitch(f, "switch.cumulus.txtar", cumulusSources()) }
func FuzzOnyx(f *testing.F)    { fuzzSwitch(f, "switch.onyx.txtar", onyxSources()) }
func FuzzSONiC(f *testing.F)   { fuzzSwitch(f, "switch.sonic.txtar", sonicSources()) }

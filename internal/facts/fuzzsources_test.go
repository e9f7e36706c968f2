package facts

import (
	"os"
	"strings"
	"testing"
)

// FuzzSources gives any text to any source: what the tests run for many executions, in place of each parser's own target, which
// is there for work on one parser. Its corpus is that of all of them.
func FuzzSources(f *testing.F) {
	table := sources()
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile("testdata/" + e.Name())
		if e.IsDir() || err != nil {
			continue
		}
		for _, file := range parseArchive(text).Files {
			for n, s := range table {
				if _, ok := match(s.name, canonical(file.Name)); ok {
					f.Add(uint16(n), file.Data)
				}
			}
		}
	}
	for n := range table {
		f.Add(uint16(n), []byte(":\n\n[{}]\n1 2 3\n"))
	}
	f.Fuzz(func(t *testing.T, n uint16, text []byte) {
		s := table[int(n)%len(table)]
		v := new(Facts)
		v.reading = s.name
		var args []string
		for range strings.Count(s.name, "*") {
			args = append(args, "1")
		}
		if err := s.read(v, args, text); err != nil {
			if said := err.Error(); said == "" || len(said) > 1000 || strings.Contains(said, "\n") {
				t.Fatalf("%s: error %q", s.name, said)
			}
		}
		settle(v)
		for _, nic := range v.NICs {
			if nic.Name == "" {
				t.Fatalf("%s: an interface without a name", s.name)
			}
			if nic.Speed.Or(1) <= 0 || nic.MTU < 0 {
				t.Fatalf("%s: speed %v, MTU %d", s.name, nic.Speed.Or(1), nic.MTU)
			}
		}
		for _, e := range v.Events {
			if e.Count < 1 || e.What == "" {
				t.Fatalf("%s: %+v", s.name, e)
			}
		}
		if len(v.Events) > maxEvents {
			t.Fatalf("%s: %d events", s.name, len(v.Events))
		}
	})
}

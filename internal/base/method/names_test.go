package method

import "testing"

// TestNames: names and aliases are distinct, aliases lead to their methods, and synonyms to methods and values that
// exist.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range methods {
		for _, name := range []string{m.Name, m.Alias} {
			if name != "" && seen[name] {
				t.Errorf("%s is twice", name)
			}
			seen[name] = true
			if name != "" && (Named(name).Name != m.Name || Canonical(name) != m.Name) {
				t.Errorf("%s leads to %q", name, Named(name).Name)
			}
			if also := Synonym(name); also != "" {
				t.Errorf("%s is a name, and another word for %s", name, also)
			}
		}
	}
	if Named("").Known() || Canonical("frob") != "frob" {
		t.Error("an unknown name is known")
	}
	for word, want := range map[string]string{"iperf": Throughput, "IPERF3": Throughput, "fio": Storage,
		"bandwidth": Throughput, "frob": ""} {
		if got := Synonym(word); got != want {
			t.Errorf("%s means %q, want %q", word, got, want)
		}
	}
	for word, want := range map[string]string{"upload": "out", "download": "in", "rx": "in", "tx": "out", "frob": ""} {
		if got := MeantValue("direction", word); got != want {
			t.Errorf("%s means %q, want %q", word, got, want)
		}
	}
}

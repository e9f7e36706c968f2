package explain_test

import (
	"slices"
	"strings"
	"testing"
)

// What was wrong on the hosts before they were measured is in the record of the run, by the name that the verdict has for it too.
func TestFindings(t *testing.T) {
	for name, want := range map[string]string{"healthy": "", "local-shaper": "local-shaper", "offloads-off": "offloads-off", "wrong-nic": "wrong-nic", "receive-window-cap": "receive-window-cap"} {
		r := load(t, name)
		r.verdict(t)
		var ids []string
		for _, f := range r.run.Findings {
			ids = append(ids, f.ID)
		}
		if want == "" && len(ids) > 0 || want != "" && !slices.Contains(ids, want) {
			t.Errorf("%s: found %v, want %q; not looked at: %v", name, ids, want, r.run.Unchecked)
		}
	}
}

// A host whose captures are lost is told of, not taken for a sound one.
func TestFindingsOfALostCapture(t *testing.T) {
	r := load(t, "healthy")
	host := r.exp.Ends[0].Host
	for name := range r.captures {
		if strings.HasPrefix(name, "captures/"+host+".") {
			delete(r.captures, name)
		}
	}
	r.verdict(t)
	if len(r.run.Unchecked) == 0 || r.run.Unchecked[0].Subject != host {
		t.Errorf("%+v", r.run.Unchecked)
	}
}

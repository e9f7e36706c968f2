package check

import (
	"strings"
	"testing"
)

// Namespaces of one machine have one kernel: what its queues dropped is told once, with all that are on it. Two machines are told apart.
func TestBacklogOncePerMachine(t *testing.T) {
	counts := "backlog-drops - 265298 120000000: 00358fe3 00006283 00000000\n"
	for boot, want := range map[string]int{"4e1f": 1, "": 2} {
		w := load(t, []part{{"a/counts", counts}, {"b/counts", counts}})
		for _, h := range w.Hosts {
			h.Facts.Boot = boot
		}
		got := Run(w, Choice{Only: []string{"backlog-drop"}})
		if len(got.Findings) != want {
			t.Errorf("boot %q: %d findings, want %d: %v", boot, len(got.Findings), want, said(got))
		}
		if shared := strings.Contains(said(got), "of the one machine that a and b are on"); shared != (boot != "") {
			t.Errorf("boot %q: %s", boot, said(got))
		}
	}
}

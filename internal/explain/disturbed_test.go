package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// Who took the processors meanwhile stands behind a verdict that knows no cause, and the next step is to measure again.
func TestDisturbed(t *testing.T) {
	for name, c := range map[string]struct {
		repeat record.Repeat
		want   string
		again  bool
	}{
		"quiet":      {record.Repeat{Foreign: 0.05, Stolen: 0.05}, "holds.", false},
		"other work": {record.Repeat{Foreign: 0.5}, "holds; other work kept 0.500 processor cores busy meanwhile.", true},
		"hypervisor": {record.Repeat{Stolen: 1.2}, "holds; a hypervisor gave 1.20 processor cores to others meanwhile.", true},
	} {
		e := &record.Experiment{Name: "raw", Settings: map[string]string{}, Repeats: []record.Repeat{c.repeat}}
		x := &Case{Exp: e, Chain: &record.Chain{Component: "link a--b"}, Goodput: 5e8, Ceiling: 1e9, Repeat: &c.repeat}
		if s := x.unexplained(); !strings.HasSuffix(s, c.want) {
			t.Errorf("%s: %s", name, s)
		}
		if s := next(&record.Run{FabricPath: "f.yaml", Lab: &record.Lab{}}, e, nil); strings.Contains(s, "again, on a quiet machine") != c.again {
			t.Errorf("%s: %s", name, s)
		}
	}
}

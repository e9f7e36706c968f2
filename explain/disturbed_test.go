package explain

import (
	"strings"
	"testing"

	"linerate/path"
	"linerate/result"
)

// Who took the processors meanwhile stands behind a verdict that knows no cause, and the next step is to measure again.
func TestDisturbed(t *testing.T) {
	for name, c := range map[string]struct {
		repeat result.Repeat
		want   string
		again  bool
	}{
		"quiet":      {result.Repeat{Foreign: 0.05, Stolen: 0.05}, "holds.", false},
		"other work": {result.Repeat{Foreign: 0.5}, "holds; other work kept 0.500 processor cores busy meanwhile.", true},
		"hypervisor": {result.Repeat{Stolen: 1.2}, "holds; a hypervisor gave 1.20 processor cores to others meanwhile.", true},
	} {
		e := &result.Experiment{Name: "raw", Settings: map[string]string{}, Repeats: []result.Repeat{c.repeat}}
		x := &Case{Exp: e, Chain: &path.Chain{Component: "link a--b"}, Goodput: 5e8, Ceiling: 1e9, Repeat: &c.repeat}
		if s := x.unexplained(); !strings.HasSuffix(s, c.want) {
			t.Errorf("%s: %s", name, s)
		}
		if s := next(&result.Run{FabricPath: "f.yaml", Lab: &result.Lab{}}, e, nil); strings.Contains(s, "again, on a quiet machine") != c.again {
			t.Errorf("%s: %s", name, s)
		}
	}
}

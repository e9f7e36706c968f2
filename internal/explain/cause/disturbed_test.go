package cause

import (
	"strings"
	"testing"

	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// A verdict without a cause names the processes that used the CPUs.
func TestDisturbed(t *testing.T) {
	for name, c := range map[string]struct {
		repeat record.Repeat
		want   string
	}{
		"quiet":      {record.Repeat{OtherProcesses: 0.05, Steal: 0.05}, "holds."},
		"other work": {record.Repeat{OtherProcesses: 0.5}, "holds; other work kept 0.500 CPU cores busy meanwhile."},
		"hypervisor": {record.Repeat{Steal: 1.2}, "holds; a hypervisor gave 1.20 CPU cores to others meanwhile."},
	} {
		e := &record.Experiment{Name: "raw", Settings: map[string]string{}, Repeats: []record.Repeat{c.repeat}}
		x := &judge.Case{Exp: e, Chain: &record.Chain{Component: "link a--b"}, Goodput: 5e8, Ceiling: 1e9, Repeat: &c.repeat}
		if s := unexplained(x); !strings.HasSuffix(s, c.want) {
			t.Errorf("%s: %s", name, s)
		}
	}
}

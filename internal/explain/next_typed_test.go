package explain

import (
	"strings"
	"testing"

	"linerate/internal/record"
)

// TestNextIsNotTheSame: after one measurement by hand the next command is not that measurement again, unless it was
// disturbed; after one of several it is the one that says less.
func TestNextIsNotTheSame(t *testing.T) {
	e := &record.Experiment{From: "a", To: "b", Direction: "out", Settings: map[string]string{"streams": "8"},
		Ends: []record.End{{Host: "a"}, {Host: "b", Address: "10.0.0.2"}}}
	r := &record.Run{Arguments: []string{"linerate", "measure", "throughput", "b", "--streams", "8"},
		Hosts:       []record.HostState{{Name: "a", Connection: "local"}, {Name: "b", Connection: "ssh b"}},
		Experiments: []*record.Experiment{e}}
	if got := next(r, e, nil); got != "" {
		t.Errorf("the command that was typed: %q", got)
	}
	if got := next(r, e, &record.Next{Change: map[string]string{"streams": "1"}}); !strings.Contains(got, "--streams 1") {
		t.Errorf("another one: %q", got)
	}
	r.Experiments = append(r.Experiments, &record.Experiment{})
	if got := next(r, e, nil); !strings.Contains(got, "--streams 8") {
		t.Errorf("one of several: %q", got)
	}
}

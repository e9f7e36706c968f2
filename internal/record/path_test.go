package record

import "testing"

func TestPath(t *testing.T) {
	for _, c := range []struct {
		e    Experiment
		want string
	}{
		{Experiment{From: "desk", To: "nas", Direction: "out"}, "desk -> nas"},
		{Experiment{From: "desk", To: "nas", Direction: "in"}, "nas -> desk"},
		{Experiment{From: "desk", To: "nas", Direction: "both"}, "desk <-> nas"},
		{Experiment{From: "desk", To: "nas"}, "desk -> nas"},
		{Experiment{From: "n[1-3]", To: "n4", Pattern: "incast"}, "incast n[1-3] -> n4"},
		{Experiment{From: "desk, nas", To: "nas, home", Pattern: "pairs", Direction: "both"},
			"pairs (desk, nas) <-> (nas, home)"},
	} {
		if got := c.e.Path(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
}

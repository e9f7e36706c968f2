package network

import (
	"maps"
	"slices"
	"testing"

	"linerate/internal/traffic"
)

func TestTune(t *testing.T) {
	for _, c := range []struct {
		settings map[string]string
		want     traffic.Tuning
		from, to []int
		bad      bool
	}{
		{nil, traffic.Tuning{Trial: true, Placement: "auto"}, nil, nil, false},
		{map[string]string{"placement": "off", "copy_mode": "receive"},
			traffic.Tuning{Trial: true, Placement: "off", Copies: "receive"}, nil, nil, false},
		{map[string]string{"placement": "0,1/2-3", "batch": "8"},
			traffic.Tuning{Trial: true, Placement: "auto", Gather: 8}, []int{0, 1}, []int{2, 3}, false},
		{map[string]string{"placement": "4", "spin": "true"}, traffic.Tuning{Trial: true, Placement: "auto", Spin: true},
			[]int{4}, []int{4}, false},
		{map[string]string{"placement": "0/x"}, traffic.Tuning{}, nil, nil, true},
		{map[string]string{"placement": "here"}, traffic.Tuning{}, nil, nil, true},
		{map[string]string{"batch": "0"}, traffic.Tuning{}, nil, nil, true},
	} {
		var s Spec
		err := s.tune(c.settings)
		if (err != nil) != c.bad {
			t.Errorf("%v: %v", c.settings, err)
		}
		s.Tuning.Cores = nil
		if !c.bad &&
			(s.Tuning.Copies != c.want.Copies || s.Tuning.Placement != c.want.Placement || s.Tuning.Gather != c.want.Gather ||
				s.Tuning.Spin != c.want.Spin ||
				s.Tuning.Trial != c.want.Trial || !slices.Equal(s.FromCores, c.from) || !slices.Equal(s.ToCores, c.to)) {
			t.Errorf("%v: %+v %v %v", c.settings, s.Tuning, s.FromCores, s.ToCores)
		}
	}
}

// The sending end knows its buffer, the receiving end its own; the copy mode is never omitted.
func TestInEffect(t *testing.T) {
	a := traffic.InEffect{Label: "B", Path: "tee", SendBuffer: 256 << 10, Placement: "cores 0"}
	b := traffic.InEffect{Label: "B", ReceiveBuffer: 1 << 20, Placement: "free", Choice: "by a trial"}
	want := map[string]string{"transport": "tcp", "copy_mode": "receive",
		"send_path": "tee", "send_buffer": "256 KiB", "receive_buffer": "1 MiB", "chosen": "by a trial"}
	for direction, place := range map[string]string{"out": "from cores 0, to free", "in": "from free, to cores 0"} {
		from, to := a, b
		if direction == "in" {
			from, to = b, a
		}
		want["placement"] = place
		if got := inEffect(Spec{Method: "throughput", Direction: direction}, from, to); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", direction, got, want)
		}
	}
}

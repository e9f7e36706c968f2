package report

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{{"64KiB", "64 KiB", true}, {"1KiB", "1024 B", true}, {"1KiB", "1024", true}, {"9000", "1500", false}, {"tcp", "udp", false}, {"500M", "500Mb/s", true},
		{"1KiB", "not known", false}, {"tcp", "tcp", true}} {
		if sameValue(c.a, c.b) != c.same {
			t.Errorf("%s and %s: want %v", c.a, c.b, c.same)
		}
	}
}

// A sweep has one row a setting, and what was not in effect as asked keeps its own.
func TestSettingsSeveral(t *testing.T) {
	r := &record.Run{}
	for i := range 12 {
		size := unit.Bytes(512 << i).String()
		r.Experiments = append(r.Experiments, &record.Experiment{Name: "iscsi", Settings: map[string]string{"size": size, "depth": "8"},
			InEffect: map[string]string{"window": fmt.Sprintf("%d ms", 800+i), "depth": map[bool]string{true: "4", false: "8"}[i == 3]}})
	}
	got, _ := settingViews(r)
	var text []string
	for _, v := range got {
		text = append(text, fmt.Sprintf("%s: %s: %s %v", v.Key, v.Want, v.Have, v.Differs))
	}
	want := "depth: 8: 8 false; size: 512 B .. 1 MiB, 12 values: not known false; window: not asked for: 800 ms .. 811 ms, 12 values false; depth: 8: 4 true"
	if s := strings.Join(text, "; "); s != want {
		t.Errorf("%s\nwant %s", s, want)
	}
}

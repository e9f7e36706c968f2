package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"linerate/internal/traffic"
)

func TestClockRates(t *testing.T) {
	sys := t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(sys, "devices/system/cpu", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("cpu0/cpufreq/scaling_cur_freq", "2100000\n")
	put("cpu0/cpufreq/cpuinfo_max_freq", "3900000\n")
	put("cpu0/cpufreq/base_frequency", "2500000\n")
	put("cpu0/thermal_throttle/core_throttle_count", "3\n")
	put("cpu0/thermal_throttle/package_throttle_count", "4\n")
	put("cpu1/cpufreq/scaling_cur_freq", "1200000\n")
	put("cpu1/cpufreq/cpuinfo_max_freq", "3900000\n")
	put("cpu2/cpufreq/scaling_cur_freq", "<unknown>\n") // as some drivers say
	got, why, heat := clockRates(sys, []int{0, 1, 2, 3})
	want := map[int]clockRate{0: {2.1e9, 2.5e9, 7}, 1: {1.2e9, 3.9e9, -1}}
	if fmt.Sprint(got) != fmt.Sprint(want) || why != "" || heat != "" {
		t.Errorf("%v %q %q, want %v", got, why, heat, want)
	}
	got, why, heat = clockRates(sys, []int{2, 3})
	if len(got) != 0 || !strings.Contains(why, "no clock rate") || !strings.Contains(heat, "no throttling") {
		t.Errorf("cores without: %v %q %q", got, why, heat)
	}
	many := make([]int, 1000)
	if got, _, _ := clockRates(sys, many); len(got) > 1 {
		t.Errorf("%v", got)
	}
	for i := range many {
		many[i] = i
	}
	if cores := clockedCores(&work{}, nil, many); len(cores) != mostClocks {
		t.Errorf("%d cores are asked, at most %d may be", len(cores), mostClocks)
	}
}

// Throttling is what was added in the interval; a counter that went back, or a rate that was read only once, is
// unknown.
func TestSeeClocks(t *testing.T) {
	x := Sight{before: &work{}, after: &work{at: 1e9}}
	x.edges[1].At = 1e9
	x.clocks[0] = map[int]clockRate{0: {2e9, 3e9, 5}, 1: {2e9, 0, 9}, 2: {0, 0, -1}}
	x.clocks[1] = map[int]clockRate{0: {1e9, 3e9, 8}, 1: {2e9, 0, 4}, 2: {1e9, 0, 4}}
	var o traffic.Outcome
	o.CPU = traffic.CPU{Seconds: 1, Cores: []traffic.Core{{Core: 0}, {Core: 1}, {Core: 2}, {Core: 3}}}
	x.clocksInto(&o)
	a, b, c, d := o.CPU.Cores[0], o.CPU.Cores[1], o.CPU.Cores[2], o.CPU.Cores[3]
	if a.Throttled == nil || *a.Throttled != 3 || *a.HzBefore != 2e9 || *a.Hz != 1e9 || *a.BaseHz != 3e9 {
		t.Errorf("core 0: %+v", a)
	}
	if b.Throttled != nil || b.Hz == nil || b.BaseHz != nil || c.Throttled != nil || c.Hz != nil || d.Hz != nil ||
		d.Throttled != nil {
		t.Errorf("not known: %+v %+v %+v", b, c, d)
	}
}

package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// mostClocks is the number of cores whose clock rate is read: on some kernels each answer wakes its core up.
const mostClocks = 16

// clockRate is what the kernel reports of the clock of one core; 0: unknown.
type clockRate struct {
	hz, base  float64 // base: the rate that it is sold with, else the highest
	throttled int64   // times that heat slowed the core or its package down; -1: unknown
}

// clockRates reads some cores. The files are those of cpufreq (https://docs.kernel.org/admin-guide/pm/cpufreq.html, in
// kHz) and of x86's thermal_throttle. A core without a clock rate is left out; why is set when none has one.
func clockRates(sys string, cores []int) (out map[int]clockRate, why, heat string) {
	out = map[int]clockRate{}
	throttles := false
	for _, c := range cores[:min(len(cores), mostClocks)] {
		dir := filepath.Join(sys, "devices/system/cpu", fmt.Sprintf("cpu%d", c))
		r := clockRate{throttled: -1}
		r.hz, _ = kiloHertz(filepath.Join(dir, "cpufreq/scaling_cur_freq"))
		for _, name := range []string{"base_frequency", "cpuinfo_max_freq"} {
			if v, ok := kiloHertz(filepath.Join(dir, "cpufreq", name)); ok {
				r.base = v
				break
			}
		}
		for _, name := range []string{"core_throttle_count", "package_throttle_count"} {
			text, err := os.ReadFile(filepath.Join(dir, "thermal_throttle", name))
			if n, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil && n >= 0 {
				r.throttled, throttles = max(r.throttled, 0)+n, true
			}
		}
		if r.hz > 0 || r.throttled >= 0 {
			out[c] = r
		}
	}
	if !slices.ContainsFunc(cores, func(c int) bool { return out[c].hz > 0 }) {
		why = "the kernel shows no clock rate (cpufreq) of these cores, as in a virtual machine"
	}
	if !throttles {
		heat = "the kernel counts no throttling by heat (thermal_throttle) for these cores"
	}
	return out, why, heat
}

// kiloHertz reads a rate in kHz as Hz.
func kiloHertz(path string) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 40)
	return float64(v) * 1000, err == nil && v > 0
}

// clockedCores returns the cores whose clocks are read: those of the connections' threads, then the first ones.
func clockedCores(k *work, threads []int, all []int) []int {
	var out []int
	add := func(c int) {
		if !slices.Contains(out, c) && len(out) < mostClocks {
			out = append(out, c)
		}
	}
	for _, id := range threads {
		if t, ok := k.own[id]; ok {
			add(t.Core)
		}
	}
	for _, c := range all {
		add(c)
	}
	return out
}

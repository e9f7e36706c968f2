package parse

import (
	"cmp"
	"slices"
	"strconv"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var cpufreqFile = lazyregexp.New(`^/sys/devices/system/cpu/(?:cpu(\d+)/cpufreq|cpufreq/policy(\d+))/(\w+)$`)

// readFrequency reads "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", also of cpufreq/policy*,
// optionally with scaling_driver and energy_performance_preference. Format:
// https://docs.kernel.org/admin-guide/pm/cpufreq.html. No snapshot of another machine exists: the form is that of grep,
// and the values are those of the documentation.
func readFrequency(f *parse.Builder, _ []string, text []byte) error {
	v := f.CPU.Frequency
	if v == nil {
		v = &facts.Frequency{}
	}
	err := parse.ReadGrep(text, func(path, value string) bool {
		m := cpufreqFile.FindStringSubmatch(path)
		if m == nil || value == "" {
			return false
		}
		cpu, err := strconv.Atoi(m[1] + m[2])
		if err != nil || cpu >= parse.MaxCPUs {
			return false
		}
		switch m[3] {
		case "scaling_governor":
			i := slices.IndexFunc(v.Governors, func(g facts.Governor) bool { return g.Name == value })
			if i < 0 {
				i = len(v.Governors)
				v.Governors = append(v.Governors, facts.Governor{Name: value, Proof: f.Proof(path + ":" + value)})
			}
			v.Governors[i].CPUs = append(v.Governors[i].CPUs, cpu)
		case "scaling_driver":
			v.Driver = value
		case "energy_performance_preference":
			v.Prefers = cmp.Or(v.Prefers, value)
		default:
			return false
		}
		return true
	})
	if err == nil {
		f.CPU.Frequency = v
	}
	return err
}

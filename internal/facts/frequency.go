package facts

import (
	"slices"
	"strconv"

	"linerate/internal/base/lazyregexp"
)

// Frequency is what governs the clock of processors.
type Frequency struct {
	Governors []Governor
	Driver    string // "intel_pstate", "acpi-cpufreq"; empty: not known
	Prefers   string // energy_performance_preference of the first processor; empty: not known
}

// Governor is a governor with the processors that have it.
type Governor struct {
	Name string // "performance", "powersave", "schedutil"
	CPUs []int
	Proof
}

var cpufreqFile = lazyregexp.New(`^/sys/devices/system/cpu/(?:cpu(\d+)/cpufreq|cpufreq/policy(\d+))/(\w+)$`)

// readFrequency reads "grep . /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", also of cpufreq/policy*, with scaling_driver and
// energy_performance_preference where they are among it. Format: https://docs.kernel.org/admin-guide/pm/cpufreq.html
// There is no capture of another machine behind it: the form is that of grep, the values are those of the documentation.
func readFrequency(f *Facts, _ []string, text []byte) error {
	v := f.CPU.Frequency
	if v == nil {
		v = &Frequency{}
	}
	err := readGrep(text, func(path, value string) bool {
		m := cpufreqFile.FindStringSubmatch(path)
		if m == nil || value == "" {
			return false
		}
		cpu, err := strconv.Atoi(m[1] + m[2])
		if err != nil || cpu >= maxCPUs {
			return false
		}
		switch m[3] {
		case "scaling_governor":
			i := slices.IndexFunc(v.Governors, func(g Governor) bool { return g.Name == value })
			if i < 0 {
				i = len(v.Governors)
				v.Governors = append(v.Governors, Governor{Name: value, Proof: f.proof(path + ":" + value)})
			}
			v.Governors[i].CPUs = append(v.Governors[i].CPUs, cpu)
		case "scaling_driver":
			v.Driver = value
		case "energy_performance_preference":
			if v.Prefers == "" {
				v.Prefers = value
			}
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

package parse

import (
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

var cgroupFile = lazyregexp.New(`^(/sys/fs/cgroup(?:/.*)?)/(cpu\.max|cpu\.stat|cpu\.cfs_quota_us|cpu\.cfs_period_us)$`)

// readCgroup reads "grep . FILE.." of the control groups above a process: cpu.max ("100000 100000" or "max 100000") and
// cpu.stat of version 2, cpu.cfs_quota_us (-1: none), cpu.cfs_period_us and cpu.stat of version 1, in microseconds.
// Format: https://docs.kernel.org/admin-guide/cgroup-v2.html (cpu.max, cpu.stat),
// https://docs.kernel.org/scheduler/sched-bwc.html. Snapshots: development machines, version 1 and 2.
func readCgroup(f *parse.Builder, _ []string, text []byte) error {
	quota, period := map[string]float64{}, map[string]float64{}
	err := parse.ReadGrep(text, func(path, value string) bool {
		m := cgroupFile.FindStringSubmatch(path)
		if m == nil {
			return false
		}
		q := quotaOf(f, m[1])
		words := strings.Fields(value)
		number := func(i int) float64 {
			if i >= len(words) {
				return 0
			}
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil || !(v > 0 && v < 1e15) {
				return 0
			}
			return v
		}
		switch m[2] {
		case "cpu.max":
			if p := number(1); p > 0 && number(0) > 0 {
				q.CPUs, q.Proof = number(0)/p, f.Proof(path+":"+value)
			}
		case "cpu.cfs_quota_us":
			if quota[m[1]] = number(0); number(0) > 0 {
				q.Proof = f.Proof(path + ":" + value)
			}
		case "cpu.cfs_period_us":
			period[m[1]] = number(0)
		case "cpu.stat":
			if len(words) != 2 {
				return false
			}
			switch words[0] {
			case "nr_periods":
				q.Periods = uint64(number(1))
			case "nr_throttled":
				q.Throttled, q.ThrottledProof = uint64(number(1)), f.Proof(path+":"+value)
			}
		}
		if quota[m[1]] > 0 && period[m[1]] > 0 {
			q.CPUs = quota[m[1]] / period[m[1]]
		}
		return true
	})
	return err
}

func quotaOf(f *parse.Builder, group string) *facts.Quota {
	for i := range f.Quotas {
		if f.Quotas[i].Group == group {
			return &f.Quotas[i]
		}
	}
	f.Quotas = append(f.Quotas, facts.Quota{Group: group})
	return &f.Quotas[len(f.Quotas)-1]
}

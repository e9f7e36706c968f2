package storage

import (
	"testing"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// A guest has its files in memory; those on other hosts keep their size.
func TestFitGuests(t *testing.T) {
	combination := func(workers ...worker) *experiment.Combination {
		b := &workload{workers: workers}
		b.job.Span = 256 * unit.MiB
		return &experiment.Combination{Measurement: b}
	}
	local := func(host, of string) worker {
		return worker{host: host, of: of, target: agent.TemporaryFolder}
	}
	served := func(owner, name string) worker {
		return worker{host: "pc", of: name, served: &servedDrive{owner: owner, name: name}}
	}
	for name, c := range map[string]struct {
		combination *experiment.Combination
		want        unit.Bytes
	}{
		"a guest's own":       {combination(local("whole", "fast")), 64 * unit.MiB},
		"exported by a guest": {combination(served("whole", "fast")), 64 * unit.MiB},
		"four of one guest": {combination(served("whole", "a"), served("whole", "b"), served("whole", "c"),
			served("whole", "d")), 16 * unit.MiB},
		"one of them read by two": {combination(served("whole", "a"), served("whole", "a")), 64 * unit.MiB},
		"a namespace's":           {combination(local("thin", "fast")), 256 * unit.MiB},
		"a namespace's, asked by a guest": {combination(worker{host: "whole",
			served: &servedDrive{owner: "thin", name: "x"}}), 256 * unit.MiB},
		"a path that the guest really has": {combination(worker{host: "whole", of: "fast", target: "/mnt/fast"}),
			256 * unit.MiB},
		"no storage": {&experiment.Combination{Measurement: &runtest.Fake{}}, 0},
	} {
		FitGuests([]*experiment.Combination{c.combination}, func(host string) bool { return host == "whole" })
		if b, ok := c.combination.Measurement.(*workload); ok && b.job.Span != c.want {
			t.Errorf("%s: %v, want %v", name, b.job.Span, c.want)
		}
	}
}

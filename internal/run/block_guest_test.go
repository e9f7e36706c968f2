package run

import (
	"testing"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
)

// A guest has its files in memory; what is on other hosts keeps its size.
func TestFitGuests(t *testing.T) {
	cell := func(workers ...blockWorker) *Cell {
		b := &blockCell{workers: workers}
		b.job.Span = 256 * unit.MiB
		return &Cell{block: b}
	}
	local := func(host, of string) blockWorker {
		return blockWorker{host: host, of: of, target: agent.TemporaryFolder}
	}
	served := func(owner, name string) blockWorker {
		return blockWorker{host: "pc", of: name, served: &exported{owner: owner, name: name}}
	}
	for name, c := range map[string]struct {
		cell *Cell
		want unit.Bytes
	}{
		"a guest's own":                    {cell(local("whole", "fast")), 64 * unit.MiB},
		"given out by a guest":             {cell(served("whole", "fast")), 64 * unit.MiB},
		"four of one guest":                {cell(served("whole", "a"), served("whole", "b"), served("whole", "c"), served("whole", "d")), 16 * unit.MiB},
		"one of them read by two":          {cell(served("whole", "a"), served("whole", "a")), 64 * unit.MiB},
		"a namespace's":                    {cell(local("thin", "fast")), 256 * unit.MiB},
		"a namespace's, asked by a guest":  {cell(blockWorker{host: "whole", served: &exported{owner: "thin", name: "x"}}), 256 * unit.MiB},
		"a path that the guest really has": {cell(blockWorker{host: "whole", of: "fast", target: "/mnt/fast"}), 256 * unit.MiB},
		"no storage":                       {&Cell{}, 0},
	} {
		FitGuests([]*Cell{c.cell}, func(host string) bool { return host == "whole" })
		if b := c.cell.block; b != nil && b.job.Span != c.want {
			t.Errorf("%s: %v, want %v", name, b.job.Span, c.want)
		}
	}
}

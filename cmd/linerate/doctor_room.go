package main

import (
	"path"
	"strings"

	"linerate/internal/design/plan"
	"linerate/internal/inspect/doctor"
	"linerate/internal/run"
)

// wanted is what the experiments of a plan need room for, by host.
func wanted(p *plan.Plan) map[string][]doctor.Want {
	cells, err := run.Cells(p, run.Options{})
	if err != nil {
		return nil // the run itself says it
	}
	out := map[string][]doctor.Want{}
	for _, w := range run.Writes([]run.Config{{Plan: p, Cells: cells}}) {
		if w.Room > 0 && (path.IsAbs(w.Path) || strings.Contains(w.Path, `:\`)) {
			out[w.Host] = append(out[w.Host], doctor.Want{Place: clean(w.Place), Path: w.Path, Room: w.Room})
		}
	}
	return out
}

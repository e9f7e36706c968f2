package run

import (
	"linerate/internal/record"
)

// Keep puts the repeats of an interrupted run into the cells that they belong
// to, and returns how many there were. A cell has an id that is the same from run to
// run; repeats of cells that the fabric no longer has are left where they are.
func Keep(cells []*Cell, old *record.Run) int {
	by := map[string]*record.Experiment{}
	for _, e := range old.Experiments {
		by[e.ID] = e
	}
	n := 0
	for _, c := range cells {
		if e := by[c.Exp.ID]; e != nil && c.Exp.NotRun == "" {
			c.Exp.Repeats, c.Exp.InEffect = e.Repeats, e.InEffect
			n += len(e.Repeats)
			c.Exp.Chase = e.Chase // an interrupted step goes on with the next chase
			for _, x := range e.Chase {
				n += len(x.Repeats)
			}
		}
	}
	return n
}

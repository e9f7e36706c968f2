package summary

import (
	"linerate/internal/record"
)

// Block is one row of storage as CrystalDiskMark has it: of the repeats the one with most bytes a second.
type Block struct {
	BytesPerSecond, IOPS float64
	Mean                 float64 // seconds of a request; 0: not known
	Repeat               *record.Repeat
}

// Best is the best repeat of an experiment of block; false: it has none.
func Best(e *record.Experiment) (out Block, ok bool) {
	for i := range e.Repeats {
		r := &e.Repeats[i]
		if r.Block == nil {
			continue
		}
		v, n := 0.0, 0.0
		for _, k := range []*record.BlockCount{r.Block.Read, r.Block.Write} {
			if k != nil {
				v, n = v+k.BytesPerSecond, n+k.IOPS
			}
		}
		if ok && v <= out.BytesPerSecond {
			continue
		}
		out, ok = Block{BytesPerSecond: v, IOPS: n, Repeat: r}, true
		if n > 0 {
			out.Mean = r.Block.Depth / n // Little's law: requests under way over requests a second
		}
	}
	return out, ok
}

package run

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// mostFaults is how many failed requests and wrong blocks of a worker stand one by one in its experiment; the rest are counted.
	mostFaults = 16
	// mostWrong is how many workers that read wrong blocks are told of by name.
	mostWrong = 3
)

// wrongSaid tells of blocks that were not what was written, by worker; empty: there are none.
func wrongSaid(b *record.Block) string {
	if b == nil {
		return ""
	}
	var all []string
	more := 0
	for _, w := range b.Workers {
		v := w.Verified
		if v == nil || v.Wrong == 0 {
			continue
		}
		if len(all) == mostWrong {
			more++
			continue
		}
		text := fmt.Sprintf("%s: %s: %d of %d blocks that were read and compared are not what was written", w.Host, w.Path, v.Wrong, v.Wrong+v.Right)
		if len(v.Blocks) > 0 {
			text += fmt.Sprintf(", such as that of offset %d, seen %s after the window opened: there stood %s", v.Blocks[0].Offset, unit.Seconds(v.Blocks[0].Seconds), v.Blocks[0].Text)
		}
		all = append(all, text)
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and of %d more workers", more))
	}
	return strings.Join(all, "; ")
}

// wrongData is the error of a repeat that went to its end and read blocks that are not what was written: what it counted is no figure of a storage that keeps data. Nil: it read none.
func wrongData(rep *record.Repeat) error {
	said := wrongSaid(rep.Block)
	if said == "" {
		return nil
	}
	e := &blockOff{cause: fmt.Errorf("%s; the storage, or what lies on the way to it, loses or changes data: look at the logs of the hosts (dmesg) and of the drive (smartctl -a), and verify on the host that has the storage, which tells the drive from the way to it", said), whole: true}
	e.Text, e.Block, e.After, e.P50 = said, rep.Block, rep.Seconds, rep.P50
	for _, k := range []*record.BlockCount{rep.Block.Read, rep.Block.Write} {
		if k != nil {
			e.Operations += k.Operations
		}
	}
	for _, w := range rep.Block.Workers {
		e.Last = max(e.Last, w.LastSeconds)
		if v := w.Verified; e.Host == "" && v != nil && v.Wrong > 0 {
			e.Host = w.Host
		}
	}
	return e
}

// ofAllRepeats is the last repeat's block, whose workers have what failed and what was compared in all of them: what one repeat saw holds for the experiment.
func ofAllRepeats(all []record.Repeat) *record.Block {
	b := *all[len(all)-1].Block
	b.Workers = slices.Clone(b.Workers)
	for i := range b.Workers {
		w := &b.Workers[i]
		w.Errors, w.ErrorCount, w.Hanging, w.Verified = nil, 0, 0, nil
		for _, r := range all {
			if i >= len(r.Block.Workers) {
				continue
			}
			x := r.Block.Workers[i] // a cell has the same workers each time
			w.Errors, w.ErrorCount, w.Hanging = append(w.Errors, x.Errors...), w.ErrorCount+x.ErrorCount, w.Hanging+x.Hanging
			v := x.Verified
			if v == nil {
				continue
			}
			if w.Verified == nil {
				w.Verified = &record.BlockVerified{}
			}
			to := w.Verified
			to.Right, to.Wrong, to.Unknown, to.ReadBack, to.NotReadBack = to.Right+v.Right, to.Wrong+v.Wrong, to.Unknown+v.Unknown, to.ReadBack+v.ReadBack, to.NotReadBack+v.NotReadBack
			to.Blocks = append(to.Blocks, v.Blocks...)
			to.Blocks = to.Blocks[:min(len(to.Blocks), mostFaults)]
		}
		w.Errors = w.Errors[:min(len(w.Errors), mostFaults)]
	}
	return &b
}

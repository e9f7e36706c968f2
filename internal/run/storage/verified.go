package storage

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

const (
	// maxFaults is the number of failed requests and wrong blocks of a worker that are listed in its experiment; the rest
	// are counted.
	maxFaults = 16
	// maxWrongWorkers is how many workers that read wrong blocks are named.
	maxWrongWorkers = 3
)

// wrongText describes blocks that were not what was written, by worker; empty: there are none.
func wrongText(b *record.Block) string {
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
		if len(all) == maxWrongWorkers {
			more++
			continue
		}
		text := fmt.Sprintf("%s: %s: %d of %d blocks that were read and compared are not what was written", w.Host, w.Path,
			v.Wrong, v.Wrong+v.Right)
		if len(v.Blocks) > 0 {
			text += fmt.Sprintf(", such as that of offset %d, seen %s after the interval began: there was %s",
				v.Blocks[0].Offset, unit.Seconds(v.Blocks[0].Seconds), v.Blocks[0].Text)
		}
		all = append(all, text)
	}
	if more > 0 {
		all = append(all, fmt.Sprintf("and of %d more workers", more))
	}
	return strings.Join(all, "; ")
}

// wrongDataError is the error of a complete repeat that read blocks other than those written: its counts are not
// figures of a storage that keeps data. Nil: it read none.
func wrongDataError(rep *record.Repeat) error {
	text := wrongText(rep.Block)
	if text == "" {
		return nil
	}
	e := &brokenWorkload{
		cause: fmt.Errorf(
			"%s; the storage, or what is on the way to it, loses or changes data; look at the logs of the hosts (dmesg) "+
				"and of the drive (smartctl -a); to separate the drive from the way to it, verify on the host that has the "+
				"storage",
			text,
		),
		whole: true,
	}
	e.Text, e.Block, e.After, e.P50 = text, rep.Block, rep.Seconds, rep.P50
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

// ofAllRepeats is the last repeat's record, whose workers have the failures and comparisons of all repeats: a fault in
// one repeat is a fault of the experiment.
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
			x := r.Block.Workers[i] // a combination has the same workers each time
			w.Errors, w.ErrorCount, w.Hanging = append(w.Errors, x.Errors...), w.ErrorCount+x.ErrorCount, w.Hanging+x.Hanging
			v := x.Verified
			if v == nil {
				continue
			}
			if w.Verified == nil {
				w.Verified = &record.BlockVerified{}
			}
			to := w.Verified
			to.Right, to.Wrong, to.Unknown = to.Right+v.Right, to.Wrong+v.Wrong, to.Unknown+v.Unknown
			to.ReadBack, to.NotReadBack = to.ReadBack+v.ReadBack, to.NotReadBack+v.NotReadBack
			to.Blocks = append(to.Blocks, v.Blocks...)
			to.Blocks = to.Blocks[:min(len(to.Blocks), maxFaults)]
		}
		w.Errors = w.Errors[:min(len(w.Errors), maxFaults)]
	}
	return &b
}

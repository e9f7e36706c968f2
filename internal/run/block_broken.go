package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// blockOff is the error of a repeat of block that ended in the middle, or that is whole and in no figure all the same, with what all workers saw until then.
type blockOff struct {
	record.Broken
	cause error
	whole bool
}

func (e *blockOff) Error() string {
	s := e.cause.Error()
	if said := wrongSaid(e.Block); said != "" && !e.whole {
		s += "; " + said
	}
	switch {
	case e.Block == nil || e.Operations == 0:
		return s + "; nothing was answered in the window until then"
	case e.whole:
		s += fmt.Sprintf("; in this window (%s, in no figure)", unit.Seconds(e.After))
	default:
		s += fmt.Sprintf("; until then (%s of the window, in no figure)", unit.Seconds(e.After))
	}
	for i, k := range []*record.BlockCount{e.Block.Read, e.Block.Write} {
		if k != nil && k.Operations > 0 {
			s += fmt.Sprintf(" %s %s, %s IOPS", unit.BytesPerSecond(k.BytesPerSecond), [2]string{"read", "written"}[i], unit.Count(k.IOPS))
		}
	}
	return s
}

func (e *blockOff) Unwrap() error { return e.cause }

// awaitBlock waits for all workers, calls home when all of a whole job have their answers, then for those that only watch. Where one is lost the others are ended: without it, it is another experiment, and what they saw until then is kept.
func awaitBlock(sides []*blockSide, whole bool, home func()) {
	var all sync.WaitGroup
	var end sync.Once
	wait := func(x *blockSide) {
		x.out, x.err = x.run.Wait()
		if x.err != nil || x.out.Lost != nil {
			end.Do(func() {
				for _, other := range sides {
					if other != x {
						all.Go(other.run.Close)
					}
				}
			})
		}
	}
	for _, x := range sides {
		if x.worker >= 0 || !whole {
			all.Go(func() { wait(x) })
		}
	}
	if whole { // such as of an amount, whose end nobody knows before: a host is watched until the workers have their answers, and not while they sync
		for _, x := range sides {
			if x.worker >= 0 {
				<-x.run.Home()
			}
		}
		home()
		for _, x := range sides {
			if x.worker < 0 {
				all.Go(func() {
					x.run.Close()
					wait(x)
				})
			}
		}
	}
	all.Wait()
}

// lostBlock is why a repeat broke off; nil: it did not. A host that is gone says more than a target that is gone with it, and both more than having been ended because of them.
func lostBlock(ctx context.Context, sides []*blockSide) *blockOff {
	var ends []*side
	for _, x := range sides {
		if x.err == nil && x.out.Lost != nil {
			x.err = fmt.Errorf("%s: %w", x.host, x.out.Lost)
		}
		if x.out == nil {
			ends = slices.Insert(ends, 0, &x.side)
		} else {
			ends = append(ends, &x.side)
		}
	}
	cause := firstCause(ctx, ends)
	if cause == nil {
		return nil
	}
	off := &blockOff{cause: cause}
	for _, x := range sides {
		if x.err == cause {
			off.Host, off.Text = x.host, x.err.Error()
		}
	}
	return off
}

// keepBlock joins what the workers that are left saw until a repeat broke off.
func (off *blockOff) keepBlock(c *Cell, sides []*blockSide, here *traffic.Work) {
	var left []*blockSide
	for _, x := range sides {
		if x.out != nil {
			left = append(left, x)
		}
	}
	rep, err := joinBlock(c, left, here)
	if err != nil {
		return
	}
	off.Block, off.After = rep.Block, rep.Seconds
	for _, k := range []*record.BlockCount{rep.Block.Read, rep.Block.Write} {
		if k != nil {
			off.Operations += k.Operations
		}
	}
	for _, w := range rep.Block.Workers {
		off.Last = max(off.Last, w.LastSeconds)
	}
	off.P50 = rep.P50
}

// sampled adds what workers whose host is gone had sent of themselves until then: the rates of slices. open is the window's opening on the clock of the samples.
func (off *blockOff) sampled(sides []*blockSide, rows []record.Sample, open int64) {
	for _, x := range sides {
		if x.worker < 0 || x.out != nil {
			continue
		}
		sums, until := map[string]float64{}, map[string]int64{}
		last := int64(0)
		for _, r := range rows {
			switch r.Metric {
			case "reads", "writes", "read_bytes", "written_bytes":
			default:
				continue
			}
			from := cmp.Or(until[r.Metric], open)
			if r.End != x.host || r.Stream >= 0 || r.TimeNS <= from {
				continue
			}
			sums[r.Metric] += r.Value * float64(r.TimeNS-from) / 1e9
			until[r.Metric], last = r.TimeNS, max(last, r.TimeNS)
		}
		if last == 0 {
			continue
		}
		if off.Block == nil {
			off.Block = &record.Block{Hosts: []record.BlockHost{}}
		}
		seconds := float64(last-open) / 1e9
		off.After, off.Last = max(off.After, seconds), max(off.Last, seconds)
		w := record.BlockWorker{Host: x.host, Target: x.run.Ready.Path, Kind: x.run.Ready.Kind, Path: x.run.Ready.Path, Way: x.run.Ready.Way, LastSeconds: seconds, LostSeconds: &seconds,
			Read: int64(math.Round(sums["reads"])), Write: int64(math.Round(sums["writes"]))}
		off.Block.Workers = append(off.Block.Workers, w)
		off.Operations += w.Read + w.Write
		for _, k := range []struct {
			to         **record.BlockCount
			operations int64
			bytes      float64
		}{{&off.Block.Read, w.Read, sums["read_bytes"]}, {&off.Block.Write, w.Write, sums["written_bytes"]}} {
			if k.operations == 0 {
				continue
			}
			if *k.to == nil {
				*k.to = &record.BlockCount{}
			}
			(*k.to).Operations, (*k.to).Bytes = (*k.to).Operations+k.operations, (*k.to).Bytes+int64(math.Round(k.bytes))
		}
	}
	if off.Block == nil || off.After <= 0 {
		return
	}
	for _, k := range []*record.BlockCount{off.Block.Read, off.Block.Write} {
		if k != nil {
			k.IOPS, k.BytesPerSecond = float64(k.Operations)/off.After, float64(k.Bytes)/off.After
		}
	}
}

// keepOff writes what was measured before a repeat broke off into the record of its experiment. False: it broke off before anything was measured.
func keepOff(c *Cell, err error) bool {
	var off *blockOff
	if !errors.As(err, &off) {
		return false
	}
	kept := off.Broken
	kept.Repeat = len(c.Exp.Repeats)
	c.Exp.Broken = &kept
	return true
}

package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// brokenWorkload is the error of a repeat of storage that ended in the middle, or that is complete but must not count,
// with the results of all workers until then.
type brokenWorkload struct {
	record.Broken
	cause error
	whole bool
}

func (e *brokenWorkload) Error() string {
	s := e.cause.Error()
	if wrong := wrongText(e.Block); wrong != "" && !e.whole {
		s += "; " + wrong
	}
	switch {
	case e.Block == nil || e.Operations == 0:
		return s + "; nothing was answered in the interval until then"
	case e.whole:
		s += fmt.Sprintf("; in this interval (%s, in no figure)", unit.Seconds(e.After))
	default:
		s += fmt.Sprintf("; until then (%s of the interval, in no figure)", unit.Seconds(e.After))
	}
	for i, k := range []*record.BlockCount{e.Block.Read, e.Block.Write} {
		if k != nil && k.Operations > 0 {
			s += fmt.Sprintf(" %s %s, %s IOPS", unit.BytesPerSecond(k.BytesPerSecond), [2]string{"read", "written"}[i],
				unit.Count(k.IOPS))
		}
	}
	return s
}

func (e *brokenWorkload) Unwrap() error { return e.cause }

// lostWorker is why a repeat broke off; nil: it did not. The loss of a host precedes that of a target, which may be
// lost with it, and both precede workers that were ended because of them.
func lostWorker(ctx context.Context, sides []*participant) *brokenWorkload {
	var ends []*remote.End
	for _, x := range sides {
		if x.Err == nil && x.out.Lost != nil {
			x.Err = fmt.Errorf("%s: %w", x.Host, x.out.Lost)
		}
		if x.out == nil {
			ends = slices.Insert(ends, 0, &x.End)
		} else {
			ends = append(ends, &x.End)
		}
	}
	cause := remote.FirstCause(ctx, ends)
	if cause == nil {
		return nil
	}
	off := &brokenWorkload{cause: cause}
	for _, x := range sides {
		if x.Err == cause {
			off.Host, off.Text = x.Host, x.Err.Error()
		}
	}
	return off
}

// keepBlock joins the results of the remaining workers until a repeat broke off.
func (off *brokenWorkload) keepBlock(b *workload, sides []*participant, here *traffic.Work) {
	left := xslices.Filter(sides, func(x *participant) bool { return x.out != nil })
	rep, err := join(b, left, here)
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

// sampled adds what workers of lost hosts had sent until then: the rates of slices. open is the interval's opening on
// the clock of the samples.
func (off *brokenWorkload) sampled(sides []*participant, rows []record.Sample, open int64) {
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
			if r.End != x.Host || r.Stream >= 0 || r.TimeNS <= from {
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
		w := record.BlockWorker{Host: x.Host, Target: x.run.Ready.Path, Kind: x.run.Ready.Kind,
			Path: x.run.Ready.Path, Way: x.run.Ready.Way, LastSeconds: seconds, LostSeconds: &seconds,
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

// noteBroken records what was measured before a repeat broke off. It is false if nothing was measured.
func noteBroken(c *experiment.Combination, err error) bool {
	var off *brokenWorkload
	if !errors.As(err, &off) {
		return false
	}
	kept := off.Broken
	kept.Repeat = len(c.Record.Repeats)
	c.Record.Broken = &kept
	return true
}

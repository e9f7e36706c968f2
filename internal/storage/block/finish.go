package block

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// outcome syncs, reads back, and adds up the workers' counts.
func (e *Engine) outcome(ctx context.Context, t times, stopped error) (*Outcome, error) {
	o := &Outcome{OpenNS: t.open, CloseNS: min(e.stopAt.Load(), t.close), Slice: float64(t.slice) / 1e9,
		LostNS: e.lostAt.Load(), Cache: e.ready.Cache}
	latencies := [2]*traffic.Histogram{traffic.NewHistogram(), traffic.NewHistogram()}
	var waited, making, batches, batched int64
	var broken error
	series := make([]Slice, t.slices())
	for _, w := range e.workers {
		w.lock.Lock()
		c := w.tally
		c.flush()
		c.share()
		for i, s := range c.series {
			series[i].add(s, e.job.Size)
		}
		for op, to := range []*Counts{&o.Read, &o.Write} {
			to.Operations += c.counts[op]
			to.Bytes += c.counts[op] * int64(e.job.Size)
			latencies[op].Merge(c.latencies[op])
		}
		waited, making, batches, batched = waited+c.waited, making+c.making, batches+c.batches, batched+c.batched
		o.LastNS = max(o.LastNS, c.last)
		if c.first != 0 && (o.FirstNS == 0 || c.first < o.FirstNS) {
			o.FirstNS = c.first
		}
		o.Errors, o.ErrorCount, o.Hanging = append(o.Errors, c.errors...), o.ErrorCount+c.errorCount, o.Hanging+c.hanging
		if w.err != nil && broken == nil {
			broken = w.err
		}
		if e.ledger != nil {
			for i := range w.slots { // a write without a completion may have been done or not
				if s := &w.slots[i]; s.busy && s.op == OpWrite {
					e.ledger.of[s.block] |= ledgerDirty | ledgerFailed
				}
			}
		}
		w.lock.Unlock()
	}
	if e.job.Amount > 0 && o.LastNS > 0 && o.LostNS == 0 && stopped == nil {
		o.CloseNS = o.LastNS
	}
	if o.Hanging > 0 && (o.LostNS == 0 || o.LostNS > t.close) {
		o.LostNS = cmp.Or(o.LastNS, o.OpenNS) // it is not known when the target fell silent; this was its last answer
		o.CloseNS = min(o.CloseNS, o.LostNS)
	}
	// A job that ends early counts up to and including the stamp of its end: a thread may have taken requests that ended
	// at this very stamp, or just after it, before it could see the end. Their time counts as well.
	o.CloseNS = max(o.CloseNS, o.OpenNS, o.LastNS)
	if seconds := float64(o.CloseNS-o.OpenNS) / 1e9; seconds > 0 {
		o.MeanDepth, o.Making = float64(waited)/1e9/seconds, float64(making)/1e9/seconds
	}
	if batches > 0 {
		o.Batch = float64(batched) / float64(batches)
	}
	// The last slice may be incomplete: it is in the series, but not in the steady state.
	whole := int((o.CloseNS - o.OpenNS) / t.slice)
	shown := min(len(series), int((o.CloseNS-o.OpenNS+t.slice-1)/t.slice))
	o.Series = series[:shown]
	ops := make([]int64, 0, whole)
	for _, s := range o.Series[:min(whole, shown)] {
		ops = append(ops, s.Reads+s.Writes)
	}
	o.Steady = steadyOf(ops, o.Slice)
	// Requests that ended at the end of the last slice, which is the end of the job, count in this slice.
	if shown > 0 && shown < len(series) {
		o.Series[shown-1].plus(series[shown])
	}
	for op, to := range []*Counts{&o.Read, &o.Write} {
		if to.Operations == 0 {
			continue
		}
		text, err := latencies[op].Encode()
		if err != nil {
			return nil, err
		}
		to.Histogram = text
	}
	slices.SortFunc(o.Errors, func(a, b IOError) int { return int(a.AtNS - b.AtNS) })
	o.Errors = o.Errors[:min(len(o.Errors), maxKept)]
	if e.job.writes() && o.Hanging == 0 {
		began := traffic.Now()
		err := e.target.sync(ctx)
		now := traffic.Now()
		o.FinalSync = float64(now-began) / 1e9
		if err != nil {
			o.ErrorCount++
			o.Errors = append(o.Errors, ioError(-1, "sync", err, now))
		}
	}
	if e.ledger != nil {
		e.readBack(ctx, o)
	}
	o.EndNS = traffic.Now()
	e.warn(o, t)
	return o, e.fault(o, stopped, broken)
}

// fault is the error that a job ended with, nil if it ran to its end.
func (e *Engine) fault(o *Outcome, stopped, broken error) error {
	after := func(at int64) string { return time.Duration(at - o.OpenNS).Round(time.Millisecond).String() }
	subject := e.ready.Path
	last := "nothing was answered in the interval"
	if o.LastNS > 0 {
		last = "the last answer came " + after(o.LastNS) + " into the interval"
	}
	switch {
	case o.LostNS > 0 && len(o.Errors) > 0 && broken == nil:
		first := o.Errors[0]
		return &failure.Error{
			Code:    CodeLost,
			Subject: subject,
			Text: fmt.Sprintf(
				"%s at offset %d: %s, %s into the interval; %d requests failed, and the job stopped there (on_error go-on counts "+
					"them and goes on)",
				first.Op,
				first.Offset,
				first.Text,
				after(first.AtNS),
				o.ErrorCount,
			),
		}
	case errors.Is(broken, errHanging):
		return &failure.Error{Code: failure.CodeTimeout, Subject: subject,
			Text: fmt.Sprintf("%d %s; %s; look at the device and the connection to it (dmesg)", o.Hanging, broken, last)}
	case broken != nil:
		return &failure.Error{
			Code:    CodeLost,
			Subject: subject,
			Text: fmt.Sprintf("%s; that was seen %s after the interval began, with %d requests under way; %s",
				strings.TrimPrefix(broken.Error(), subject+": "), after(e.lostAt.Load()), o.Hanging, last),
		}
	case stopped != nil:
		return &failure.Error{Code: failure.CodeStopped, Subject: subject,
			Text: fmt.Sprintf("ended %s into the interval: %v", after(o.CloseNS), stopped)}
	}
	return nil
}

// CodeLost is the failure.Error code of a target that failed while it was measured.
const CodeLost = "lost"

func ioError(offset int64, op string, err error, now int64) IOError {
	t := tally{}
	t.failed(OpRead, offset, err, now)
	t.errors[0].Op = op
	return t.errors[0]
}

func (e *Engine) warn(o *Outcome, t times) {
	say := func(format string, args ...any) { o.Warnings = append(o.Warnings, fmt.Sprintf(format, args...)) }
	o.Warnings = append(o.Warnings, e.ready.Warnings...)
	if v := o.Verified; v != nil && v.Wrong > 0 {
		text := ""
		if len(v.Blocks) > 0 {
			text = fmt.Sprintf(", such as that of offset %d: there was %s", v.Blocks[0].Offset, v.Blocks[0].Text)
		}
		say("%d of %d blocks that were read and compared are not what was written%s", v.Wrong, v.Wrong+v.Right, text)
	}
	seconds := float64(o.CloseNS-o.OpenNS) / 1e9
	if seconds <= 0 {
		return
	}
	got := float64(o.Read.Operations + o.Write.Operations)
	if rate := got / seconds; e.job.Rate > 0 && rate < 0.95*e.job.Rate {
		say("%.0f operations a second were asked for, and %.0f came: the target or this host does not keep that rate",
			e.job.Rate, rate)
	}
	if got == 0 && o.ErrorCount == 0 {
		say("nothing was completed in the interval")
	}
	if o.Steady == nil {
		say("the interval has less than %d whole slices: whether the rate stood still is not known", minSlices)
	} else if e.job.Steady && !o.Steady.Is {
		say("it was not steady within %v: %s", e.job.Interval, o.Steady.Why)
	}
	if v := o.Verified; v != nil {
		if v.Unknown > 0 {
			say(
				"%d blocks that were read were never written by this job or one with its seed: they were compared with "+
					"nothing; write them first",
				v.Unknown,
			)
		}
		if v.NotReadBack > 0 {
			say("%d blocks were written and not read back: nothing is said of them", v.NotReadBack)
		}
	}
	if o.ErrorCount > 0 && e.job.OnError == OnErrorGoOn {
		say("%d requests failed; they are in no figure", o.ErrorCount)
	}
}

// readBack reads blocks that were written and not read since, for at most the job's interval.
func (e *Engine) readBack(ctx context.Context, o *Outcome) {
	v := &Verified{}
	o.Verified = v
	t := newTally(times{slice: 1, close: 1}, &e.stopAt, -1)
	for _, w := range e.workers {
		w.lock.Lock()
		m := w.tally.verified
		v.Right, v.Wrong, v.Unknown, v.ReadBack = v.Right+m.Right, v.Wrong+m.Wrong, v.Unknown+m.Unknown, v.ReadBack+m.ReadBack
		v.Blocks = append(v.Blocks, m.Blocks...)
		w.lock.Unlock()
	}
	reader, free, err := e.target.reader(int(e.job.Size))
	until := time.Now().Add(max(e.job.Interval, time.Second))
	w := &worker{e: e, data: newData(e.job), tally: t, slots: make([]slot, 1)}
	failures := 0
	for b, of := range e.ledger.of {
		if of&ledgerDirty == 0 {
			continue
		}
		if err != nil || o.Hanging > 0 || failures >= maxKept || ctx.Err() != nil ||
			b%64 == 0 && time.Now().After(until) {
			v.NotReadBack++
			err = errors.Join(err, ctx.Err())
			if failures < maxKept && time.Now().After(until) {
				err = context.DeadlineExceeded
			}
			continue
		}
		buffer, failed := reader(int64(b) * int64(e.job.Size))
		if failed != nil {
			failures++
			v.NotReadBack++
			o.ErrorCount++
			if len(o.Errors) < maxKept {
				o.Errors = append(o.Errors, ioError(int64(b)*int64(e.job.Size), "read", failed, traffic.Now()))
			}
			continue
		}
		s := &w.slots[0]
		s.buffer, s.block = buffer, int64(b)
		w.look(s, traffic.Now())
	}
	if free != nil {
		free()
	}
	m := t.verified
	v.Right, v.Wrong, v.Unknown, v.ReadBack = v.Right+m.Right, v.Wrong+m.Wrong, v.Unknown+m.Unknown, v.ReadBack+m.ReadBack
	v.Blocks = append(v.Blocks, m.Blocks...)
	slices.SortStableFunc(v.Blocks, func(a, b WrongBlock) int { return strings.Compare(a.Kind, b.Kind) })
	v.Blocks = v.Blocks[:min(len(v.Blocks), maxKept)]
}

package storage

import (
	"cmp"
	"context"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// participant is a host of a combination of storage in one repeat: with a worker, or only observed.
type participant struct {
	remote.End
	worker           int       // -1: none, it has the storage
	watchedByAnother bool      // another request observes its host
	begin            int64     // start time, on its clock
	attached         *attached // how it has its target; nil: locally
	run              *agent.BlockRun
	out              *agent.BlockOutcome
}

const (
	// startAhead is how long before the warm-up the start is sent, in addition to the delay to the agents.
	startAhead = 60 * time.Millisecond
	// perWorker is the additional lead for every worker and observed host. Slower steps, such as listing tasks, are done
	// before they report ready.
	perWorker = 2 * time.Millisecond
	// minLayoutRate is the lowest expected rate of laying out a file, bytes per second; minLayoutTime is the limit of
	// opening.
	minLayoutRate, minLayoutTime = 10 << 20, time.Minute
	// maxFinalSync is how long a target may take to write its memory to its medium.
	maxFinalSync = 2 * time.Minute
	// maxPause limits the pause between repeats that a file may set.
	maxPause = 10 * time.Minute
)

// layoutTime is the limit of opening and laying out.
func layoutTime(span unit.Bytes) time.Duration {
	return minLayoutTime + time.Duration(float64(cmp.Or(span, unit.GiB))/minLayoutRate*1e9)
}

// Measure measures once.
func (b *workload) Measure(ctx context.Context, s experiment.Session, during func()) error {
	c := b.c
	if len(c.Record.Repeats) > 0 && b.pause > 0 {
		t := time.NewTimer(min(b.pause, maxPause))
		select {
		case <-t.C:
		case <-ctx.Done():
		}
		t.Stop()
	}
	rep, samples, err := b.run(ctx, s, during)
	if err == nil {
		return s.Keep(c, rep, samples)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.Record.Failed = err.Error()
	if noteBroken(c, err) {
		if err := s.KeepSamples(c, samples); err != nil {
			return err
		}
	}
	c.RefuseUnsafe(err)
	return s.Lost(c)
}

// afterInterval is how long a job may take after its interval: until written data is on the drive and read back, which
// is limited to the length of the interval.
func afterInterval(j block.Job, interval time.Duration) time.Duration {
	switch {
	case j.Read == 1:
		return 0
	case j.Verify:
		return maxFinalSync + max(interval, time.Second)
	}
	return maxFinalSync
}

// run prepares all workers, starts them at one time, and joins their counts. After an error nothing of it is left on
// any host.
func (b *workload) run(ctx context.Context, s experiment.Session,
	during func()) (rep record.Repeat, rows []record.Sample, err error) {
	interval := s.Interval(b.c)
	limit := time.Duration(len(b.workers))*layoutTime(b.job.Span) + b.job.Warmup + interval + afterInterval(b.job,
		interval) + remote.AnswerDeadline
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := &repeat{workload: b, s: s, interval: interval, cancel: cancel,
		rows: &remote.Collector{Now: traffic.Now(), Wall: time.Now(), Live: s.Live()}}
	r.takePart()
	defer r.close()
	if err := r.export(limited); err != nil {
		return rep, nil, err
	}
	rep, err = r.measure(ctx, limited, during)
	if err != nil && isLost(err) {
		forget(s, b)
	}
	return rep, r.rows.All, err
}

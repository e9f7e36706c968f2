package storage

import (
	"cmp"
	"context"
	"sync"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// repeat is one running repeat of a workload.
type repeat struct {
	*workload
	s        experiment.Session
	interval time.Duration
	cancel   func()         // ends all: without one of its sides it is a different experiment
	sides    []*participant // of each worker, then of each host with storage and no worker
	served   []attached     // storage of each worker, where another host exports it
	rows     *remote.Collector
}

// takePart lists the sides. The first worker of a host also observes it.
func (r *repeat) takePart() {
	watched := map[string]bool{}
	add := func(host string, worker int) {
		r.sides = append(r.sides,
			&participant{End: remote.End{Host: host, Client: r.s.Client(host)}, worker: worker, watchedByAnother: watched[host]})
		watched[host] = true
	}
	for i, w := range r.workers {
		add(w.host, i)
	}
	for _, h := range r.stores {
		add(h, -1)
	}
}

// close ends the sides that have no outcome.
func (r *repeat) close() {
	for _, x := range r.sides {
		if x.run != nil && x.out == nil {
			x.run.Close()
		}
	}
}

// export makes hosts export the storage that workers on other hosts cannot reach otherwise.
func (r *repeat) export(ctx context.Context) (err error) {
	r.served = make([]attached, len(r.workers))
	for i, w := range r.workers {
		if w.served == nil {
			continue
		}
		if r.served[i], err = give(ctx, r.s, w, cmp.Or(r.job.Span, unit.GiB)); err != nil {
			return err
		}
		r.sides[i].attached = &r.served[i]
	}
	return nil
}

// measure measures, once the storage is available.
func (r *repeat) measure(ctx, limited context.Context, during func()) (rep record.Repeat, err error) {
	if err := r.each(ctx, func(x *participant) error { return r.prepare(limited, x) }); err != nil {
		return rep, err
	}
	begin, err := r.begin(limited)
	if err != nil {
		return rep, err
	}
	now, wall := traffic.Now(), time.Now()
	if err := r.each(ctx, func(x *participant) error {
		x.begin = begin + x.Client.Clock().Nanoseconds
		return x.run.Start(limited, x.begin)
	}); err != nil {
		return rep, err
	}
	open := begin + int64(r.job.Warmup)
	opened := wall.Add(time.Duration(open - now))
	here := r.await(limited, open, during)
	if off := lostWorker(ctx, r.sides); off != nil {
		off.keepBlock(r.workload, r.sides, here)
		off.sampled(r.sides, r.rows.All, opened.UnixNano())
		return rep, off
	}
	rep, err = join(r.workload, r.sides, here)
	rep.Start = opened
	if err == nil {
		err = wrongDataError(&rep)
	}
	return rep, err
}

// ends are the sides in the form that all methods share.
func (r *repeat) ends() (ends []*remote.End) {
	for _, x := range r.sides {
		ends = append(ends, &x.End)
	}
	return ends
}

// each calls f for all sides at once. The error is the one that explains the others, and names its host.
func (r *repeat) each(ctx context.Context, f func(*participant) error) error {
	var wg sync.WaitGroup
	for _, x := range r.sides {
		wg.Go(func() {
			if x.Err = f(x); x.Err != nil {
				r.cancel()
			}
		})
	}
	wg.Wait()
	return remote.FirstCause(ctx, r.ends())
}

// prepare opens the target of a side, and lays it out where needed.
func (r *repeat) prepare(ctx context.Context, x *participant) (err error) {
	if err := x.Client.Sync(ctx); err != nil {
		return err
	}
	if x.run, err = x.Client.Block(ctx, r.request(x), r.rows.From(&x.End, 0)); err != nil {
		return err
	}
	return x.mounted(r.workload)
}

// begin is when all workers begin, on the clock of this process.
func (r *repeat) begin(ctx context.Context) (int64, error) {
	var rtt time.Duration
	early := startAhead + time.Duration(r.job.Threads)*remote.PerStream + time.Duration(len(r.sides))*perWorker
	for _, x := range r.sides {
		if !x.watchedByAnother {
			if err := x.Client.Sync(ctx); err != nil { // laying out may have taken minutes
				return 0, err
			}
		}
		rtt = max(rtt, x.Client.Clock().RTT)
	}
	return traffic.Now() + int64(early+2*rtt), nil
}

// await waits until all sides are done, and observes hosts and this machine meanwhile.
func (r *repeat) await(ctx context.Context, open int64, during func()) *traffic.Work {
	whole := r.OpenEnded()
	looking, over := context.WithCancel(ctx)
	defer over()
	seen := remote.WatchTasks(looking, open, open+int64(r.interval), whole, r.ends()...)
	var reading sync.WaitGroup
	if during != nil {
		look := r.interval
		if whole {
			look = min(r.interval, 3*remote.ReadAfter)
		}
		reading.Go(func() { remote.DuringInterval(looking, open, look, during) })
	}
	awaitWorkers(r.sides, whole, over)
	over()
	reading.Wait()
	return seen()
}

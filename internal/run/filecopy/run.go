package filecopy

import (
	"context"
	"slices"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/agent/copies"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// repeat is one running repeat of a copy.
type repeat struct {
	*copying
	s     experiment.Session
	limit time.Duration
	sides []*watchedHost // every host, observed
	outs  []*copies.Outcome
	rows  *remote.Collector
}

// warm brings the sources into the cache or out of it, as configured, and records it for each direction.
func (r *repeat) warm(ctx context.Context) (legs []record.CopyLeg, err error) {
	for i, leg := range r.legs {
		m := r.made[i]
		cache, err := r.s.Client(r.ends[leg[0]].host).CopyEnd(ctx, copies.EndRequest{Op: r.cache, End: m.source.End})
		if err != nil {
			return nil, err
		}
		legs = append(
			legs,
			record.CopyLeg{From: placeRecord(r.s, r.ends[leg[0]], m.source), To: placeRecord(r.s, r.ends[leg[1]], m.target),
				Cache: cache.Cache, Cold: cache.Cold, Bytes: int64(m.source.Bytes), Files: m.source.Files},
		)
	}
	return legs, nil
}

// close ends the observation of hosts where it still runs.
func (r *repeat) close() {
	for _, x := range r.sides {
		if x.watch != nil && x.out == nil {
			x.watch.Close()
		}
	}
}

// watched are the sides in the form that all methods share.
func (r *repeat) watched() (ends []*remote.End) {
	for _, x := range r.sides {
		ends = append(ends, &x.End)
	}
	return ends
}

// copy copies in all directions from the same time on, and fills in the repeat.
func (r *repeat) copy(ctx, limited context.Context, rep *record.Repeat, during func()) error {
	var rtt time.Duration
	for _, x := range r.sides {
		rtt = max(rtt, x.Client.Clock().RTT)
	}
	now, wall := traffic.Now(), time.Now()
	begin := now + int64(startAhead+2*rtt)
	for _, x := range r.sides {
		if err := x.watch.Start(limited, begin+x.Client.Clock().Nanoseconds); err != nil {
			return err
		}
	}
	errs, here := r.await(limited, begin, rep.Copy.Legs, during)
	for i := range r.legs {
		keepRefusal(r.s, r.made[i].share, errs[i])
		if errs[i] != nil {
			return r.brokenError(ctx, i, begin, errs[i])
		}
	}
	if err := remote.FirstCause(ctx, r.watched()); err != nil {
		return err
	}
	for i := range r.legs {
		if err := r.compare(limited, i); err != nil {
			return err
		}
		rep.Copy.Legs[i].Verified = true
	}
	r.join(rep, here)
	rep.Start = wall.Add(time.Duration(begin - now))
	return nil
}

// await copies all directions, and observes hosts and this machine meanwhile.
func (r *repeat) await(ctx context.Context, begin int64, legs []record.CopyLeg,
	during func()) ([]error, *traffic.Work) {
	looking, over := context.WithCancel(ctx)
	defer over()
	seen := remote.WatchTasks(looking, begin, begin+int64(r.limit), true, r.watched()...)
	var reading sync.WaitGroup
	if during != nil {
		reading.Go(func() {
			remote.DuringInterval(looking, begin, min(r.c.Expected(experiment.LabScale(r.s)), 3*remote.ReadAfter), during)
		})
	}
	errs := make([]error, len(r.legs))
	r.outs = make([]*copies.Outcome, len(r.legs))
	var wg sync.WaitGroup
	for i := range r.legs {
		wg.Go(func() { r.outs[i], errs[i] = r.leg(ctx, i, begin, &legs[i]) })
	}
	wg.Wait()
	for _, x := range r.sides {
		x.watch.Close()
		if x.out, x.Err = x.watch.Wait(); x.Err == nil {
			x.Outcome = &x.out.Watch
		}
	}
	over()
	reading.Wait()
	return errs, seen()
}

// watchHosts starts the observation of every host: its CPUs, its interface and the drives under its ends.
func (r *repeat) watchHosts(ctx context.Context) (err error) {
	for _, host := range r.hosts() {
		x := &watchedHost{End: remote.End{Host: host, Client: r.s.Client(host)}}
		r.sides = append(r.sides, x)
		if err := x.Client.Sync(ctx); err != nil {
			return err
		}
		q := agent.Block{Local: r.locals[host], Interval: r.limit, Samples: r.c.Samples}
		for i, m := range r.made {
			for k, p := range []copies.Placed{m.source, m.target} {
				if r.ends[r.legs[i][k]].host == host {
					q.Drives = append(q.Drives, p.Devices...)
				}
			}
		}
		slices.Sort(q.Drives)
		q.Drives = slices.Compact(q.Drives)
		if x.watch, err = x.Client.Block(ctx, q, r.rows.From(&x.End, 0)); err != nil {
			return err
		}
	}
	return nil
}

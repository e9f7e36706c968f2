package storage

import (
	"slices"
	"sync"

	"linerate/internal/agent"
	"linerate/internal/storage/block"
)

// request is the request to the agent of a side.
func (r *repeat) request(x *participant) agent.Block {
	lab := r.s.Lab() != nil
	q := agent.Block{Warmup: r.job.Warmup, Interval: r.interval, Samples: r.c.Samples, Unwatched: x.watchedByAnother}
	if at := r.locals[x.Host]; len(at) > 0 && !x.watchedByAnother {
		q.Local, q.Locals = at[0], at[1:]
	}
	if !lab { // hosts of a lab share one machine's drives
		q.Storage, q.Physical = r.places[x.Host], x.worker < 0
	}
	if x.worker >= 0 {
		q.Job = r.jobOf(x)
	} else {
		q.Drives = r.drivesOf(x.Host)
	}
	q.Processes = !x.watchedByAnother && lab && slices.Contains(r.owners, x.Host)
	return q
}

// jobOf is the job of a side's worker.
func (r *repeat) jobOf(x *participant) *block.Job {
	w, j := r.workers[x.worker], r.job
	if r.parts != nil {
		applyLoad(&j, r.parts[w.part], r.c.Record.Settings["limit"])
	}
	j.Target, j.Destroy, j.Interval, j.Seed = w.target, w.destroy, r.interval, j.Seed+uint64(x.worker)
	if g := x.attached; g != nil {
		if j.Target, j.HostName = g.target, g.hostName; j.Read < 1 {
			j.Destroy = g.destroy
		}
	}
	return &j
}

// drivesOf are the devices under a host's exports to workers, each once.
func (r *repeat) drivesOf(host string) (drives []string) {
	for i, w := range r.workers {
		if w.served != nil && w.served.owner == host {
			drives = append(drives, r.served[i].devices...)
		}
	}
	slices.Sort(drives) // several targets of one host often share them
	return slices.Compact(drives)
}

// awaitWorkers waits for all workers, calls home when all requests of a whole job have completed, then waits for the
// observers. If one worker is lost the others are ended: without it the experiment is a different one. Their results
// until then are recorded.
func awaitWorkers(sides []*participant, whole bool, home func()) {
	var all sync.WaitGroup
	var end sync.Once
	wait := func(x *participant) {
		x.out, x.Err = x.run.Wait()
		if x.Err != nil || x.out.Lost != nil {
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
	// The end of an amount is not known beforehand: a host is observed until the workers have their answers, and not while
	// they sync.
	if whole {
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

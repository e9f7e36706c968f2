package agent

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/gomaxprocs"
	"linerate/internal/storage/block"
	"linerate/internal/traffic"
	"linerate/internal/traffic/watch"
)

// Block asks an agent to read and write storage, or, with no Job, to watch its host while others do.
type Block struct {
	Job       *block.Job   `json:"job,omitempty"`
	Local     netip.Addr   `json:"local"`               // whose interface is counted; invalid: none
	Locals    []netip.Addr `json:"locals,omitempty"`    // further ones, which are counted with it
	Unwatched bool         `json:"unwatched,omitempty"` // another request watches this host
	Processes bool         `json:"processes,omitempty"` // of this host's network namespace: count them
	Drives    []string     `json:"drives,omitempty"`
	// Storage are paths of this host whose devices are counted, too. With Physical all drives are counted where neither
	// Storage nor anything else names one.
	Storage  []string      `json:"storage,omitempty"`
	Physical bool          `json:"physical,omitempty"`
	Warmup   time.Duration // of a watch, as Interval
	Interval time.Duration
	Samples  int `json:"samples,omitempty"`
}

// BlockOutcome is how a job or a watch ended.
type BlockOutcome struct {
	Engine *block.Outcome `json:"engine,omitempty"` // nil: it watched
	// Lost is why the engine ended before its time, with an outcome up to then; nil: it did not.
	Lost  *failure.Error  `json:"lost,omitempty"`
	Watch traffic.Outcome `json:"watch"`
	Cores int             `json:"cores"` // that the host has
	// Physical says that the drives of Watch are all of the host's, because it is not known which of them have the
	// storage.
	Physical bool `json:"physical,omitempty"`
}

type blockReady struct {
	Experiment uint64      `json:"experiment"`
	Ready      block.Ready `json:"ready"`
}

// blockIdle is how long a prepared job waits for its start.
const blockIdle = 10 * time.Minute

// blockRun is a job that is prepared, and waits or runs.
type blockRun struct {
	start  chan int64
	finish context.CancelFunc
}

// startBlock lets a prepared job begin.
func (s *server) startBlock(ctx context.Context, id uint64, q startRequest) error {
	if err := s.limits.ahead.check(q.AtNS - traffic.Now()); err != nil {
		return err
	}
	r := s.blocks.get(q.Experiment)
	if r == nil {
		return notPrepared(q.Experiment)
	}
	select {
	case r.start <- q.AtNS:
	default:
		return failure.Errorf(failure.CodeInput, "experiment", "%d was started before", q.Experiment)
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// endBlock ends a job.
func (s *server) endBlock(ctx context.Context, id uint64, q stopRequest) error {
	if r := s.blocks.get(q.Experiment); r != nil {
		r.finish()
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// block prepares a job or a watch, answers that it is ready, waits for the start, and answers with the outcome.
func (s *server) block(ctx context.Context, id uint64, q Block) (err error) {
	if err := s.limits.checkSamples(q.Samples); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &blockRun{start: make(chan int64, 1), finish: cancel}
	s.blocks.put(id, r)
	defer s.blocks.remove(id)
	ready := blockReady{Experiment: id}
	drives := q.Drives
	var engine *block.Engine
	if q.Job != nil {
		if mayWrite(*q.Job) {
			if err := s.allowed(allowBlockWrite, "storage", "writes for its controller"); err != nil {
				return err
			}
		}
		laid, err := s.layOut(ctx, q.Job, "")
		if err != nil {
			return err
		}
		if engine, err = block.Prepare(ctx, *q.Job); err != nil {
			return err
		}
		defer engine.Close()
		if ready.Ready = engine.Ready(); laid != nil {
			ready.Ready.Kind, ready.Ready.Created = laid.kind, true
		}
		drives = append(slices.Clone(drives), ready.Ready.Devices...)
		q.Warmup, q.Interval = q.Job.Warmup, q.Job.Interval
	}
	for _, path := range q.Storage {
		for _, name := range block.DevicesOf(path) {
			if !slices.Contains(drives, name) {
				drives = append(slices.Clip(drives), name)
			}
		}
	}
	physical := q.Physical && len(drives) == 0
	if physical {
		drives = block.PhysicalDrives()
	}
	// What takes time is done before the moment at which all workers of all hosts begin.
	var tasks *watch.HostTasks
	if !q.Unwatched {
		tasks = watch.ListTasks()
	}
	if engine != nil {
		defer gomaxprocs.Reserve(slotsOf(*q.Job, ready.Ready.Way))()
	}
	if err := s.link.send(ctx, id, kindReady, ready); err != nil {
		return err
	}
	idle := time.NewTimer(blockIdle)
	defer idle.Stop()
	var begin int64
	select {
	case begin = <-r.start:
	case <-idle.C:
		return failure.Errorf(failure.CodeTimeout, "storage", "given up: no start within %v", blockIdle)
	case <-ctx.Done():
		return process.Stopped()
	}
	emit := s.offerSamples(id)
	out := BlockOutcome{Cores: runtime.NumCPU(), Physical: physical}
	watching, stopWatch := context.WithCancel(ctx)
	defer stopWatch()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if q.Unwatched {
			return
		}
		out.Watch = *watch.During(watching, begin,
			watch.IntervalOptions{Local: q.Local, Locals: q.Locals, Processes: q.Processes, Warmup: q.Warmup,
				Interval: q.Interval,
				Samples:  q.Samples, Drives: drives, Tasks: tasks}, emit)
	}()
	if engine != nil {
		engine.OnHome(func() {
			stopWatch() // no figure has the sync and what is read back
			<-watched
			if err := s.link.send(ctx, id, kindHome, nil); err != nil {
				cancel()
			}
		})
		out.Engine, err = engine.Run(ctx, begin, emit)
		stopWatch()
	}
	<-watched
	if out.Engine == nil || !errors.As(err, &out.Lost) {
		if err != nil {
			return err
		}
	}
	return s.link.send(context.WithoutCancel(ctx), id, kindResult, out)
}

// mostSlots is the most slots of a job whose threads need them only when they return from the kernel.
const mostSlots = 16

// slotsOf is the number of slots of Go's scheduler (GOMAXPROCS) for a job: one for each thread, or, for calls that
// block, one for each request, up to mostSlots. A thread that returns from the kernel and finds no slot sleeps until
// another thread wakes it.
func slotsOf(j block.Job, way string) int {
	if way == block.WayThreads {
		return max(j.Threads, min(j.Threads*j.Depth, mostSlots))
	}
	return j.Threads
}

// mayWrite reports whether a job may write: an existing target is only read where the job only reads; where there is no
// target, and in a folder, a file is made.
func mayWrite(j block.Job) bool {
	info, err := os.Stat(j.Target)
	return j.Read < 1 || err != nil || info.IsDir()
}

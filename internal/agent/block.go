package agent

import (
	"context"
	"errors"
	"fmt"
	"linerate/internal/base/gomaxprocs"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"time"

	"linerate/internal/storage/block"
	"linerate/internal/traffic"
)

// Block is what an agent is asked of storage: to read and write, or, with no Job, to watch its host while others do.
type Block struct {
	Job       *block.Job   `json:"job,omitempty"`
	Local     netip.Addr   `json:"local"`               // whose interface is counted; invalid: none
	Locals    []netip.Addr `json:"locals,omitempty"`    // further ones, which are counted with it
	Unwatched bool         `json:"unwatched,omitempty"` // another request watches this host
	Processes bool         `json:"processes,omitempty"` // of this host's network namespace: count them
	Drives    []string     `json:"drives,omitempty"`
	// Storage are paths of this host whose devices are counted, too. Physical: where that names none, and nothing else does, all of its drives are.
	Storage        []string      `json:"storage,omitempty"`
	Physical       bool          `json:"physical,omitempty"`
	Warmup, Window time.Duration // of a watch
	Samples        int           `json:"samples,omitempty"`
}

// BlockOutcome is what became of it.
type BlockOutcome struct {
	Engine *block.Outcome `json:"engine,omitempty"` // nil: it watched
	// Lost says why the engine ended before its time, with an outcome of what it saw until then; nil: it did not.
	Lost  *traffic.Error  `json:"lost,omitempty"`
	Watch traffic.Outcome `json:"watch"`
	Cores int             `json:"cores"` // that the host has
	// Physical says that the drives of Watch are all of the host, because nobody knows which of them have the storage.
	Physical bool `json:"physical,omitempty"`
}

type blockReady struct {
	Experiment uint64      `json:"experiment"`
	Ready      block.Ready `json:"ready"`
}

// blockIdle is how long a prepared target is held without a start.
const blockIdle = 10 * time.Minute

// writesBlocks is what an agent that listens has to be allowed before it writes.
const writesBlocks = "block-write"

// blockRun is a job that was prepared here, and waits or runs.
type blockRun struct {
	start  chan int64
	finish context.CancelFunc
}

// answerBlock handles the requests that are about storage.
func (s *server) answerBlock(ctx context.Context, f frame) (handled bool, err error) {
	switch f.Kind {
	case kindBlock:
		var q Block
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.block(ctx, f.ID, q)
	case kindServe:
		var q Export
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.serveFile(ctx, f.ID, q)
	case kindBlockStart:
		var q startRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		return true, s.startBlock(ctx, f.ID, q)
	case kindBlockEnd:
		var q stopRequest
		if err := decode(f.Body, &q); err != nil {
			return true, err
		}
		s.mu.Lock()
		r := s.blocks[q.Experiment]
		s.mu.Unlock()
		if r != nil {
			r.finish()
		}
		return true, s.link.send(ctx, f.ID, kindReady, nil)
	}
	return false, nil
}

// startBlock lets a prepared job begin.
func (s *server) startBlock(ctx context.Context, id uint64, q startRequest) error {
	if err := s.limits.ahead.check(q.AtNS - traffic.Now()); err != nil {
		return err
	}
	s.mu.Lock()
	r := s.blocks[q.Experiment]
	s.mu.Unlock()
	if r == nil {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "experiment", Text: fmt.Sprintf("%d is not prepared", q.Experiment)}
	}
	select {
	case r.start <- q.AtNS:
	default:
		return &traffic.Error{Code: traffic.CodeInput, Subject: "experiment", Text: fmt.Sprintf("%d was started before", q.Experiment)}
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// block prepares, answers that it is ready, waits for the start, and answers with the outcome. What it made is gone when it returns.
func (s *server) block(ctx context.Context, id uint64, q Block) (err error) {
	if q.Samples < 0 || q.Samples > int(s.limits.rate.max) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "samples", Text: fmt.Sprintf("%d a second is no number from 0 to %d", q.Samples, s.limits.rate.max)}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &blockRun{start: make(chan int64, 1), finish: cancel}
	s.mu.Lock()
	if s.blocks == nil {
		s.blocks = map[uint64]*blockRun{}
	}
	s.blocks[id] = r
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.blocks, id)
		s.mu.Unlock()
	}()
	ready := blockReady{Experiment: id}
	drives := q.Drives
	var engine *block.Engine
	if q.Job != nil {
		if s.opt.listens && mayWrite(*q.Job) && !slices.Contains(s.opt.Allow, writesBlocks) {
			return &traffic.Error{Code: traffic.CodeInput, Subject: "block", Text: "an agent that listens writes for its controller only if it was started with --allow " + writesBlocks}
		}
		laid, err := s.laidOut(ctx, q.Job, "")
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
		q.Warmup, q.Window = q.Job.Warmup, q.Job.Window
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
	// All that takes its time is done before the moment at which all workers of all hosts begin.
	var tasks *traffic.HostTasks
	if !q.Unwatched {
		tasks = traffic.ListTasks()
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
		return &traffic.Error{Code: traffic.CodeTimeout, Subject: "block", Text: fmt.Sprintf("given up: no start within %v", blockIdle)}
	case <-ctx.Done():
		return stopped(ctx)
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
		out.Watch = *traffic.WatchWindow(watching, begin, traffic.WindowOptions{Local: q.Local, Locals: q.Locals, Processes: q.Processes, Warmup: q.Warmup, Window: q.Window, Samples: q.Samples, Drives: drives, Tasks: tasks}, emit)
	}()
	if engine != nil {
		engine.OnHome(func() {
			stopWatch() // the sync and what is read back are in no figure
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

// mostSlots bounds the slots of one job whose threads only need them when they come back.
const mostSlots = 16

// slotsOf is how many processor slots a job is to have: one a thread, and of calls that wait one a request, as far as that goes: a thread that comes back from the kernel
// and finds none is put to sleep, and goes on when another one wakes it.
func slotsOf(j block.Job, way string) int {
	if way == block.WayThreads {
		return max(j.Threads, min(j.Threads*j.Depth, mostSlots))
	}
	return j.Threads
}

func stopped(ctx context.Context) error {
	return &traffic.Error{Code: traffic.CodeStopped, Text: "stopped"}
}

// mayWrite says whether a job may write anything: a target that is there already is only read where nothing else is asked for; in its place, or in a folder, a file is made.
func mayWrite(j block.Job) bool {
	info, err := os.Stat(j.Target)
	return j.Read < 1 || err != nil || info.IsDir()
}

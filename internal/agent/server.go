package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"linerate/internal/agent/copies"
	"linerate/internal/agent/export"
	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/facts"
	"linerate/internal/host/collect"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// Options of an agent. All may be empty.
type Options struct {
	Version    string    // of this program; empty: Version()
	Log        io.Writer // for messages that are not for the controller; nil drops them
	UnlinkSelf bool      // remove the program's file and the folder that has only that file
	// Facts takes a snapshot of this host; nil: collect.Collect.
	Facts func(ctx context.Context, level string) ([]byte, error)
	// Substitutes is the folder of programs that print what hardware of a lab's host would, for collect.Collect.
	Substitutes string
	// Memory is the limit of what experiments use, in bytes; 0: a quarter of this host's memory.
	Memory int64

	// Allow names what of Guarded an agent that listens does for its controller. The controller of any other agent has a
	// shell on the host.
	Allow []string

	// Unguarded leaves signals and the parent process alone: for an agent that is a part of another process.
	Unguarded bool

	listens bool
}

const (
	prepareTimeout = 15 * time.Second
	// idleExperiment is how long a prepared experiment waits for its start.
	idleExperiment = time.Minute
	// stopWait is how long the agent waits at its end for the requests that it stops.
	stopWait = 1500 * time.Millisecond
)

// server is one agent.
type server struct {
	link     *link
	opt      Options
	limits   limitTable
	handlers map[string]handler // by the kind of a request
	requests sync.WaitGroup
	slots    chan struct{}

	apps     running[*appRun]
	blocks   running[*blockRun]
	serves   running[*serving]
	copyEnds running[*copies.End]
	exports  export.State
	laying   sync.Mutex // held while a file is made

	mu          sync.Mutex
	memory      int64 // used by experiments
	experiments map[uint64]*experiment
	layouts     map[string]*layout // files that were made for jobs of storage
	attached    []string           // paths of storage of other hosts
	verbs       []byte             // linerate-verbs as it was sent; nil: this host's own is used
}

// experiment is a prepared experiment.
type experiment struct {
	end    *traffic.End
	memory int64
	expire *time.Timer
}

// Serve is the agent: it answers one controller over in and out until in ends, the controller says bye or is silent,
// the parent process dies or ctx ends. Nothing that it has started is left when it returns. The error is nil when the
// controller has ended it.
func Serve(ctx context.Context, in io.Reader, out io.Writer, opt Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if !opt.Unguarded {
		defer guardProcess(cancel, true)()
	}
	if opt.Version == "" {
		opt.Version = Version()
	}
	if opt.Log == nil {
		opt.Log = io.Discard
	}
	if opt.Facts == nil {
		opt.Facts = func(ctx context.Context, level string) ([]byte, error) {
			return collect.Collect(ctx, facts.Level(level), opt.Substitutes)
		}
	}
	if opt.Memory == 0 {
		opt.Memory = memoryLimit()
	}
	if opt.UnlinkSelf {
		unlinkSelf(opt.Log)
	}
	s := newServer(in, out, opt)
	peer, err := s.link.handshake(ctx, hello(opt.Version))
	if err == nil && peer.Protocol != Protocol {
		err = failure.Errorf(failure.CodeInput, "protocol",
			"the controller speaks %d, this agent %d; use the same version of linerate on both", peer.Protocol, Protocol)
	}
	if err != nil {
		s.fail(ctx, 0, err)
		s.link.end(stopWait)
		return fmt.Errorf("agent: %w", err)
	}
	if peer.Version != opt.Version {
		_ = s.link.send(ctx, 0, kindWarning, Warning{Subject: "version",
			Text: fmt.Sprintf("controller %s, agent %s", peer.Version, opt.Version)})
	}
	return s.serve(ctx, cancel)
}

func newServer(in io.Reader, out io.Writer, opt Options) *server {
	s := &server{link: newLink(in, out), opt: opt, limits: limits(), experiments: map[uint64]*experiment{},
		layouts: map[string]*layout{}}
	s.handlers = s.table()
	s.slots = make(chan struct{}, s.limits.requests.max)
	return s
}

// errBye and errEOF are the causes with which a controller ends an agent.
var (
	errBye = errors.New("bye")
	errEOF = errors.New("end of standard input")
)

func (s *server) serve(ctx context.Context, cancel context.CancelCauseFunc) error {
	go s.link.watch(ctx, cancel)
	go func() {
		for {
			f, err := s.link.receive()
			if err != nil {
				if err == io.EOF {
					err = errEOF
				}
				cancel(err)
				return
			}
			s.accept(ctx, cancel, f)
		}
	}()
	<-ctx.Done()
	s.stopAll()
	stopped := make(chan struct{})
	go func() {
		s.requests.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(stopWait):
		fmt.Fprintln(s.opt.Log, "agent: something did not stop in time; the end of this process ends it")
	}
	s.endServes()
	for _, e := range s.copyEnds.takeAll() {
		e.Remove()
	}
	s.removeLayouts() // before the storage that they are on is detached
	s.exports.End()
	err := context.Cause(ctx)
	if errors.Is(err, errBye) || errors.Is(err, errEOF) {
		s.link.end(stopWait / 10)
		return nil
	}
	// A controller that has sent nonsense may read the reason.
	s.fail(context.WithoutCancel(ctx), 0, err)
	s.link.end(stopWait / 10)
	return fmt.Errorf("agent: %w", err)
}

// accept starts the answer to one frame in a goroutine of its own, so that facts are taken while a measurement runs.
func (s *server) accept(ctx context.Context, cancel context.CancelCauseFunc, f frame) {
	switch f.Kind {
	case kindBeat:
		return
	case kindClock:
		// Without a goroutine: the controller would measure the wait as distance.
		_ = s.link.send(ctx, f.ID, kindReady, clockAnswer{ClockNS: traffic.Now()})
		return
	case kindBye:
		_ = s.link.send(ctx, f.ID, kindReady, nil)
		cancel(errBye)
		return
	}
	select {
	case s.slots <- struct{}{}:
	default:
		s.fail(ctx, f.ID, s.limits.requests.check(s.limits.requests.max+1))
		return
	}
	s.requests.Add(1)
	go func() {
		defer s.requests.Done()
		defer func() { <-s.slots }()
		defer func() {
			if r := recover(); r != nil {
				fmt.Fprintf(s.opt.Log, "agent: %s: %v\n%s", f.Kind, r, debug.Stack())
				s.fail(ctx, f.ID, failure.Errorf(failure.CodeInternal, f.Kind, "internal error: %v", r))
			}
		}()
		if err := s.answer(ctx, f); err != nil {
			s.fail(ctx, f.ID, err)
		}
	}()
}

// answer handles one request.
func (s *server) answer(ctx context.Context, f frame) error {
	h, ok := s.handlers[f.Kind]
	if !ok {
		return failure.Errorf(failure.CodeInput, "request", "%.40q is none that this agent knows", f.Kind)
	}
	return h(ctx, f.ID, f.Body)
}

// fail sends an error.
func (s *server) fail(ctx context.Context, id uint64, err error) {
	var e *failure.Error
	if !errors.As(err, &e) {
		code := failure.CodeInternal
		if errors.Is(err, context.Canceled) || errors.Is(err, errEOF) || errors.Is(err, errBye) {
			code = failure.CodeStopped
		}
		e = &failure.Error{Code: code, Text: err.Error()}
	}
	_ = s.link.send(ctx, id, kindError, e)
}

func (s *server) facts(ctx context.Context, id uint64, q factsRequest) error {
	text, err := s.opt.Facts(ctx, q.Level)
	if err != nil {
		return failure.Errorf(failure.CodeInternal, "facts", "%v", err)
	}
	return s.snapshot(ctx, id, text)
}

// snapshot sends a text in as many frames as it needs.
func (s *server) snapshot(ctx context.Context, id uint64, text []byte) error {
	const chunk = 512 << 10 // base64 makes it 683 KiB, below the limit of a frame
	for len(text) > chunk {
		if err := s.link.send(ctx, id, kindResult, part{Data: text[:chunk], More: true}); err != nil {
			return err
		}
		text = text[chunk:]
	}
	return s.link.send(ctx, id, kindResult, part{Data: text})
}

// prepare opens the data port or the data connections. The number of the request is the experiment's.
func (s *server) prepare(ctx context.Context, id uint64, q traffic.Setup) error {
	if err := engines.All().Check(q); err != nil {
		return err
	}
	if q.Source != "" {
		if err := s.allowed(allowSource, "source", "reads files for its controller"); err != nil {
			return err
		}
	}
	x := &experiment{memory: int64(engines.All().Memory(q))}
	s.mu.Lock()
	program := s.verbs
	err := s.limits.checkSetup(q, s.opt.Memory, s.memory)
	if err == nil {
		err = s.limits.experiments.check(int64(len(s.experiments)) + 1)
	}
	if err == nil && s.experiments[id] != nil {
		err = failure.Errorf(failure.CodeInput, "id", "%d is taken by another experiment", id)
	}
	if err == nil {
		s.experiments[id] = x // before the work begins
		s.memory += x.memory
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, prepareTimeout+q.OpeningTime())
	defer cancel()
	end, err := engines.All().Prepare(limited, q, program)
	s.mu.Lock()
	if err == nil && s.experiments[id] != x {
		err = process.Stopped()
	}
	if err != nil {
		s.mu.Unlock()
		if end != nil {
			end.Close()
		}
		s.drop(id)
		return err
	}
	x.end = end
	x.expire = time.AfterFunc(idleExperiment, func() {
		s.drop(id)
		s.link.offer(id, kindWarning, Warning{Subject: "prepare",
			Text: fmt.Sprintf("given up: no start within %v", idleExperiment)})
	})
	s.mu.Unlock()
	return s.link.send(ctx, id, kindReady, prepared{Experiment: id, Ready: end.Ready()})
}

// notPrepared is the error of a request for an experiment that does not exist.
func notPrepared(experiment uint64) error {
	return failure.Errorf(failure.CodeInput, "experiment", "%d is not prepared", experiment)
}

// run carries out a prepared experiment.
func (s *server) run(ctx context.Context, id uint64, q startRequest) error {
	if err := s.limits.ahead.check(q.AtNS - traffic.Now()); err != nil {
		return err
	}
	s.mu.Lock()
	x := s.experiments[q.Experiment]
	if x == nil || x.end == nil || !x.expire.Stop() {
		s.mu.Unlock()
		return notPrepared(q.Experiment)
	}
	s.mu.Unlock()
	defer s.drop(q.Experiment)
	dropped := s.link.dropped.Load()
	o, err := x.end.Run(ctx, q.AtNS, s.offerSamples(id))
	if err != nil {
		return err
	}
	if n := s.link.dropped.Load() - dropped; n > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%d batches of samples were dropped: the control channel was too slow "+
			"for them", n))
	}
	const most = 256 // streams of a frame
	for len(o.Streams) > most {
		if err := s.link.send(ctx, id, kindResult,
			outcomePart{Outcome: traffic.Outcome{Streams: o.Streams[:most]}, More: true}); err != nil {
			return err
		}
		o.Streams = o.Streams[most:]
	}
	return s.link.send(ctx, id, kindResult, outcomePart{Outcome: *o})
}

// offerSamples sends samples as they come, as an answer to a request, as long as the channel is fast enough.
func (s *server) offerSamples(id uint64) func([]traffic.Sample) {
	return func(rows []traffic.Sample) {
		const most = 4096 // rows of a frame: at most half a megabyte
		for chunk := range slices.Chunk(rows, most) {
			s.link.offer(id, kindSample, samples{chunk})
		}
	}
}

// drop ends an experiment, if it still exists.
func (s *server) drop(id uint64) {
	s.mu.Lock()
	x := s.experiments[id]
	delete(s.experiments, id)
	if x != nil {
		s.memory -= x.memory
	}
	s.mu.Unlock()
	if x == nil || x.end == nil {
		return
	}
	x.expire.Stop()
	x.end.Close()
}

func (s *server) stopAll() {
	s.mu.Lock()
	ids := slices.Collect(maps.Keys(s.experiments))
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { s.drop(id) })
	}
	wg.Wait()
}

func hello(version string) Hello {
	return Hello{Protocol: Protocol, Version: version, GOOS: runtime.GOOS, Arch: runtime.GOARCH, PID: os.Getpid(),
		ClockNS: traffic.Now(), Features: engines.All().Names(), BootID: BootID()}
}

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// Options of an agent. All may be empty.
type Options struct {
	Version    string    // of this program; empty: Version()
	Log        io.Writer // for messages that are not for the controller; nil drops them
	UnlinkSelf bool      // remove the program's file and the folder that holds only it
	// Facts takes a capture of this host; nil: facts.Collect.
	Facts func(ctx context.Context, level string) ([]byte, error)
	// Memory is the limit of what experiments take, in bytes; 0: a quarter of this host's memory.
	Memory int64

	// Allow names what of Guarded the controller may ask of an agent that listens; any other agent is asked by one who could do it himself.
	Allow []string

	// Unguarded leaves signals and the parent process alone: for an agent that is a part of another process.
	Unguarded bool

	listens bool
}

const (
	prepareTimeout = 15 * time.Second
	// idleExperiment is how long a prepared experiment keeps its port or connections without a start.
	idleExperiment = time.Minute
	// stopWait is how long the agent waits at its end for what it stops.
	stopWait = 1500 * time.Millisecond
)

// server is one agent.
type server struct {
	link     *link
	opt      Options
	limits   limitTable
	requests sync.WaitGroup
	slots    chan struct{}

	mu          sync.Mutex
	memory      int64 // taken by experiments
	experiments map[uint64]*experiment
	apps        map[uint64]*appRun // commands and watches under way, by the number of their request
	blocks      map[uint64]*blockRun
	layouts     map[string]*layout  // files that were made for jobs of storage
	serves      []*serving          // what is given out
	attached    []string            // paths of storage of other hosts that was attached here
	stores      storageState        // what serves and attaches it
	copyEnds    map[uint64]*copyEnd // ends of copies, by the numbers of their requests
	laying      sync.Mutex          // held while a file is made
	verbs       []byte              // linerate-verbs as it was sent; nil: this host's own is used
}

// experiment is one that was prepared.
type experiment struct {
	end    *traffic.End
	memory int64
	expire *time.Timer
}

// Serve is the agent: it answers one controller over in and out until in ends, the controller says bye or falls silent,
// the parent process dies or ctx ends. Nothing that it started is left when it returns. The error is nil when the
// controller ended it.
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
		opt.Facts = func(ctx context.Context, level string) ([]byte, error) { return facts.Collect(ctx, facts.Level(level)) }
	}
	if opt.Memory == 0 {
		opt.Memory = memoryLimit()
	}
	if opt.UnlinkSelf {
		unlink := unlinkSelf(opt.Log)
		defer unlink()
	}
	s := &server{link: newLink(in, out), opt: opt, limits: limits(), experiments: map[uint64]*experiment{}}
	s.slots = make(chan struct{}, s.limits.requests.max)
	peer, err := s.link.handshake(ctx, hello(opt.Version))
	if err == nil && peer.Protocol != Protocol {
		err = &traffic.Error{Code: traffic.CodeInput, Subject: "protocol",
			Text: fmt.Sprintf("the controller speaks %d, this agent %d; use the same version of linerate on both", peer.Protocol, Protocol)}
	}
	if err != nil {
		s.fail(ctx, 0, err)
		s.link.end(stopWait)
		return fmt.Errorf("agent: %w", err)
	}
	if peer.Version != opt.Version {
		_ = s.link.send(ctx, 0, kindWarning, Warning{Subject: "version", Text: fmt.Sprintf("controller %s, agent %s", peer.Version, opt.Version)})
	}
	return s.serve(ctx, cancel)
}

// errBye and errEOF are the two ways in which a controller ends an agent.
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
	s.removeCopyEnds()
	s.removeLayouts() // before what they lie on goes
	s.endStorage()
	err := context.Cause(ctx)
	if errors.Is(err, errBye) || errors.Is(err, errEOF) {
		s.link.end(stopWait / 10)
		return nil
	}
	// A controller that is gone reads nothing any more; one that sent nonsense may.
	s.fail(context.WithoutCancel(ctx), 0, err)
	s.link.end(stopWait / 10)
	return fmt.Errorf("agent: %w", err)
}

// accept starts the answer to one frame; each has a goroutine of its own, so that facts are taken while a measurement runs.
func (s *server) accept(ctx context.Context, cancel context.CancelCauseFunc, f frame) {
	switch f.Kind {
	case kindBeat:
		return
	case kindClock:
		// Answered here and now: what waits is measured as distance.
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
				s.fail(ctx, f.ID, &traffic.Error{Code: traffic.CodeInternal, Subject: f.Kind, Text: fmt.Sprintf("internal error: %v", r)})
			}
		}()
		if err := s.answer(ctx, f); err != nil {
			s.fail(ctx, f.ID, err)
		}
	}()
}

// answer handles one request; what it returns is sent as an error.
func (s *server) answer(ctx context.Context, f frame) error {
	switch f.Kind {
	case kindFacts:
		var q factsRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		return s.facts(ctx, f.ID, q)
	case kindProbe:
		var q probeRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		if err := s.limits.checkProbe(q); err != nil {
			return err
		}
		return s.capture(ctx, f.ID, facts.Probe(ctx, q.Targets))
	case kindNeeds:
		var q needsRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		if err := s.limits.checkNeeds(q); err != nil {
			return err
		}
		return s.link.send(ctx, f.ID, kindReady, needs(ctx, q.Programs, q.Rooms))
	case kindPrepare:
		var q traffic.Setup
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		return s.prepare(ctx, f.ID, q)
	case kindProgram:
		var q programRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		return s.program(ctx, f.ID, q)
	case kindJoin:
		var q joinRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		return s.join(ctx, f.ID, q)
	case kindStart:
		var q startRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		return s.run(ctx, f.ID, q)
	case kindStop:
		var q stopRequest
		if err := decode(f.Body, &q); err != nil {
			return err
		}
		if q.Experiment == 0 {
			s.stopAll()
		} else {
			s.drop(q.Experiment)
		}
		return s.link.send(ctx, f.ID, kindReady, nil)
	}
	if handled, err := s.answerApp(ctx, f); handled {
		return err
	}
	if handled, err := s.answerBlock(ctx, f); handled {
		return err
	}
	if handled, err := s.answerStorage(ctx, f); handled {
		return err
	}
	if handled, err := s.answerCopy(ctx, f); handled {
		return err
	}
	return &traffic.Error{Code: traffic.CodeInput, Subject: "request", Text: fmt.Sprintf("%.40q is none that this agent knows", f.Kind)}
}

// fail sends an error.
func (s *server) fail(ctx context.Context, id uint64, err error) {
	var e *traffic.Error
	if !errors.As(err, &e) {
		code := traffic.CodeInternal
		if errors.Is(err, context.Canceled) || errors.Is(err, errEOF) || errors.Is(err, errBye) {
			code = traffic.CodeStopped
		}
		e = &traffic.Error{Code: code, Text: err.Error()}
	}
	_ = s.link.send(ctx, id, kindError, e)
}

func (s *server) facts(ctx context.Context, id uint64, q factsRequest) error {
	text, err := s.opt.Facts(ctx, q.Level)
	if err != nil {
		return &traffic.Error{Code: traffic.CodeInternal, Subject: "facts", Text: err.Error()}
	}
	return s.capture(ctx, id, text)
}

// capture sends a text in as many frames as it takes.
func (s *server) capture(ctx context.Context, id uint64, text []byte) error {
	const chunk = 512 << 10 // base64 makes it 683 KiB, below the limit of a frame
	for len(text) > chunk {
		if err := s.link.send(ctx, id, kindResult, part{Data: text[:chunk], More: true}); err != nil {
			return err
		}
		text = text[chunk:]
	}
	return s.link.send(ctx, id, kindResult, part{Data: text})
}

// prepare opens the data port or the data connections. The experiment is known by the number of its request.
func (s *server) prepare(ctx context.Context, id uint64, q traffic.Setup) error {
	if err := q.Check(); err != nil {
		return err
	}
	if q.Source != "" && s.opt.listens && !slices.Contains(s.opt.Allow, sourceFile) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "source", Text: "an agent that listens reads files for its controller only if it was started with --allow " + sourceFile}
	}
	x := &experiment{memory: int64(q.Memory())}
	s.mu.Lock()
	program := s.verbs
	err := s.limits.checkSetup(q, s.opt.Memory, s.memory)
	if err == nil {
		err = s.limits.experiments.check(int64(len(s.experiments)) + 1)
	}
	if err == nil && s.experiments[id] != nil {
		err = &traffic.Error{Code: traffic.CodeInput, Subject: "id", Text: fmt.Sprintf("%d is taken by another experiment", id)}
	}
	if err == nil {
		s.experiments[id] = x // its place is taken before the work begins
		s.memory += x.memory
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	end, err := traffic.Prepare(limited, q.WithProgram(program))
	s.mu.Lock()
	if err == nil && s.experiments[id] != x {
		err = &traffic.Error{Code: traffic.CodeStopped, Text: "stopped"}
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
		s.link.offer(id, kindWarning, Warning{Subject: "prepare", Text: fmt.Sprintf("given up: no start within %v", idleExperiment)})
	})
	s.mu.Unlock()
	return s.link.send(ctx, id, kindReady, prepared{Experiment: id, Ready: end.Ready()})
}

// run carries a prepared experiment out.
func (s *server) run(ctx context.Context, id uint64, q startRequest) error {
	if err := s.limits.ahead.check(q.AtNS - traffic.Now()); err != nil {
		return err
	}
	s.mu.Lock()
	x := s.experiments[q.Experiment]
	if x == nil || x.end == nil || !x.expire.Stop() {
		s.mu.Unlock()
		return &traffic.Error{Code: traffic.CodeInput, Subject: "experiment", Text: fmt.Sprintf("%d is not prepared", q.Experiment)}
	}
	s.mu.Unlock()
	defer s.drop(q.Experiment)
	dropped := s.link.dropped.Load()
	o, err := x.end.Run(ctx, q.AtNS, s.offerSamples(id))
	if err != nil {
		return err
	}
	if n := s.link.dropped.Load() - dropped; n > 0 {
		o.Warnings = append(o.Warnings, fmt.Sprintf("%d batches of samples were dropped: the control channel was too slow for them", n))
	}
	const most = 256 // streams of a frame
	for len(o.Streams) > most {
		if err := s.link.send(ctx, id, kindResult, outcomePart{Outcome: traffic.Outcome{Streams: o.Streams[:most]}, More: true}); err != nil {
			return err
		}
		o.Streams = o.Streams[most:]
	}
	return s.link.send(ctx, id, kindResult, outcomePart{Outcome: *o})
}

// offerSamples sends samples as they come, as an answer to a request, if the channel keeps up with them.
func (s *server) offerSamples(id uint64) func([]traffic.Sample) {
	return func(rows []traffic.Sample) {
		const most = 4096 // rows of a frame: at most half a megabyte
		for chunk := range slices.Chunk(rows, most) {
			s.link.offer(id, kindSample, samples{chunk})
		}
	}
}

// drop ends an experiment, if it is still there.
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
	var ids []uint64
	for id := range s.experiments {
		ids = append(ids, id)
	}
	s.mu.Unlock()
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() { s.drop(id) })
	}
	wg.Wait()
}

func hello(version string) Hello {
	return Hello{Protocol: Protocol, Version: version, OS: runtime.GOOS, Arch: runtime.GOARCH, PID: os.Getpid(),
		ClockNS: traffic.Now(), Features: traffic.Names(), BootID: BootID()}
}

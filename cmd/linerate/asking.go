package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/record/runfolder"
)

const (
	askedAtOnce    = 64               // hosts that are asked side by side
	connectTimeout = 20 * time.Second // for a host to be reached and the agent to start
	readTimeout    = 5 * time.Second  // for it to say what it knows
	windowsTimeout = 30 * time.Second // the same of Windows, whose script takes seconds for each family of commands
	sharedTimeout  = time.Second      // more of it for every host that is this same machine: a lab's share its processors
	letGo          = 2 * time.Second  // for what was cut off to end by itself
)

// asking says how hosts are asked.
type asking struct {
	folder    string // for the captures; empty: none are written
	agentFile string
	lab       string  // id of the lab whose hosts are asked; empty: the file's own reaches
	scale     float64 // that lab's; 0: none
	connect   time.Duration
	read      time.Duration
	mask      *facts.Masker           // nil: serial numbers and secrets stay
	specs     map[string]connect.Spec // hosts that the command line itself says how to get at
	load      bool                    // PCI Express is read again under load where it is slow at rest
}

// asked is what one host said of itself.
type asked struct {
	host    string
	capture string              // the file; empty: none was written
	facts   *facts.Facts        // nil: not known
	err     error               // why
	noReach bool                // it was not asked
	peers   []facts.ProbeTarget // that it tries
	text    []byte              // the capture as it came
}

// question is what one machine is asked, and how it is reached.
type question struct {
	to   string // its reach; empty: it has none
	spec connect.Spec
	read time.Duration // how long it may take to answer; 0: as every host
	ask  func(ctx context.Context, a *asked, spec connect.Spec, o asking) error
}

// questions are those for the hosts of a plan, and outside of a lab, where switches are only drawn, for its switches with a reach.
func (e *env) questions(p *plan.Plan, o asking) (names []string, out []question) {
	for _, h := range p.Hosts {
		names, out = append(names, h.Name), append(out, question{to: reachOf(h, o.lab), ask: func(ctx context.Context, a *asked, spec connect.Spec, o asking) error {
			a.peers = peers(p, h)
			return e.askHost(ctx, a, spec, o)
		}})
		if h.OS == "windows" && o.lab == "" {
			out[len(out)-1].read = windowsTimeout
		}
	}
	for _, s := range p.Switches {
		if s.Reach == "" || o.lab != "" {
			continue
		}
		names, out = append(names, s.Name), append(out, question{to: s.Reach, ask: func(ctx context.Context, a *asked, spec connect.Spec, o asking) error {
			return e.askSwitch(ctx, a, s, spec, o)
		}})
	}
	return names, out
}

// askPlan asks all hosts of a plan, and its switches that have a reach, at once, each with its own time limit: one that hangs is
// cut off, and the others go on. The answers are in the order of the plan.
func (e *env) askPlan(ctx context.Context, p *plan.Plan, o asking) ([]asked, error) {
	names, questions := e.questions(p, o)
	out := make([]asked, len(names))
	own := 0
	for i, name := range names {
		q := &questions[i]
		out[i].host = name
		if q.to == "" {
			out[i].noReach, out[i].err = true, errors.New("it has no reach in the file; write reach: ssh root@"+name)
			continue
		}
		var given bool
		if q.spec, given = o.specs[name]; !given {
			q.spec, out[i].err = connect.ParseFile(q.to)
		}
		if out[i].err == nil {
			// A secret may be asked for at the terminal: one after another, and for as long as it takes.
			q.spec, out[i].err = e.withSecret(name, q.spec)
		}
		switch q.spec.Kind {
		case connect.Local, connect.Netns, connect.Lab:
			own++
		}
	}
	if o.connect == 0 {
		o.connect = connectTimeout
	}
	if o.read == 0 {
		o.read = readLimit(o.connect, own)
	}
	var wait sync.WaitGroup
	places := make(chan struct{}, askedAtOnce)
	for i := range out {
		if out[i].err != nil {
			continue
		}
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			mine := o
			mine.read = max(o.read, questions[i].read)
			out[i].err = questions[i].ask(ctx, &out[i], questions[i].spec, mine)
		})
	}
	wait.Wait()
	if o.load && ctx.Err() == nil {
		return out, e.underLoad(ctx, p, out, questions, o)
	}
	return out, ctx.Err()
}

// readLimit is how long a host may take to say what it knows. A --timeout above the default allows it as much more as it allows the
// connection: a host that is slow to be reached is slow to answer. Own is the number of hosts that are this machine.
func readLimit(connect time.Duration, own int) time.Duration {
	return readTimeout + time.Duration(own)*sharedTimeout + max(0, connect-connectTimeout)
}

// askHost asks one host, writes its capture and reads it. A capture that cannot be read is still written.
func (e *env) askHost(ctx context.Context, a *asked, spec connect.Spec, o asking) error {
	text, err := limited(ctx, o, func(ctx context.Context, reached func()) ([]byte, error) {
		client, err := agent.Open(ctx, spec, agent.OpenOptions{Host: a.host, Version: version(), AgentFile: o.agentFile})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		reached()
		tried := make(chan []byte, 1)
		go func() { tried <- tryPeers(ctx, client, a.peers) }() // meanwhile: it waits most of its time
		text, err := client.Facts(ctx, string(facts.Full))
		if err != nil {
			return nil, err
		}
		return append(text, <-tried...), nil
	})
	if err != nil {
		return err
	}
	if o.scale != 0 {
		text = facts.InLab(text, o.scale)
	}
	return a.take(text, o)
}

// take writes a capture, if captures are written, and reads it.
func (a *asked) take(text []byte, o asking) (err error) {
	a.text = text
	text = masked(text, o.mask)
	if o.folder != "" {
		name := filepath.Join(o.folder, a.host+".txtar")
		if err := runfolder.WriteFile(name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
		a.capture = name
	}
	a.facts, err = facts.Parse(text)
	return err
}

// limited does something with a host under its two limits: until it is reached, and from then on. What does not end although it
// was told to is left behind.
func limited(ctx context.Context, o asking, do func(ctx context.Context, reached func()) ([]byte, error)) ([]byte, error) {
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	timer := time.AfterFunc(o.connect, func() {
		cut(fmt.Errorf("it was not reached within %v and was cut off; --timeout allows it more", o.connect))
	})
	defer timer.Stop()
	type answer struct {
		text []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := do(ctx, func() {
			timer.Stop()
			reading := time.AfterFunc(o.read, func() {
				cut(fmt.Errorf("it was reached, but did not answer within %v and was cut off", o.read))
			})
			context.AfterFunc(ctx, func() { reading.Stop() })
		})
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		return a.text, why(ctx, a.err)
	case <-ctx.Done():
	}
	select { // it closes what it holds
	case a := <-done:
		if a.err == nil {
			return a.text, nil
		}
	case <-time.After(letGo):
	}
	return nil, context.Cause(ctx)
}

// why prefers the reason for which somebody was cut off to what came of it.
func why(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// masked is a capture without serial numbers and secrets; m nil: as it is.
func masked(capture []byte, m *facts.Masker) []byte {
	if m == nil {
		return capture
	}
	return m.Capture(capture)
}

// masker is nil where serial numbers are to stay.
func masker(keep bool) *facts.Masker {
	if keep {
		return nil
	}
	return facts.NewMasker()
}

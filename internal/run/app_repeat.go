package run

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"linerate/internal/record"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// launcherName is the program in the experiment's folder that mpirun starts in place of ssh.
const launcherName = agent.LauncherName

// appStart is what may pass beside a command's own time: folders, programs that are looked for, and its end on all hosts.
const appStart = 30 * time.Second

// lackError is a program that is not on a host: nothing was run.
type lackError string

func (e lackError) Error() string { return string(e) }

// fails notes why a cell failed, or, where a host lacks a program from the beginning, why it is not run.
func (c *Cell) fails(err error) {
	var lack lackError
	if c.Exp.Failed = err.Error(); errors.As(err, &lack) && len(c.Exp.Repeats) == 0 {
		c.Exp.NotRun, c.Exp.Failed = c.Exp.Failed, ""
	}
}

// appSide is a host of a cell of app in one repeat.
type appSide struct {
	host   string
	client *agent.Client
	run    *agent.AppRun
	out    *agent.AppOutcome
	err    error
}

// AllOutput stands in an error before the name of the file of the run folder that has all output.
const AllOutput = "; all of its output: "

// appRepeat runs the command of a cell once, and keeps what it gave.
func (s *session) appRepeat(ctx context.Context, c *Cell, during func()) error {
	rep, samples, output, err := s.runApp(ctx, c, during)
	if len(output) > 0 {
		name, werr := s.cfg.Folder.SaveOutput(c.Exp.ID, len(c.Exp.Repeats), output)
		if werr != nil {
			return werr
		}
		if rep.App != nil {
			rep.App.Output = name
		} else if err != nil {
			err = fmt.Errorf("%w"+AllOutput+"%s", err, name)
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.fails(err)
		return s.lost(c)
	}
	return s.keep(c, rep, samples)
}

// runApp runs the command of a cell once. With an error nothing of it is left on any host. The output is there beside an error, too.
func (s *session) runApp(ctx context.Context, c *Cell, during func()) (rep record.Repeat, samples []record.Sample, output []byte, err error) {
	a := c.app
	files, err := a.readFiles()
	if err != nil {
		return rep, nil, nil, err
	}
	sides, together, err := s.appSides(ctx, a.hosts)
	if err != nil {
		return rep, nil, nil, err
	}
	port := 20000 + rand.IntN(10000) // below those that systems give out by themselves
	asks, err := c.appAsks(files, port, together, together && s.cfg.Lab == nil)
	if err != nil {
		return rep, nil, nil, err
	}
	if runsSrun(a.words) {
		on := sides
		if a.serve != nil {
			on = sides[:1] // the other host has the server
		}
		places, err := slurmPlaces(ctx, on)
		if err != nil {
			return rep, nil, nil, err
		}
		step, err := slurmStep(a.hosts, places)
		if err != nil {
			return rep, nil, nil, err
		}
		asks[0].Argv = bySrun(asks[0].Argv, step) // the program itself is looked for by its name, as asked before
	}
	begin, samples, err := s.runSides(ctx, c, sides, asks, during)
	if err != nil {
		return rep, samples, nil, err
	}
	rep, output, err = c.appResult(sides, asks, together)
	rep.Start = begin
	return rep, samples, output, err
}

// appSides are the hosts of a cell, with their clocks compared, and whether all are on one machine.
func (s *session) appSides(ctx context.Context, hosts []string) (sides []*appSide, together bool, err error) {
	together = len(hosts) > 1
	for _, h := range hosts {
		x := &appSide{host: h, client: s.clients[h]}
		sides = append(sides, x)
		hello, first := x.client.Hello(), sides[0].client.Hello()
		together = together && hello.BootID != "" && hello.BootID == first.BootID
		if err := x.client.Sync(ctx); err != nil {
			return nil, false, err
		}
	}
	return sides, together, nil
}

// runSides runs what is asked for on all hosts at once, until the first one's command has ended, or its limit is over. With an error nothing
// of it is left on any host.
func (s *session) runSides(ctx context.Context, c *Cell, sides []*appSide, asks []agent.App, during func()) (begin time.Time, samples []record.Sample, err error) {
	a := c.app
	limited, cancel := context.WithTimeout(ctx, asks[0].Limit+appStart)
	defer cancel()
	now, wall := traffic.Now(), time.Now()
	rows := &collector{now: now, wall: wall, live: s.cfg.Live}
	launch := c.launcher(limited, sides)
	start := func(i int) {
		x := sides[i]
		onSample := rows.from(&side{host: s.nameOf(x.host), client: x.client}, 0)
		x.run, x.err = x.client.App(limited, asks[i], onSample, launch)
	}
	var wg sync.WaitGroup
	for i := 1; i < len(sides); i++ { // the others first: a server has to be ready, daemons of mpirun need their folder
		wg.Go(func() { start(i) })
	}
	wg.Wait()
	finish := func() {
		for _, x := range sides {
			if x.run != nil && x.out == nil && x.err == nil {
				wg.Go(func() { x.out, x.err = x.run.Finish() })
			}
		}
		wg.Wait()
	}
	failed := func() error {
		for i, x := range sides {
			if name := lacked(x.err); name != "" {
				return lackError(a.lackOf(a.hosts[i], name))
			}
		}
		for _, x := range sides {
			if x.err != nil {
				return x.err
			}
		}
		return nil
	}
	if err := failed(); err != nil {
		finish()
		return begin, nil, err
	}
	start(0)
	begin = time.Now()
	if sides[0].err == nil {
		if during != nil {
			looking, over := context.WithCancel(limited)
			var looked sync.WaitGroup
			looked.Go(func() { inWindow(looking, traffic.Now(), min(asks[0].Limit, 3*looksAfter), during) })
			sides[0].out, sides[0].err = sides[0].run.Wait()
			over()
			looked.Wait()
		} else {
			sides[0].out, sides[0].err = sides[0].run.Wait()
		}
	}
	finish()
	if err := ctx.Err(); err != nil {
		return begin, nil, err
	}
	return begin, rows.all, failed()
}

// appAsks is what each host's agent is asked for; together and shared as of mpi.
func (c *Cell) appAsks(files []agent.AppFile, port int, together, shared bool) ([]agent.App, error) {
	a := c.app
	words, err := c.filled(a.words, 0, port)
	if err != nil {
		return nil, err
	}
	plain, slots := c.hostLists()
	own := []agent.AppFile{{Name: hostsName, Data: []byte(plain), Own: true}, {Name: slotsName, Data: []byte(slots), Own: true}}
	asks, name := make([]agent.App, len(a.hosts)), crand.Text()
	for i := range a.hosts {
		asks[i] = agent.App{Name: name, Limit: c.asked() + appStart, Samples: c.Samples, Env: c.mpi(together, shared), Files: append(own[:len(own):len(own)], files...)}
		if p := a.ports[i]; p != nil {
			asks[i].Local = p.Address.Addr()
		}
		if runsMPI(a.words) {
			asks[i].Needs = append(asks[i].Needs, a.words[0])
			if slices.Contains(a.words, a.program.binary) {
				asks[i].Needs = append(asks[i].Needs, a.program.binary)
			}
		}
	}
	asks[0].Argv, asks[0].Limit = words, c.asked()
	asks[0].Needs = append(asks[0].Needs, words[0])
	if a.serve != nil {
		if asks[1].Argv, err = c.filled(a.serve, 1, port); err != nil {
			return nil, err
		}
		asks[1].Serves, asks[1].Ready = true, a.ready
		asks[1].Needs = append(asks[1].Needs, asks[1].Argv[0])
	}
	return asks, nil
}

// launcher has daemons of mpirun started on the hosts of the cell, by their agents.
func (c *Cell) launcher(ctx context.Context, sides []*appSide) func(*agent.AppRun, agent.Launch) {
	return func(from *agent.AppRun, q agent.Launch) {
		go func() {
			answer := agent.Launched{Exit: 255}
			if c.app.serve != nil || slices.ContainsFunc(sides[1:], func(x *appSide) bool { return x.run == from }) {
				answer.Output = []byte("linerate: only the first host of an experiment on several (on:) starts something on the others\n")
			} else if i := c.app.hostOf(q.Host); i < 0 {
				answer.Output = []byte(fmt.Sprintf("linerate: %.80q is none of the experiment's hosts, which are %s\n", q.Host, strings.Join(c.app.hosts, ", ")))
			} else if i == 0 {
				answer = c.spawned(ctx, from, q.Line)
			} else {
				answer = c.spawned(ctx, sides[i].run, q.Line) // the others were ready before the command began
			}
			answer.Number = q.Number
			_ = from.Launched(ctx, answer) // an agent that is gone has nobody to tell
		}()
	}
}

func (c *Cell) spawned(ctx context.Context, on *agent.AppRun, line string) agent.Launched {
	a, err := on.Spawn(ctx, line)
	if err != nil {
		return agent.Launched{Exit: 255, Output: []byte("linerate: " + err.Error() + "\n")}
	}
	return a
}

// appResult is the repeat that the outcomes make, and the output for the run folder.
func (c *Cell) appResult(sides []*appSide, asks []agent.App, together bool) (record.Repeat, []byte, error) {
	a, main := c.app, sides[0].out
	output := appOutput(sides, asks)
	if main.Exit != 0 {
		said := agent.LastLines(main.Stderr.Text, main.Stdout.Text)
		if said == "" {
			said = "it printed nothing"
		}
		return record.Repeat{}, output, fmt.Errorf("%s: %s ended with exit code %d; its last lines: %s", a.hosts[0], shown(asks[0].Argv)[0], main.Exit, said)
	}
	got, err := a.read(main)
	if err != nil {
		return record.Repeat{}, output, fmt.Errorf("%s: no figure in the output of %s: %w; its last lines: %s", a.hosts[0], shown(asks[0].Argv)[0], err, agent.LastLines(main.Stdout.Text, main.Stderr.Text))
	}
	x := &record.App{Command: shown(asks[0].Argv), Server: nil, Program: a.program.name, Figure: got.value, Unit: got.unit, Line: got.line,
		Left: main.Stdout.Left + main.Stderr.Left, OneMachine: together}
	r := record.Repeat{Seconds: main.Seconds, App: x, Slice: main.Watch.Slice, BusyFrom: main.Watch.Busy}
	if a.serve != nil {
		x.Server, r.BusyTo = asks[1].Argv, sides[1].out.Watch.Busy
	}
	for _, e := range sides {
		x.Hosts = append(x.Hosts, appHost(e))
		r.CPU = append(r.CPU, cores(e.host, e.out.Watch.CPU)...)
		for _, w := range e.out.Watch.Warnings {
			r.Warnings = append(r.Warnings, e.host+": "+w)
		}
		for _, u := range e.out.Watch.Unknown {
			r.Unknown = append(r.Unknown, record.Unknown{Subject: e.host + ": " + u.Subject, Reason: u.Reason})
		}
	}
	return r, output, nil
}

// read takes the figure out of an output: by the file's pattern, by the ready-made program's reader, or the time.
func (a *appCell) read(o *agent.AppOutcome) (reading, error) {
	read := a.program.read
	if a.figure != nil {
		read = byPattern(a.figure.Match, a.figure.Unit)
	}
	if read == nil {
		return reading{value: o.Seconds, unit: "s"}, nil
	}
	got, err := read(string(o.Stdout.Text))
	if err != nil && a.figure != nil { // some programs print their figures as messages
		if other, also := read(string(o.Stderr.Text)); also == nil {
			return other, nil
		}
	}
	if err != nil && o.Stdout.Left > 0 {
		err = fmt.Errorf("%w (%s in the middle of the output were not kept)", err, unit.Bytes(o.Stdout.Left))
	}
	return got, err
}

// appOutput is what is kept of the outputs of all commands of a repeat.
func appOutput(sides []*appSide, asks []agent.App) []byte {
	var b strings.Builder
	for i, x := range sides {
		if len(asks[i].Argv) == 0 || x.out == nil {
			continue
		}
		for _, k := range []struct {
			name string
			kept agent.Kept
		}{{"standard output", x.out.Stdout}, {"standard error", x.out.Stderr}} {
			if len(k.kept.Text) == 0 && i > 0 {
				continue
			}
			fmt.Fprintf(&b, "---- %s: %s: %s", x.host, strings.Join(shown(asks[i].Argv), " "), k.name)
			if k.kept.Left > 0 {
				fmt.Fprintf(&b, " (%d bytes in the middle were not kept)", k.kept.Left)
			}
			b.WriteString(" ----\n")
			b.Write(k.kept.Text)
			if n := len(k.kept.Text); n > 0 && k.kept.Text[n-1] != '\n' {
				b.WriteByte('\n')
			}
		}
	}
	return []byte(b.String())
}

// appHost is what a host did meanwhile.
func appHost(e *appSide) record.AppHost {
	w := e.out.Watch
	h := record.AppHost{Host: e.host, Seconds: float64(w.EndNS-w.StartNS) / 1e9}
	h.Cores = coresInUse(w.CPU)
	if w.Link == nil {
		return h
	}
	h.Interface = w.Link.Interface
	sum := func(names ...string) *int64 {
		n := int64(0)
		for _, name := range names {
			v, ok := w.Link.Counters[name]
			if !ok {
				return nil
			}
			n += v
		}
		return &n
	}
	h.Received, h.Sent = sum("rx_bytes"), sum("tx_bytes")
	h.Errors, h.Dropped = sum("rx_errors", "tx_errors"), sum("rx_dropped", "tx_dropped")
	return h
}

// asMeasure is the error of an agent in an error; nil: there is none.
func asMeasure(err error) *traffic.Error {
	var e *traffic.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

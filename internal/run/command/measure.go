package command

import (
	"context"
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// launcherName is the program in the experiment's folder that mpirun starts instead of ssh.
const launcherName = process.LauncherName

// StartAllowance is the time limit beyond a command's own: folders, the search for programs, and its end on all hosts.
const StartAllowance = 30 * time.Second

// Host is a host of a command in one repeat.
type Host struct {
	Name    string
	Client  *agent.Client
	run     *agent.AppRun
	Outcome *agent.AppOutcome
	err     error
}

// AllOutput precedes the name of the file with all output in an error.
const AllOutput = "; all of its output: "

// Measure runs the command once, and records the result.
func (a *Command) Measure(ctx context.Context, s experiment.Session, during func()) error {
	rep, samples, output, err := a.run(ctx, s, during)
	if len(output) > 0 {
		name, werr := s.SaveOutput(a.c, output)
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
		a.c.Fail(err)
		return s.Lost(a.c)
	}
	return s.Keep(a.c, rep, samples)
}

// run runs the command once. After an error nothing of it is left on any host. The output is returned with an error,
// too.
func (a *Command) run(ctx context.Context, s experiment.Session,
	during func()) (rep record.Repeat, samples []record.Sample, output []byte, err error) {
	files, err := a.readFiles()
	if err != nil {
		return rep, nil, nil, err
	}
	sides, together, err := HostsOf(ctx, s, a.hosts)
	if err != nil {
		return rep, nil, nil, err
	}
	port := 20000 + rand.IntN(10000) // below the ephemeral ports of systems
	asks, err := a.Requests(files, port, together, together && s.Lab() == nil)
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
		asks[0].Argv = bySrun(asks[0].Argv, step) // the program itself is searched by its name, as before
	}
	begin, samples, err := a.RunHosts(ctx, s, sides, asks, during)
	if err != nil {
		return rep, samples, nil, err
	}
	rep, output, err = a.result(sides, asks, together)
	rep.Start = begin
	return rep, samples, output, err
}

// HostsOf are the hosts of a combination, with their clocks compared, and whether all are on one machine.
func HostsOf(ctx context.Context, s experiment.Session, hosts []string) (sides []*Host, together bool, err error) {
	together = len(hosts) > 1
	for _, h := range hosts {
		x := &Host{Name: h, Client: s.Client(h)}
		sides = append(sides, x)
		hello, first := x.Client.Hello(), sides[0].Client.Hello()
		together = together && hello.BootID != "" && hello.BootID == first.BootID
		if err := x.Client.Sync(ctx); err != nil {
			return nil, false, err
		}
	}
	return sides, together, nil
}

// RunHosts runs all requests on all hosts at once, until the first host's command has ended, or its limit is over.
// After an error nothing of it is left on any host.
func (a *Command) RunHosts(ctx context.Context, s experiment.Session, sides []*Host, asks []agent.App,
	during func()) (begin time.Time, samples []record.Sample, err error) {
	limited, cancel := context.WithTimeout(ctx, asks[0].Limit+StartAllowance)
	defer cancel()
	now, wall := traffic.Now(), time.Now()
	rows := &remote.Collector{Now: now, Wall: wall, Live: s.Live()}
	launch := a.launcher(limited, sides)
	start := func(i int) {
		x := sides[i]
		onSample := rows.From(&remote.End{Host: s.Name(x.Name), Client: x.Client}, 0)
		x.run, x.err = x.Client.App(limited, asks[i], onSample, launch)
	}
	var wg sync.WaitGroup
	for i := 1; i < len(sides); i++ { // the others first: a server must be ready, daemons of mpirun need their folder
		wg.Go(func() { start(i) })
	}
	wg.Wait()
	finish := func() {
		for _, x := range sides {
			if x.run != nil && x.Outcome == nil && x.err == nil {
				wg.Go(func() { x.Outcome, x.err = x.run.Finish() })
			}
		}
		wg.Wait()
	}
	failed := func() error {
		for i, x := range sides {
			if name := missingProgram(x.err); name != "" {
				return experiment.MissingError(a.missing(a.hosts[i], name))
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
			looked.Go(func() { remote.DuringInterval(looking, traffic.Now(), min(asks[0].Limit, 3*remote.ReadAfter), during) })
			sides[0].Outcome, sides[0].err = sides[0].run.Wait()
			over()
			looked.Wait()
		} else {
			sides[0].Outcome, sides[0].err = sides[0].run.Wait()
		}
	}
	finish()
	if err := ctx.Err(); err != nil {
		return begin, nil, err
	}
	return begin, rows.All, failed()
}

// Requests is the request to each host's agent; together and shared as in mpi.
func (a *Command) Requests(files []process.File, port int, together, shared bool) ([]agent.App, error) {
	words, err := a.filled(a.words, 0, port)
	if err != nil {
		return nil, err
	}
	plain, slots := a.hostLists()
	own := []process.File{
		{Name: hostsName, Data: []byte(plain), Own: true},
		{Name: slotsName, Data: []byte(slots), Own: true},
	}
	asks, name := make([]agent.App, len(a.hosts)), crand.Text()
	for i := range a.hosts {
		asks[i] = agent.App{Name: name, Limit: a.c.Asked() + StartAllowance, Samples: a.c.Samples,
			Env: a.mpi(together, shared), Files: append(own[:len(own):len(own)], files...)}
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
	asks[0].Argv, asks[0].Limit = words, a.c.Asked()
	asks[0].Needs = append(asks[0].Needs, words[0])
	if a.serve != nil {
		if asks[1].Argv, err = a.filled(a.serve, 1, port); err != nil {
			return nil, err
		}
		asks[1].Serves, asks[1].Ready = true, a.ready
		asks[1].Needs = append(asks[1].Needs, asks[1].Argv[0])
	}
	return asks, nil
}

package measure

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/job"
	"linerate/internal/cli/setting"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// Flags are the flags of measure that all methods share.
type Flags struct {
	From, To                       []string
	ToAddress, link                string // link is the link's rate, for the ceiling
	folder, agentFile              string
	Settings                       setting.Flags
	underLoad, likeAnApplication   bool
	eachOnce                       bool // each host is named once, and no other end is needed
	Repeats                        int
	asJSON, asJSONL, quiet, resume bool
	views                          cli.Views // parts of the report
	against                        string    // the flags of the other side
	Given                          []string  // the flags on the command line
	loop, inUse                    []string
	dryRun                         bool
	schedule                       job.ScheduleFlags
	Destroy                        []string // of storage: devices that may be overwritten
	// of storage: each host's path to it; of copy: the path of each end
	paths map[string]string
	serve string // of copy: the end that is shared with the other host
}

// ByHand are the methods that can be measured without a file: those between two hosts, which share their flags, and
// those with a command of their own.
func ByHand() []string { return append(BetweenHosts(), method.Command, method.Storage, method.Copy) }

// BetweenHosts are the methods that measure between hosts and share their flags.
func BetweenHosts() []string {
	return method.Names(func(m method.Method) bool { return m.ByHand && !m.Own })
}

// Define defines the flags; --compare-with parses them a second time.
func (f *Flags) Define(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.From, "from", nil,
		"host that sends with direction out (default local); a range with --traffic")
	flags.StringArrayVar(&f.To, "to", nil, "host at the other end; a range such as \"ssh n[1-4]\" with --traffic")
	flags.StringSliceVar(&f.loop, "loop", nil,
		"of acceptance: two ports of this machine, joined by one cable (Linux, root)")
	flags.StringSliceVar(&f.inUse, "allow-in-use", nil,
		"of acceptance: ports of --loop that have an address, a route or this ssh session, and may be used")
	flags.BoolVar(&f.dryRun, "dry-run", false, "of acceptance: print what --loop would do to the ports")
	flags.StringVar(&f.ToAddress, "to-address", "",
		"address of the other end (default: in the fastest subnet that both share)")
	flags.StringVar(&f.link, "link", "", "speed of the link, for the ceiling, such as 40G; limits nothing")
	flags.BoolVar(&f.likeAnApplication, "like-an-application", false, "copy at both ends, as without --copy-mode")
	flags.BoolVar(&f.underLoad, "under-load", false,
		"of latency: idle, then with TCP streams as load (--load-streams 4)")
	flags.IntVar(&f.Repeats, "repeats", experiment.DefaultRepeats, "number of repeats")
	f.AddKept(flags, "")
	flags.StringVar(&f.against, "compare-with", "",
		"measure alternately (A B A B) with these other flags, and compare")
	f.Settings = setting.Add(flags, method.Shared)
}

// Run measures one experiment.
func Run(ctx context.Context, e *cli.Env, of string, f Flags) error {
	x, rate, ends, err := checkMeasure(e, of, &f)
	if err != nil {
		return err
	}
	if f.asJSONL {
		e.Events.Out = e.Out
	}
	if len(f.loop) == 0 {
		return runBetween(ctx, e, of, f, x, rate, ends)
	}
	l, err := openLoop(ctx, e, f, ends)
	if l == nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	defer close(done)
	defer stop()
	go func() {
		select {
		case <-l.Gone:
			stop() // nothing else uses the wire
		case <-done:
		}
	}()
	err = runBetween(ctx, e, of, f, x, rate, ends)
	select {
	case <-l.Gone:
		return closeLoop(e, l, true, err)
	default:
		return closeLoop(e, l, false, err)
	}
}

// runBetween measures between connected ends.
func runBetween(ctx context.Context, e *cli.Env, of string, f Flags, x *fabric.Experiment, rate unit.BitRate,
	ends inventory.Ends) error {
	// One agent an end for the whole measurement: a listening one serves a single controller.
	clients := map[string]*agent.Client{}
	defer func() {
		for _, c := range clients {
			c.Close()
		}
	}()
	p, warnings, err := f.plan(ctx, x, rate, ends, clients)
	if err != nil {
		return err
	}
	repeats := f.Repeats
	if method.Named(of).BoundsErrors && !slices.Contains(f.Given, "repeats") {
		repeats = 0 // a single one, as it is long
	}
	combinations, err := run.Combinations(p,
		experiment.Options{Repeats: repeats, Sources: true, Commands: true, Destroy: f.Destroy}) // the user typed it
	if err != nil {
		return err
	}
	own := job.Flags{Schedule: f.schedule, AsJSON: f.asJSON, AsJSONL: f.asJSONL, Quiet: f.quiet, Views: f.views,
		AgentFile: f.agentFile, Resume: f.resume}
	if slices.Contains(f.Given, "compare-with") {
		if combinations, err = f.bothSides(of, p, combinations); err != nil {
			return cli.Fail(cli.ExitInput, err)
		}
		own.Variants = []string{combinations[len(combinations)-1].Record.Variant}
	}
	folder := f.folder
	if folder == "" {
		// The files are only needed until the report is printed.
		temporary, remove, err := runfolder.Temporary()
		if err != nil {
			return err
		}
		defer remove()
		folder = filepath.Join(temporary, "run")
	}
	own.Folder = folder
	out, head, err := job.OpenFolder(e, p, own, "", combinations)
	if err != nil {
		return err
	}
	if f.resume {
		if err := sameEnds(head, ends); err != nil {
			out.Close()
			return cli.Fail(cli.ExitInput, fmt.Errorf("%s: %w", out.Path, err))
		}
	}
	defer out.Close()
	head.Schedule.Turns = slices.Contains(f.Given, "compare-with")
	head.Warnings = append(head.Warnings, warnings...)
	j := &job.Job{Env: e, Plan: p, Combinations: combinations, Folder: out, Run: head, Flags: own, Kept: f.folder != ""}
	j.Clients = clients
	j.ConnectionOf = func(host string) (connect.Spec, error) { return ends.Connection[host], nil }
	return j.Do(ctx)
}

// sameEnds refuses to resume a measurement with other ends. The port and secret of a listening agent are new each time.
func sameEnds(old *record.Run, now inventory.Ends) error {
	bare := func(text string) string {
		if host, _, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(text, "tcp ") {
			return host
		}
		return text
	}
	names := now.All()
	for i, h := range old.Hosts {
		name := h.Name
		if _, there := now.Connection[name]; !there && i < len(names) {
			name = names[i] // the host in its place
		}
		switch spec, there := now.Connection[name]; {
		case h.Connection == "":
		case !there:
			return cli.Advise(fmt.Errorf("it was measured with %q as well", h.Connection),
				"resume it with the same ends, or name another folder")
		case bare(h.Connection) != bare(spec.String()):
			return cli.Advise(fmt.Errorf("it was measured with --%s %q, not %q", now.Flag[name], h.Connection, spec),
				"resume it with the same ends, or name another folder")
		case name != h.Name:
			return cli.Advise(
				fmt.Errorf("it was measured by a version of linerate that called %q %s, and this one calls "+
					"it %s", h.Connection, h.Name, name),
				"name another folder")
		}
	}
	return nil
}

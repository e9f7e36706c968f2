package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/run"
)

type measureFlags struct {
	from, to                                       []string
	toAddress, rate, pace, time, folder, agentFile string
	paceBy, amount, source                         string
	copies, placement, gather                      string
	bitErrorRate                                   string
	verbs                                          verbsFlags
	every                                          []string
	underLoad                                      bool
	loadStreams, loadDirections                    []string
	likeAnApplication, spin                        bool
	transports, streams, directions, sizes, mtus   []string
	patterns                                       []string
	repeats                                        int
	fragment                                       bool
	asJSON, asJSONL, quiet, resume                 bool
	against                                        string   // the flags of the other side
	given                                          []string // the flags of the command line
	loop, inUse                                    []string
	dryRun                                         bool
	schedule                                       scheduleFlags
	destroy                                        []string          // of block: devices that may be overwritten
	paths                                          map[string]string // of block: what each host calls the storage; of copy: the path of each end
	serve                                          string            // of copy: the end that is given out to the other host
}

func (e *env) measureCommand() *cobra.Command {
	var f measureFlags
	c := &cobra.Command{
		Use:   "measure " + strings.Join(byHand(), "|") + " [HOST]",
		Short: "One experiment by hand, without a fabric file",
		Example: `  linerate measure stream nas
  linerate measure ping nas --every 1ms --streams 1,4 --under-load
  linerate measure stream nas --rate 25G --size 512B..1MiB --streams 1,4,8 --direction out,in,both -o sweep
  linerate measure verbs nas --op write,send,read --pairs 1,2,4,8 --size 1B..1KiB
  linerate measure acceptance nas --bit-error-rate 1e-12 -o tested
  linerate measure stream nas --streams 1 --against "--streams 4" --repeats 10
  linerate measure stream --from "netns a" --to "netns b" --to-address 10.9.0.2 --rate 1G --time 4s`,
		Args:        cobra.RangeArgs(1, 2),
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 && f.onlyICMP() && args[0] == "ping" && !strings.HasPrefix(args[1], "tcp://") {
				for _, flag := range []string{"to", "to-address"} {
					if c.Flags().Changed(flag) {
						e.wrong.add(fmt.Errorf("--%s: the other end is named twice, over icmp %s is its address; leave one out", flag, args[1]))
					}
				}
				address, err := resolve(c.Context(), args[1])
				if f.toAddress = address; err != nil {
					e.wrong.add(err)
					f.to = []string{"local"} // that nothing stands there is said already
				}
			} else if len(args) == 2 {
				if c.Flags().Changed("to") {
					e.wrong.add(fmt.Errorf("--to %s: the other end is named twice, %s stands for --to, too; leave one out", connect.Redact(strings.Join(f.to, ", ")), args[1]))
					f.to = nil
				}
				f.to = append(f.to, hostReach(args[1]))
			}
			f.given = changed(c.Flags())
			return e.measure(c.Context(), args[0], f)
		},
	}
	f.add(c.Flags())
	c.AddCommand(e.measureAppCommand(), e.measureBlockCommand(), e.measureCopyCommand())
	c.Long = methodList(c) + "\n\n" + aboutEnds
	helpsMethods(c)
	return c
}

// byHand are the methods that can be measured without a file: those between two hosts, which have their flags together, and those with a
// command of their own.
func byHand() []string { return append(slices.Clone(betweenHosts), run.App, run.Block, run.Copy) }

var betweenHosts = []string{"stream", "ping", run.Verbs, run.Acceptance}

// add defines the flags; --against reads them a second time.
func (f *measureFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.from, "from", nil, "the reach that sends with direction out (default local); with --pattern several, or a range such as \"ssh n[1-4]\"")
	flags.StringArrayVar(&f.to, "to", nil, "the reach at the other end; with --pattern several, or a range")
	flags.StringSliceVar(&f.patterns, "pattern", nil, "many hosts at once: pairs, incast (all to one), all-to-all")
	flags.StringSliceVar(&f.loop, "loop", nil, "of acceptance: two ports of this machine that a cable joins, as enp1s0f0,enp1s0f1 (Linux, root)")
	flags.StringSliceVar(&f.inUse, "allow-in-use", nil, "of acceptance: ports of --loop that may be taken although they have an address or a route, or carry this ssh session")
	flags.BoolVar(&f.dryRun, "dry-run", false, "of acceptance: of --loop, say what would be done to the ports, and end")
	flags.StringVar(&f.toAddress, "to-address", "", "the address to measure to (default: the fastest subnet that both ends share)")
	flags.StringVar(&f.rate, "rate", "", "the link's rate, for the ceiling; it never limits")
	flags.StringVar(&f.pace, "pace", "", "what each stream carries at most, such as 300M")
	flags.StringVar(&f.paceBy, "pace-by", "", "who keeps the pace: kernel, program (default: the kernel where it can)")
	flags.StringVar(&f.amount, "amount", "", "carry so many bytes in each direction instead of measuring a time, such as 10GiB; the streams divide them")
	flags.StringVar(&f.source, "source", "", "send this file of the sending host, from its root on, instead of memory; over and over where it is too short")
	flags.StringVar(&f.copies, "copies", "", "where a stream's bytes are copied: both ends (label A, the default), receive (B: pages are handed over at the sender), none (C: discarded at the receiver)")
	flags.BoolVar(&f.likeAnApplication, "like-an-application", false, "copies at both ends, as without --copies")
	flags.StringVar(&f.placement, "placement", "", "cores of the threads: auto (by a trial, the default), off, or lists for from and to such as 0,1/2,3")
	flags.StringVar(&f.gather, "gather", "", "messages of --size handed over with one call (label G)")
	flags.StringVar(&f.bitErrorRate, "bit-error-rate", "", "of acceptance: the rate to be shown with 95 % confidence (default 1e-12, the window is as long as that takes)")
	flags.BoolVar(&f.spin, "spin", false, "ping asks the socket again and again instead of sleeping")
	flags.StringSliceVar(&f.every, "every", nil, "ping asks at these times, such as 1ms, whatever the answers do; round trips count from the time at which a question was due")
	flags.BoolVar(&f.underLoad, "under-load", false, "ping beside TCP streams, and without them before: --load-streams 4")
	flags.StringSliceVar(&f.loadStreams, "load-streams", nil, "ping beside so many TCP streams, such as 1,8, and without them before")
	flags.StringSliceVar(&f.loadDirections, "load-direction", nil, "of the data of the load: out (the default), in, both")
	flags.StringVar(&f.time, "time", "", "the steady window of a repeat (default 5s); with --amount the limit (default 10m)")
	flags.StringSliceVar(&f.sizes, "size", nil, "bytes of one message, several such as 4KiB,64KiB, or 512B..1MiB in doublings")
	flags.StringSliceVar(&f.mtus, "mtu", nil, "the MTU of the path; measuring changes no settings, so another than the path has is listed as not run")
	flags.StringSliceVar(&f.transports, "transport", nil, "tcp (the default), udp; ping also icmp; verbs: ib, rocev1, rocev2, iwarp (default: the card's)")
	flags.BoolVar(&f.fragment, "fragment", false, "over UDP, cut messages above the MTU into IP fragments instead of refusing them")
	flags.StringSliceVar(&f.streams, "streams", nil, "numbers of streams, such as 1,4; of ping the pairs that ask at once")
	flags.StringSliceVar(&f.directions, "direction", nil, "out, in, both; of ping the end that asks")
	flags.IntVar(&f.repeats, "repeats", run.DefaultRepeats, "repeats")
	f.addKept(flags, "")
	flags.StringVar(&f.against, "against", "", "measure in turns, A B A B, with these flags different, and compare")
	f.verbs.add(flags)
}

func (e *env) measure(ctx context.Context, method string, f measureFlags) error {
	x, rate, ends, err := e.checkMeasure(method, &f)
	if err != nil {
		return err
	}
	if f.asJSONL {
		e.events.Out = e.out
	}
	if len(f.loop) == 0 {
		return e.measured(ctx, method, f, x, rate, ends)
	}
	l, err := e.openLoop(ctx, f, ends)
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
			stop() // nothing of what would still be measured is over the wire
		case <-done:
		}
	}()
	err = e.measured(ctx, method, f, x, rate, ends)
	select {
	case <-l.Gone:
		return e.closeLoop(l, true, err)
	default:
		return e.closeLoop(l, false, err)
	}
}

// measured measures between ends that are there.
func (e *env) measured(ctx context.Context, method string, f measureFlags, x *fabric.Experiment, rate unit.BitRate, ends ends) error {
	// One agent an end from here to the end of the measurement: one that listens serves one controller.
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
	repeats := f.repeats
	if method == run.Acceptance && !slices.Contains(f.given, "repeats") {
		repeats = 0 // one, and that is long
	}
	cells, err := run.Cells(p, run.Options{Repeats: repeats, Sources: true, Commands: true, Destroy: f.destroy}) // who typed it allows it
	if err != nil {
		return err
	}
	own := runFlags{schedule: f.schedule, asJSON: f.asJSON, asJSONL: f.asJSONL, quiet: f.quiet, agentFile: f.agentFile, resume: f.resume}
	if slices.Contains(f.given, "against") {
		if cells, err = f.bothSides(method, p, cells); err != nil {
			return fail(exitInput, err)
		}
		own.variants = []string{cells[len(cells)-1].Exp.Variant}
	}
	folder := f.folder
	if folder == "" {
		// Nobody asked for the files: they are kept until the report is printed.
		temporary, err := os.MkdirTemp("", "linerate-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(temporary)
		folder = filepath.Join(temporary, "run")
	}
	own.folder = folder
	out, head, err := e.folder(p, own, "", cells)
	if err != nil {
		return err
	}
	if f.resume {
		if err := sameEnds(head, ends); err != nil {
			out.Close()
			return fail(exitInput, fmt.Errorf("%s: %w", out.Path, err))
		}
	}
	defer out.Close()
	head.Schedule.Turns = slices.Contains(f.given, "against")
	head.Warnings = append(head.Warnings, warnings...)
	j := &job{env: e, plan: p, cells: cells, folder: out, run: head, flags: own, kept: f.folder != ""}
	j.clients = clients
	j.reachOf = func(host string) (connect.Spec, error) { return ends.reach[host], nil }
	return j.do(ctx)
}

// sameEnds refuses to go on with a measurement between other ends. The port and secret of an agent that listens are new each time.
func sameEnds(old *record.Run, now ends) error {
	bare := func(text string) string {
		if host, _, ok := strings.Cut(text, ":"); ok && strings.HasPrefix(text, "tcp ") {
			return host
		}
		return text
	}
	names := now.all()
	for i, h := range old.Hosts {
		name := h.Name
		if _, there := now.reach[name]; !there && i < len(names) {
			name = names[i] // who is in its place
		}
		switch spec, there := now.reach[name]; {
		case h.Reach == "":
		case !there:
			return fmt.Errorf("it was measured with %q as well; resume it with the same ends, or name another folder", h.Reach)
		case bare(h.Reach) != bare(spec.String()):
			return fmt.Errorf("it was measured with --%s %q, not %q; resume it with the same ends, or name another folder", now.flag[name], h.Reach, spec)
		case name != h.Name:
			return fmt.Errorf("it was measured by a version of linerate that called %q %s, and this one calls it %s; name another folder", h.Reach, h.Name, name)
		}
	}
	return nil
}

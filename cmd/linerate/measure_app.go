package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"linerate/internal/cli/manual"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/run"
)

// appFlags are the flags of measure app; those that it shares with measure are in measureFlags.
type appFlags struct {
	measureFlags
	hosts              []string // the words of the command line, each a host behind ssh
	command            []string // behind --
	app                []string
	server, ready      string
	figure, unit       string
	files              []string
	processes, threads []string
}

func (e *env) measureAppCommand() *cobra.Command {
	var f appFlags
	c := &cobra.Command{
		Use:    "app [HOST[,HOST..]] [-- COMMAND..]",
		Hidden: true, // the text of measure has it
		Short:  "A command as an experiment: a figure of its output, repeats, processors and network around it",
		Long: `Runs a command, takes one figure out of what it prints, and says what the processors and the network did meanwhile; without --figure and without a ready-made program the figure is
the time that it takes. On one host it runs there; of several the first one runs it, and its mpirun (or srun) starts ranks on all, over their reaches. With a server (--server, or a
program that has one, such as iperf3) the last host has it, and the one before, or else this machine, the command.
HOST is short for --from "ssh HOST"; ranges such as n[1-4] work. Words of the command are not read by a shell; {processes} {threads} {hosts} {address} {peer_address} {port}
{hostfile} {folder} and others stand for values (docs/fabric.md).`,
		Example: `  linerate measure app n1 -- ./solver --steps 100
  linerate measure app n[1-4] --processes 4,8 --figure 'Loop time of (\S+)' --unit s --files in.lj -- mpirun -n {processes} lmp -in in.lj
  linerate measure app n1,n2 --app lammps --processes 2 -- mpirun -n {processes} lmp -in /data/in.rhodo
  linerate measure app nas --app iperf3 --repeats 5
  linerate measure app --from "netns a" --to "netns b" --server "nc -l {port}" --time 20s -- sh -c 'cat /data/file | nc $1 $2' sh {peer_address} {port}`,
		Args:        cobra.ArbitraryArgs,
		Annotations: map[string]string{checksItself: "yes", manual.Shown: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			f.hosts = args
			if at := c.ArgsLenAtDash(); at >= 0 {
				f.hosts, f.command = args[:at], args[at:]
			}
			return e.measureAs(c, run.App, &f.measureFlags, func() (*fabric.Experiment, ends, error) { return e.checkApp(&f) })
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.app, "app", nil, "a ready-made program: "+strings.Join(fabric.Apps(), ", "))
	flags.StringArrayVar(&f.from, "from", nil, "the reach of a host, the one with the command first; several, or a range such as \"ssh n[1-4]\"")
	flags.StringArrayVar(&f.to, "to", nil, "the reach of the host with the server")
	flags.StringVar(&f.toAddress, "to-address", "", "an address in the network that is measured over (default: the fastest subnet that all hosts share)")
	flags.StringVar(&f.server, "server", "", "what runs on the last host while the command runs")
	flags.StringVar(&f.ready, "ready", "", "what the server prints when it can be used, a regular expression (default: it runs for 1 s)")
	flags.StringVar(&f.figure, "figure", "", "the figure in the output: a regular expression with one group ( ) around the number")
	flags.StringVar(&f.unit, "unit", "", "the unit of --figure")
	flags.StringSliceVar(&f.files, "files", nil, "files below this folder that go along into {folder}, where the command starts")
	flags.StringSliceVar(&f.processes, "processes", nil, "{processes}, several such as 2,4,8 (default: one a host)")
	flags.StringSliceVar(&f.threads, "threads", nil, "{threads}, several such as 1,2 (default 1)")
	flags.StringVar(&f.time, "time", "", "what the command may take at most (default 10m)")
	flags.IntVar(&f.repeats, "repeats", run.DefaultRepeats, "repeats")
	f.addKept(flags, ", with all output of the command")
	return c
}

// checkApp reads what a command line of measure app asks for, before any host is asked. All its mistakes come together.
func (e *env) checkApp(f *appFlags) (*fabric.Experiment, ends, error) {
	wrong := &e.wrong
	x := f.experiment(wrong)
	at, err := f.ends(f.serves(), wrong)
	wrong.add(err)
	if x.On = at.from; f.serves() {
		x.On, x.From, x.To = nil, at.from, at.to
	}
	f.checkKept(wrong)
	e.endSecrets(at)
	return x, at, wrong.err()
}

// serves says whether the experiment has a server on a host of its own.
func (f *appFlags) serves() bool {
	return f.server != "" || len(f.app) > 0 && !slices.ContainsFunc(f.app, func(name string) bool { return !run.HasServer(name) })
}

// ends are the hosts: all that were named, or the two of a command and its server.
func (f *appFlags) ends(serves bool, wrong *mistakes) (ends, error) {
	one := measureFlags{from: f.from, to: f.to}
	var named []string
	for _, words := range f.hosts {
		for _, host := range splitHosts(words) {
			named = append(named, hostReach(host))
		}
	}
	if len(named) > 0 && len(f.from)+len(f.to) > 0 {
		wrong.add(fmt.Errorf("%s: hosts are named twice, here and by --from and --to; leave one out", strings.Join(f.hosts, " ")))
		return ends{}, nil
	}
	one.from = append(one.from, named...)
	all, err := expanded("from", one.from)
	if err != nil {
		return ends{}, err
	}
	switch {
	case !serves && len(f.to) > 0:
		return ends{}, errors.New(`--to: it is the host of a server, and there is none; write --server "PROGRAM ARGUMENTS", or name all hosts with --from`)
	case !serves && len(all) == 0:
		all = []string{"local"}
	case serves && len(f.to) == 0 && len(all) == 0:
		return ends{}, errors.New("the server needs a host; write linerate measure app HOST, or --to \"ssh HOST\"")
	case serves && len(f.to) == 0:
		one.to, all = all[len(all)-1:], all[:len(all)-1]
	}
	if serves && (len(all) > 1 || len(one.to) > 1) {
		return ends{}, errors.New("a command and its server are on two hosts; name one or two")
	}
	one.from = all
	if serves {
		return one.ends()
	}
	one.patterns = []string{""} // each host once, and no other end
	return one.ends()
}

// splitHosts splits at commas that are in no brackets: n[1,3],m.
func splitHosts(text string) (out []string) {
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case r == ',' && depth == 0:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return append(out, text[from:])
}

// experiment turns the flags into the experiment that a file would have.
func (f *appFlags) experiment(wrong *mistakes) *fabric.Experiment {
	x := &fabric.Experiment{Name: run.App, Method: run.App}
	add := func(key string, texts ...string) {
		if len(texts) == 0 || len(texts) == 1 && texts[0] == "" && !slices.Contains(f.given, key) {
			return
		}
		values, errs := fabric.Values(run.App, key, texts)
		for _, err := range errs {
			wrong.add(fmt.Errorf("--%s: %w", key, err))
		}
		x.Axes = append(x.Axes, fabric.Axis{Key: key, Values: values})
	}
	if len(f.command) > 0 {
		add("command", quoted(f.command))
	}
	add("app", f.app...)
	add("server", f.server)
	add("ready", f.ready)
	add("processes", f.processes...)
	add("threads", f.threads...)
	add("time", f.time)
	if len(f.command) == 0 {
		if len(f.app) == 0 {
			wrong.add(errors.New("it is not said what is to run; write it behind --, such as linerate measure app HOST -- ./solver, or --app iperf3"))
		}
		for _, name := range f.app {
			if fabric.NeedsCommand(name) {
				wrong.add(fmt.Errorf("--app %s: it runs a problem that is yours; write its command behind --, such as -- %s ARGUMENTS", name, name))
			}
		}
	}
	if f.server != "" {
		if _, err := fabric.Words(f.server); err != nil {
			wrong.add(fmt.Errorf("--server: %w", err))
		}
	}
	if f.ready != "" {
		if _, err := regexp.Compile(f.ready); err != nil {
			wrong.add(fmt.Errorf("--ready %s: it is no regular expression (RE2): %w", f.ready, err))
		}
		if f.server == "" {
			wrong.add(errors.New("--ready: it says when the server can be used; add --server, or leave it out"))
		}
	}
	if slices.Contains(f.given, "figure") {
		re, err := regexp.Compile(f.figure)
		switch {
		case err != nil:
			wrong.add(fmt.Errorf("--figure %s: it is no regular expression (RE2): %w", f.figure, err))
		case re.NumSubexp() != 1:
			wrong.add(fmt.Errorf(`--figure %s: it has %d groups ( ), and the figure is what the one group matches; write it as 'time (\S+)'`, f.figure, re.NumSubexp()))
		}
		x.Figure = &fabric.Figure{Match: f.figure, Unit: f.unit}
	} else if f.unit != "" {
		wrong.add(errors.New("--unit: it is the unit of --figure; add that, or leave it out"))
	}
	var errs []error
	if x.Files, errs = fabric.AppFiles(f.files); len(errs) > 0 {
		for _, err := range errs {
			wrong.add(fmt.Errorf("--files: %w", err))
		}
	}
	for _, name := range x.Files {
		if _, err := os.Stat(name); err != nil {
			wrong.add(fmt.Errorf("--files: %w", err))
		}
	}
	wrong.add(run.Supported(x))
	return x
}

// quoted is a command as one text, which fabric.Words splits into the same words.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		if out[i] = w; w == "" || strings.ContainsAny(w, " \t\n\"'") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'"'"'`) + "'"
		}
	}
	return strings.Join(out, " ")
}

// appPlan is the plan of the hosts of a command: joined by the fastest subnet that all of them share; one host needs none.
func (f measureFlags) appPlan(x *fabric.Experiment, e ends, found map[string]*facts.Facts) (*plan.Plan, []string, error) {
	p := &plan.Plan{Name: x.Method, Fabric: &fabric.Fabric{Name: x.Method, Path: "measure", Experiments: []*fabric.Experiment{x}}}
	names := e.all()
	for _, name := range names {
		p.Hosts = append(p.Hosts, &plan.Host{Name: name, Reach: e.reach[name].String(), Decl: &fabric.Host{Name: name}})
	}
	if len(names) == 1 && f.toAddress == "" {
		return p, nil, nil
	}
	var wanted netip.Addr
	if f.toAddress != "" {
		wanted = netip.MustParseAddr(f.toAddress) // looked at before
	}
	ports, err := commonSubnet(names, found, wanted)
	if err != nil {
		return nil, nil, fail(exitInput, err)
	}
	for i, name := range names {
		join(p, name, ports[i], 0)
	}
	return p, mtusDiffer(p.Hosts), nil
}

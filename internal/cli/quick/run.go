package quick

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/job"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/summary"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// The duration of one measurement, and the number of repeats.
const (
	Interval = 2 * time.Second
	Repeats  = 2
)

// quickFabric is the fabric of quick --lab.
const quickFabric = `fabric: quick
hosts:
  here: {os: linux, nics: {nic: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
  there: {os: linux, nics: {nic: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [here.nic, there.nic], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
`

// Flags are the flags of the command quick.
type Flags struct {
	From, Folder, As, AgentFile string
	InLab                       string
	To                          []string
	Link                        unit.BitRate // of the link; 0: what the systems say
	Time                        time.Duration
	Scale                       float64
	Repeats                     int
	Lab, AsJSON                 bool
}

// labOrder is the configuration of quick --lab. It measures no storage: its drives would be files of this machine in a
// folder that the user has not named, and their figures would say nothing about a drive.
func labOrder() quickOrder {
	return quickOrder{text: []byte(quickFabric), notes: []record.Note{
		{About: "RDMA", Text: "not measured: namespaces have no RDMA device"}}}
}

// Run measures quickly between two hosts.
func Run(ctx context.Context, e *cli.Env, hosts []string, f Flags) error {
	own := job.Flags{Folder: f.Folder, Scale: f.Scale, AgentFile: f.AgentFile, AsJSON: f.AsJSON}
	l := &inventory.Looker{AgentFile: f.AgentFile}
	defer l.Close()
	if f.Lab {
		own.Lab = job.NewLab
		return quickRun(ctx, e, labOrder(), own, f, l)
	}
	from := cmp.Or(f.From, "local")
	if err := l.Read("quick", []string{from, hosts[0]}); err != nil {
		return err
	}
	switch n := len(l.Ends.From); n {
	case 2:
	case 1:
		return cli.Fail(cli.ExitInput, cli.Advise(
			errors.New("quick measures between two machines, and both of these are this one"),
			"linerate quick --lab shows it on this machine alone"))
	default:
		return cli.Fail(cli.ExitInput,
			cli.Advise(fmt.Errorf("quick measures between two machines, and these are %d", n),
				"linerate init, then run, measures many"))
	}
	stores, err := Stores(l, f.To, hosts[0])
	if err != nil {
		return err
	}
	machines, err := l.Look(ctx)
	if err != nil {
		return err
	}
	l.Rename(machines)
	catalog, err := e.Catalog("")
	if err != nil {
		return err
	}
	d, err := inventory.Draft(machines[0].Name+"-"+machines[1].Name, machines, catalog)
	if err != nil {
		return err
	}
	d.Nets = d.Nets[:1]
	if f.Link > 0 {
		if err := d.SetSpeed(d.Nets[0], f.Link); err != nil {
			return cli.Fail(cli.ExitInput, fmt.Errorf("--link: %w", err))
		}
	}
	o, err := quickEnds(ctx, e, d, l, stores)
	if err != nil {
		return err
	}
	return quickRun(ctx, e, o, own, f, l)
}

// quickOrder is the configuration of a quick measurement.
type quickOrder struct {
	text   []byte         // the fabric file
	wanted summary.Wanted // without its ends, which are the file's two hosts
	notes  []record.Note
	span   unit.Bytes // size of the test file
}

// quickRun measures the figures of a summary between the two hosts of a fabric, and prints the report, or the summary
// in the form that was asked for.
func quickRun(ctx context.Context, e *cli.Env, o quickOrder, own job.Flags, f Flags, l *inventory.Looker) error {
	catalog, err := e.Catalog("")
	if err != nil {
		return err
	}
	read, problems := fabric.Parse("quick", o.text, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		return fmt.Errorf("what was seen makes no fabric, which is a fault of linerate: %w", problems)
	}
	o.wanted.From, o.wanted.To = read.Hosts[0].Name, read.Hosts[1].Name
	read.Experiments = summary.Experiments(o.wanted)
	for _, x := range read.Experiments {
		interval := f.Time
		if method.Named(x.Method).UsesRDMA || method.Named(x.Method).Stores {
			interval = max(interval/2, 100*time.Millisecond) // there are more repeats, and their results need no warm-up
		}
		x.Parameters = append(x.Parameters, fabric.Parameter{Key: "time", Values: []string{TimeParameter(interval)}})
		if method.Named(x.Method).Stores {
			x.Parameters = append(x.Parameters, fabric.Parameter{Key: "span", Values: []string{o.span.String()}})
		}
	}
	p := plan.Build(read)
	combinations, err := run.Combinations(p, experiment.Options{Repeats: f.Repeats, Lab: f.Lab})
	if err != nil {
		return err
	}
	folder, head, err := job.OpenFolder(e, p, own, "", combinations)
	if err != nil {
		return err
	}
	defer folder.Close()
	quiet := *e
	if f.As != "" {
		quiet.Out = io.Discard // the summary replaces the report
	}
	head.Notes = o.notes
	j := &job.Job{Env: &quiet, Plan: p, Combinations: combinations, Folder: folder,
		Run: head, Flags: own, Kept: true, Once: true}
	if !f.Lab {
		j.Clients = l.Clients
		j.ConnectionOf = l.Connection
	}
	failed := j.Do(ctx)
	e.Result, e.RunFolder = quiet.Result, quiet.RunFolder
	if quiet.Result == nil || f.As == "" {
		return failed
	}
	summaries := summary.Of(quiet.Result)
	if len(summaries) == 0 {
		return errors.Join(failed,
			cli.Advise(errors.New("nothing was measured that a summary shows"),
				fmt.Sprintf("linerate report %s says why", folder.Path)))
	}
	out, err := summary.Write(summary.Set{Summaries: summaries[:1]}, f.As)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(e.Out, out); err != nil {
		return err
	}
	fmt.Fprintf(e.Err, "report  %s\n", cli.Clean(filepath.Join(folder.Path, runfolder.ReportName)))
	return failed
}

// TimeParameter formats a time for a fabric file, which does not accept Go's 1m0s.
func TimeParameter(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report/summary"
	"linerate/internal/run"
)

const (
	quickWindow  = 2 * time.Second
	quickRepeats = 2
)

// quickFabric is what quick --lab measures.
const quickFabric = `fabric: quick
hosts:
  here: {os: linux, nics: {card: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
  there: {os: linux, nics: {card: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}, drives: {disk: {export: nvme-tcp}}}
links:
  - {ends: [here.card, there.card], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
`

// quickFlags are the flags of the verb quick.
type quickFlags struct {
	from, folder, as, agentFile string
	to                          []string
	time                        time.Duration
	scale                       float64
	repeats                     int
	lab, asJSON                 bool
}

// labNotes are what a card of quick --lab has to say of what namespaces stand in for.
var labNotes = []record.Note{
	{About: "RDMA", Text: "not measured: namespaces have no RDMA device"},
	{About: "storage", Text: "a file of this machine, which may come from its page cache: the path to it is measured, and no drive"},
}

func (e *env) quickCommand() *cobra.Command {
	var f quickFlags
	c := &cobra.Command{
		Use:   "quick HOST",
		Short: "One minute, no file: both directions and the latency to a host, as a card to post",
		Long: `Looks at this machine and HOST, measures the fastest network that they share for
about a minute (TCP with 1 and 8 streams each way and both ways at once, the round
trip idle and under load; RDMA, if both ends have it), and prints the card. The run
folder has report.html.

--to adds CrystalDiskMark's four rows, and half a minute each: a folder of this
machine, where a share may be mounted, or HOST:FOLDER, which HOST itself asks.
A file is made in it, of 256 MiB or a quarter of the room, and removed; no other
file is touched.

A HOST is a name that ssh knows (root@nas too), or a reach: "netns A", "lab a1b2/nas".
Nothing is changed on either machine. With --lab the two are namespaces of this one.`,
		Example: `  linerate quick nas
  linerate quick nas --to /mnt/nas --to nas:/tank    a share of nas, and its drives
  linerate quick --lab
  linerate quick root@nas --as markdown
  linerate quick "netns B" --from "netns A"`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.lab && len(args) > 0:
				return fail(exitInput, fmt.Errorf("quick --lab measures two namespaces of this machine, and %s is another; leave one of the two out", args[0]))
			case f.lab && len(f.to) > 0:
				return fail(exitInput, fmt.Errorf("--to %s: quick --lab measures storage of its own; leave one of the two out", f.to[0]))
			case f.lab && f.from != "":
				return fail(exitInput, errors.New("--from: quick --lab measures two namespaces of this machine; leave one of the two out"))
			case !f.lab && len(args) != 1:
				return fail(exitInput, errors.New("name the one machine to be measured with: linerate quick HOST, such as linerate quick root@nas; or --lab to see it on this machine alone"))
			}
			return nil
		},
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if forms, _ := summary.Forms(); !slices.Contains(forms, f.as) {
				e.wrong.add(fmt.Errorf("--as %q: a card is printed as one of %s", f.as, strings.Join(forms, ", ")))
			}
			if !e.wrong.about("time") && (f.time < 100*time.Millisecond || f.time > time.Minute) {
				e.wrong.add(fmt.Errorf("--time %s: at least 100ms and at most 1m", f.time))
			}
			if f.scale != 0 && !f.lab {
				e.wrong.add(errors.New("--scale: the scale is chosen when a lab is built; add --lab"))
			} else {
				e.wrong.add(checkScale(f.scale))
			}
			if !e.wrong.about("repeats") && (f.repeats < 1 || f.repeats > 1000) {
				e.wrong.add(fmt.Errorf("--repeats %d: at least 1 and at most 1000", f.repeats))
			}
			if err := e.wrong.err(); err != nil {
				return err
			}
			return e.quick(c.Context(), args, f)
		},
	}
	c.Flags().BoolVar(&f.lab, "lab", false, "between two namespaces of this machine, 10 Gb/s as planned (Linux)")
	c.Flags().StringVar(&f.from, "from", "", "the other end, in place of this machine")
	c.Flags().StringArrayVar(&f.to, "to", nil, "storage: a folder of this machine (or of --from), or HOST:FOLDER; several")
	c.Flags().DurationVar(&f.time, "time", quickWindow, "the steady window of each repeat; of RDMA and storage half of it")
	c.Flags().Float64Var(&f.scale, "scale", 0, "in the lab: the share of every planned rate, such as 0.1 (default: as calibrated)")
	c.Flags().IntVar(&f.repeats, "repeats", quickRepeats, "repeats of every measurement; to compare two runs: at least 4")
	c.Flags().StringVarP(&f.folder, "output", "o", "", "the run folder, new or empty")
	c.Flags().StringVar(&f.as, "as", "text", "the card's form: text, markdown, bbcode, csv or json")
	c.Flags().StringVar(&f.agentFile, "agent", "", "the program to send to the host, instead of this one")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the whole record as one JSON object, and no card")
	return c
}

func (e *env) quick(ctx context.Context, hosts []string, f quickFlags) error {
	own := runFlags{folder: f.folder, scale: f.scale, agentFile: f.agentFile, asJSON: f.asJSON}
	l := &looker{agentFile: f.agentFile}
	defer l.close()
	if f.lab {
		own.lab = newLab
		w := summary.Wanted{Storage: []summary.Stored{{By: "here", Of: "there.disk"}}}
		return e.quickRun(ctx, quickOrder{text: []byte(quickFabric), wanted: w, notes: labNotes, span: mostSpan}, own, f, l)
	}
	from := f.from
	if from == "" {
		from = "local"
	}
	if err := l.named("quick", []string{from, hosts[0]}); err != nil {
		return err
	}
	switch n := len(l.ends.from); n {
	case 2:
	case 1:
		return fail(exitInput, errors.New("quick measures between two machines, and both of these are this one; linerate quick --lab shows it on this machine alone"))
	default:
		return fail(exitInput, fmt.Errorf("quick measures between two machines, and these are %d; linerate init, then run, measures many", n))
	}
	stores, err := l.stores(f.to, hosts[0])
	if err != nil {
		return err
	}
	machines, err := l.look(ctx)
	if err != nil {
		return err
	}
	l.rename(machines)
	catalog, err := e.catalog("")
	if err != nil {
		return err
	}
	d, err := draft(machines[0].Name+"-"+machines[1].Name, machines, catalog)
	if err != nil {
		return err
	}
	d.Nets = d.Nets[:1]
	o, err := e.quickEnds(ctx, d, l, stores)
	if err != nil {
		return err
	}
	return e.quickRun(ctx, o, own, f, l)
}

// quickOrder is what quick measures.
type quickOrder struct {
	text   []byte         // the fabric file
	wanted summary.Wanted // without its ends, which are the file's two hosts
	notes  []record.Note
	span   unit.Bytes // of the file in which storage is measured
}

// quickRun measures what a card shows between the two hosts of a fabric, and prints it.
func (e *env) quickRun(ctx context.Context, o quickOrder, own runFlags, f quickFlags, l *looker) error {
	catalog, err := e.catalog("")
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
		window := f.time
		if x.Method == run.Verbs || x.Method == run.Block {
			window = max(window/2, 100*time.Millisecond) // there are more of them, and nothing of theirs has to grow
		}
		x.Axes = append(x.Axes, fabric.Axis{Key: "time", Values: []string{timeAxis(window)}})
		if x.Method == run.Block {
			x.Axes = append(x.Axes, fabric.Axis{Key: "span", Values: []string{o.span.String()}})
		}
	}
	p := plan.Build(read)
	cells, err := run.Cells(p, run.Options{Repeats: f.repeats, Lab: f.lab})
	if err != nil {
		return err
	}
	folder, head, err := e.folder(p, own, "", cells)
	if err != nil {
		return err
	}
	defer folder.Close()
	quiet := *e
	if !f.asJSON {
		quiet.out = io.Discard // the card takes the place of the report
	}
	head.Notes = o.notes
	j := &job{env: &quiet, plan: p, cells: cells, folder: folder, run: head, flags: own, kept: true, once: true}
	if !f.lab {
		j.clients = l.clients
		j.reachOf = l.reachOf
	}
	failed := j.do(ctx)
	e.told, e.toldIn = quiet.told, quiet.toldIn
	if quiet.told == nil || f.asJSON {
		return failed
	}
	cards := summary.Of(quiet.told)
	if len(cards) == 0 {
		return errors.Join(failed, fmt.Errorf("nothing was measured that a card shows; linerate report %s says why", folder.Path))
	}
	out, err := summary.Write(summary.Set{Cards: cards[:1]}, f.as)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(e.out, out); err != nil {
		return err
	}
	fmt.Fprintf(e.err, "report  %s\n", clean(filepath.Join(folder.Path, runfolder.ReportName)))
	return failed
}

// timeAxis is a time as a fabric file has it: 1m0s, as Go writes it, is none.
func timeAxis(d time.Duration) string { return fmt.Sprintf("%dms", d.Milliseconds()) }

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

	"linerate/card"
	"linerate/fabric"
	"linerate/plan"
	"linerate/result"
	"linerate/run"
)

const (
	quickWindow  = 2 * time.Second
	quickRepeats = 2
)

// quickFabric is what quick --lab measures.
const quickFabric = `fabric: quick
hosts:
  here: {os: linux, nics: {card: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
  there: {os: linux, nics: {card: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [here.card, there.card], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
`

// quickFlags are the flags of the verb quick.
type quickFlags struct {
	from, folder, as, agentFile string
	time                        time.Duration
	lab, asJSON                 bool
}

func (e *env) quickCommand() *cobra.Command {
	var f quickFlags
	c := &cobra.Command{
		Use:   "quick HOST",
		Short: "One minute, no file: both directions and the latency to a host, as a card to post",
		Long: `Looks at this machine and HOST, measures the fastest network that they share for
about a minute (TCP with 1 and 8 streams each way and both ways at once, the round
trip idle and under load), and prints the card. The run folder has report.html.

A HOST is a name that ssh knows (root@nas too), or a reach: "netns A", "lab a1b2/nas".
Nothing is changed on either machine. With --lab the two are namespaces of this one.`,
		Example: `  linerate quick nas
  linerate quick --lab
  linerate quick root@nas --as markdown
  linerate quick "netns B" --from "netns A"`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case f.lab && len(args) > 0:
				return fail(exitInput, fmt.Errorf("quick --lab measures two namespaces of this machine, and %s is another; leave one of the two out", args[0]))
			case f.lab && f.from != "":
				return fail(exitInput, errors.New("--from: quick --lab measures two namespaces of this machine; leave one of the two out"))
			case !f.lab && len(args) != 1:
				return fail(exitInput, errors.New("name the one machine to be measured with: linerate quick HOST, such as linerate quick root@nas; or --lab to see it on this machine alone"))
			}
			return nil
		},
		Annotations: map[string]string{checksItself: "yes"},
		RunE: func(c *cobra.Command, args []string) error {
			if forms, _ := card.Forms(); !slices.Contains(forms, f.as) {
				e.wrong.add(fmt.Errorf("--as %q: a card is printed as one of %s", f.as, strings.Join(forms, ", ")))
			}
			if !e.wrong.about("time") && (f.time < 100*time.Millisecond || f.time > time.Minute) {
				e.wrong.add(fmt.Errorf("--time %s: at least 100ms and at most 1m", f.time))
			}
			if err := e.wrong.err(); err != nil {
				return err
			}
			return e.quick(c.Context(), args, f)
		},
	}
	c.Flags().BoolVar(&f.lab, "lab", false, "between two namespaces of this machine, 10 Gb/s as planned (Linux)")
	c.Flags().StringVar(&f.from, "from", "", "the other end, in place of this machine")
	c.Flags().DurationVar(&f.time, "time", quickWindow, "the steady window of each of the two repeats")
	c.Flags().StringVarP(&f.folder, "output", "o", "", "the run folder, new or empty")
	c.Flags().StringVar(&f.as, "as", "text", "the card's form: text, markdown, bbcode, csv or json")
	c.Flags().StringVar(&f.agentFile, "agent", "", "the program to send to the host, instead of this one")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print the whole record as one JSON object, and no card")
	return c
}

func (e *env) quick(ctx context.Context, hosts []string, f quickFlags) error {
	own := runFlags{folder: f.folder, agentFile: f.agentFile, asJSON: f.asJSON}
	var text []byte
	l := &looker{agentFile: f.agentFile}
	defer l.close()
	if f.lab {
		own.lab = newLab
		text = []byte(quickFabric)
	} else {
		from := f.from
		if from == "" {
			from = "local"
		}
		if err := l.named([]string{from, hosts[0]}); err != nil {
			return err
		}
		if n := len(l.ends.from); n != 2 {
			return fail(exitInput, fmt.Errorf("quick measures between two machines, and these are %d; linerate init, then run, measures many", n))
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
		text = d.Write(time.Now(), nil)
	}
	return e.quickRun(ctx, text, own, f, l)
}

// quickRun measures what a card shows between the two hosts of a fabric, and prints it.
func (e *env) quickRun(ctx context.Context, text []byte, own runFlags, f quickFlags, l *looker) error {
	catalog, err := e.catalog("")
	if err != nil {
		return err
	}
	read, problems := fabric.Parse("quick", text, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		return fmt.Errorf("what was seen makes no fabric, which is a fault of linerate: %w", problems)
	}
	read.Experiments = card.Experiments(card.Wanted{From: read.Hosts[0].Name, To: read.Hosts[1].Name})
	for _, x := range read.Experiments {
		x.Axes = append(x.Axes, fabric.Axis{Key: "time", Values: []string{f.time.String()}})
	}
	p := plan.Build(read)
	cells, err := run.Cells(p, run.Options{Repeats: quickRepeats, Lab: f.lab})
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
	cards := card.Of(quiet.told)
	if len(cards) == 0 {
		return errors.Join(failed, fmt.Errorf("nothing was measured that a card shows; linerate report %s says why", folder.Path))
	}
	out, err := card.Write(card.Set{Cards: cards[:1]}, f.as)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(e.out, out); err != nil {
		return err
	}
	fmt.Fprintf(e.err, "report  %s\n", clean(filepath.Join(folder.Path, result.ReportName)))
	return failed
}

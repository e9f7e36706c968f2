package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
)

// checkOrder is what the verb check is asked for.
type checkOrder struct {
	file, variant, lab, captures, agentFile string
	scale                                   float64 // of the lab; 0: none
	choice                                  check.Choice
	list, asJSON, local, load               bool
	timeout                                 time.Duration
	junit                                   string // file; empty: none
}

func (e *env) checkCommand() *cobra.Command {
	var o checkOrder
	c := &cobra.Command{
		Use:   "check [FABRIC.yaml]",
		Short: "Hold what the hosts say of themselves against the plan, and against what their parts can",
		Long: `Asks every host of the file that has a reach, and lists what is not as it should be: the dearest first, each with what proves it, what it
costs, its fix, and how to take the fix back. It changes nothing. With --under-load it also sends traffic, for 2 s and only over cards whose
PCI Express is slower than it could be, and says whether that is power saving.

With --captures DIR it asks no host but reads what linerate facts FABRIC.yaml -o DIR kept (DIR/HOST.txtar, DIR/HOST.WHEN.txtar): on any
system, years later, and without a fabric file too. DIR/HOST/lspci-vvv.txt and the like, kept by hand, are recognised by name or content.

Exit code 3: a finding of severity error; 4: a host was not asked or did not answer, or what was kept could not be read, whatever
was found of the others.`,
		Example: `  linerate check fabric.yaml
  linerate check examples/mesh-10g.yaml --lab ID         the hosts of a lab that is up
  linerate check --local                                 this machine alone, without a file
  linerate check --captures captures                     what was kept, without a file
  linerate check fabric.yaml --only mtu,wrong-nic --json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if o.list {
				return e.checkList(o.asJSON)
			}
			if len(args) == 1 {
				o.file = args[0]
			}
			switch {
			case o.file == "" && o.captures == "" && !o.local:
				e.wrong.add(errors.New("name a fabric file whose hosts are to be asked, or --captures DIR with what was kept of them, or --local for this machine"))
			case o.local && (o.file != "" || o.captures != ""):
				e.wrong.add(errors.New("--local looks at this machine alone, without a file and without captures; give one of them"))
			case o.captures != "" && o.lab != "":
				e.wrong.add(errors.New("--lab asks hosts, --captures asks none; give one of them"))
			case o.file == "" && (o.lab != "" || o.variant != ""):
				e.wrong.add(errors.New("--lab and --variant are about a fabric file; name it"))
			case o.load && o.captures != "":
				e.wrong.add(errors.New("--under-load: captures cannot be loaded; what was read under load is in them if linerate facts FILE --under-load -o DIR kept it"))
			case o.load && o.file == "":
				e.wrong.add(errors.New("--under-load sends traffic between two hosts: name a fabric file with both; with one machine alone: linerate measure acceptance --loop PORT,PORT, with a cable between two of its ports"))
			}
			e.wrong.add(o.choice.Validate())
			e.wrong.add(junitFile(o.junit))
			if o.timeout <= 0 {
				e.wrong.add(fmt.Errorf("--timeout %v: write a time above 0, as 20s", o.timeout))
			}
			if err := e.wrong.err(); err != nil {
				return err
			}
			return e.check(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.variant, "variant", "", "merge a variant of the file into it; several with +")
	c.Flags().StringVar(&o.lab, "lab", "", "ask the hosts of the lab with this id, which is up, in place of the file's own reaches")
	c.Flags().BoolVar(&o.load, "under-load", false, "where PCI Express is slow at rest, read it again under 2 s of TCP between two hosts of the file: it may only save power")
	c.Flags().BoolVar(&o.local, "local", false, "this machine alone, without a file")
	c.Flags().DurationVar(&o.timeout, "timeout", connectTimeout, "cut off a host that is not reached within this time; above 20s, it may also take that much longer to answer")
	c.Flags().StringVar(&o.captures, "captures", "", "ask no host; read the captures in this folder, or this NAME.txtar")
	c.Flags().StringVar(&o.agentFile, "agent", "", "the program to send to hosts, instead of this one")
	c.Flags().StringSliceVar(&o.choice.Only, "only", nil, "only these checks")
	c.Flags().StringSliceVar(&o.choice.Skip, "skip", nil, "all but these checks")
	c.Flags().BoolVar(&o.list, "list", false, "which checks there are")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	c.Flags().StringVar(&o.junit, "junit", "", "also write the results into this file, as CI systems take those of tests")
	return c
}

func (e *env) checkList(asJSON bool) error {
	if !asJSON {
		return e.terminal().CheckList(check.Checks())
	}
	var rows []checkRow
	for _, k := range check.Checks() {
		rows = append(rows, checkRow{k.ID, k.Title, k.Why, k.Worst, k.Source})
	}
	return e.object("checks", checksJSON{rows})
}

func (e *env) check(ctx context.Context, o checkOrder) error {
	w := &check.World{}
	if o.file != "" {
		p, err := e.load(o.file, o.variant)
		if err != nil {
			return err
		}
		info, err := labOfPlan(o.lab, p)
		if err != nil {
			return err
		}
		w.Plan, o.scale = p, info.Scale
	}
	var silent, notes []record.Unknown
	var err error
	switch {
	case o.local:
		if err = e.localWorld(ctx, w); err == nil && len(o.choice.Only) == 0 {
			notes = forbidden(w.Hosts[0].Name, w.Hosts[0].Facts)
		}
	case o.captures != "":
		silent, notes, err = keptWorld(w, o.captures)
	default:
		silent, err = e.askedWorld(ctx, w, o)
	}
	if err != nil {
		return err
	}
	r := check.Run(w, o.choice)
	r.Unknown = slices.Concat(silent, notes, r.Unknown)
	if r.Unknown == nil {
		r.Unknown = []record.Unknown{} // a list in the JSON
	}
	if o.junit != "" {
		err := runfolder.WriteFile(o.junit, func(out io.Writer) error { return report.JUnit(out, checked(w, o.choice), r) })
		if err != nil {
			return fail(exitInput, fmt.Errorf("--junit: %w", err))
		}
	}
	if o.asJSON {
		err = e.object("check", r)
	} else {
		err = e.terminal().Check(checked(w, o.choice), r)
	}
	switch {
	case err != nil:
		return err
	case len(silent) > 0: // before what was found: the worst may be on the machine that is missing
		return fail(exitIncomplete, nil)
	case r.Worst() == record.Error:
		return fail(exitMissed, nil)
	}
	return nil
}

// forbidden is what this user may not read of the machine: a check that needs it has found nothing for that reason alone.
func forbidden(host string, f *facts.Facts) (out []record.Unknown) {
	for _, u := range f.Unknown {
		if strings.Contains(u.Reason, "may not read") || strings.Contains(u.Reason, "not permitted") || strings.Contains(u.Reason, "ermission denied") {
			out = append(out, record.Unknown{Subject: host + ": " + u.Subject, Reason: u.Reason})
		}
	}
	return out
}

// checked is what was looked at, for the report's head.
func checked(w *check.World, choice check.Choice) report.Checked {
	return report.Checked{What: checkedWhat(w), Machines: len(w.Hosts), Asked: choice.Asked()}
}

func checkedWhat(w *check.World) string {
	if len(w.Hosts) == 0 && w.Plan != nil {
		return w.Plan.Name
	}
	var names []string
	for _, h := range w.Hosts {
		names = append(names, h.Name)
	}
	of := ""
	if w.Plan != nil {
		of = " of " + w.Plan.Name
	}
	if len(names) > 4 {
		return fmt.Sprintf("%d hosts%s", len(names), of)
	}
	return strings.Join(names, ", ") + of
}

// askedWorld asks every host of the plan at once; those that do not answer are returned with the reason.
func (e *env) askedWorld(ctx context.Context, w *check.World, o checkOrder) (silent []record.Unknown, err error) {
	answers, err := e.askPlan(ctx, w.Plan, asking{agentFile: o.agentFile, lab: o.lab, scale: o.scale, connect: o.timeout, mask: masker(false), load: o.load})
	if err != nil {
		return nil, err
	}
	for _, a := range answers {
		switch {
		case a.facts != nil:
			w.Add(a.host, a.facts)
		default:
			silent = append(silent, record.Unknown{Subject: a.host, Reason: clean(a.err.Error())})
		}
	}
	return silent, nil
}

// localWorld looks at this machine alone.
func (e *env) localWorld(ctx context.Context, w *check.World) error {
	text, err := facts.Collect(ctx, facts.Full)
	if err != nil {
		return err
	}
	f, err := facts.Parse(masked(text, masker(false)))
	if err != nil {
		return err
	}
	w.Add(thisHost(f), f)
	return nil
}

// checksJSON is what check --list --json prints.
type checksJSON struct {
	Checks []checkRow `json:"checks"`
}

type checkRow struct {
	ID     string          `json:"id"`
	Title  string          `json:"title"`
	Why    string          `json:"why"`
	Worst  record.Severity `json:"worst"`
	Source string          `json:"source"`
}

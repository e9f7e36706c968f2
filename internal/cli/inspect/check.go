package inspect

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/host/collect"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/checks"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
	"linerate/internal/report"
	"linerate/internal/report/format"
)

// CheckOptions are the options of the command check.
type CheckOptions struct {
	File, Variant, Lab, Snapshots, AgentFile string
	scale                                    float64 // of the lab; 0: none
	Choice                                   check.Choice
	List, AsJSON, Local, Load                bool
	Timeout                                  time.Duration
	Junit                                    string // file; empty: none
}

// CheckList prints all checks.
func CheckList(e *cli.Env, asJSON bool) error {
	if !asJSON {
		return report.PrintCheckList(e.Terminal(), checks.All())
	}
	var rows []checkRow
	for _, k := range checks.All() {
		rows = append(rows, checkRow{k.ID, k.Title, k.Why, k.Worst, k.Source})
	}
	return e.PrintObject("checks", checksJSON{rows})
}

// CheckHosts checks hosts and prints the findings.
func CheckHosts(ctx context.Context, e *cli.Env, o CheckOptions) error {
	w := &check.World{}
	if o.File != "" {
		p, err := e.Load(o.File, o.Variant)
		if err != nil {
			return err
		}
		info, err := inventory.LabOf(o.Lab, p)
		if err != nil {
			return err
		}
		w.Plan, o.scale = p, info.Scale
	}
	var silent, notes []record.Unknown
	var err error
	switch {
	case o.Local:
		if err = localWorld(ctx, e, w); err == nil && len(o.Choice.Only) == 0 {
			notes = Forbidden(w.Hosts[0].Name, w.Hosts[0].Facts)
		}
	case o.Snapshots != "":
		silent, notes, err = inventory.ReadKept(w, o.Snapshots)
	default:
		silent, err = askedWorld(ctx, e, w, o)
	}
	if err != nil {
		return err
	}
	return CheckWorld(e, o, w, silent, notes)
}

// CheckWorld checks machines whose facts are there, and prints the findings. silent are machines and files that could
// not be read, notes are oddities of the others.
func CheckWorld(e *cli.Env, o CheckOptions, w *check.World, silent, notes []record.Unknown) error {
	var err error
	r := check.Run(checks.All(), w, o.Choice)
	r.Unknown = slices.Concat(silent, notes, r.Unknown)
	if r.Unknown == nil {
		r.Unknown = []record.Unknown{} // never null in the JSON
	}
	if o.Junit != "" {
		err := runfolder.WriteFile(o.Junit, func(out io.Writer) error { return report.JUnit(out, checked(w, o.Choice), r) })
		if err != nil {
			return cli.Fail(cli.ExitInput, fmt.Errorf("--junit: %w", err))
		}
	}
	if o.AsJSON {
		err = e.PrintObject("check", r)
	} else {
		err = report.PrintCheck(e.Terminal(), checked(w, o.Choice), r)
	}
	switch {
	case err != nil:
		return err
	case len(silent) > 0: // before the findings: the worst may be on the machine that is missing
		return cli.Fail(cli.ExitIncomplete, nil)
	case r.Worst() == record.Error:
		return cli.Fail(cli.ExitMissed, nil)
	}
	return nil
}

// Forbidden lists the facts that this user may not read: a check that needs one finds nothing.
func Forbidden(host string, f *facts.Facts) (out []record.Unknown) {
	for _, u := range f.Unknown {
		if strings.Contains(u.Reason, "may not read") || strings.Contains(u.Reason, "not permitted") ||
			strings.Contains(u.Reason, "ermission denied") {
			out = append(out, record.Unknown{Subject: host + ": " + u.Subject, Reason: u.Reason})
		}
	}
	return out
}

// checked is what was checked, for the report's header.
func checked(w *check.World, choice check.Choice) report.Checked {
	next := ""
	if w.Plan != nil && w.Plan.Fabric != nil && w.Plan.Fabric.Path != "" {
		next = "linerate run " + format.Command([]string{w.Plan.Fabric.Path})
	}
	return report.Checked{What: checkedWhat(w), Machines: len(w.Hosts), Asked: choice.Asked(checks.All()), Next: next}
}

func checkedWhat(w *check.World) string {
	if len(w.Hosts) == 0 && w.Plan != nil {
		return w.Plan.Name
	}
	names := xslices.Map(w.Hosts, func(h *check.Host) string { return h.Name })
	of := ""
	if w.Plan != nil {
		of = " of " + w.Plan.Name
	}
	if len(names) > 4 {
		return fmt.Sprintf("%d hosts%s", len(names), of)
	}
	return strings.Join(names, ", ") + of
}

// askedWorld queries every host of the plan at once; those that do not answer are returned with the reason.
func askedWorld(ctx context.Context, e *cli.Env, w *check.World, o CheckOptions) (silent []record.Unknown, err error) {
	answers, err := inventory.Ask(ctx, e, w.Plan,
		inventory.Options{AgentFile: o.AgentFile, Lab: o.Lab, Scale: o.scale, Connect: o.Timeout,
			Mask: inventory.NewMasker(false), Load: o.Load})
	if err != nil {
		return nil, err
	}
	for _, a := range answers {
		switch {
		case a.Facts != nil:
			w.Add(a.Host, a.Facts)
		default:
			silent = append(silent, record.Unknown{Subject: a.Host, Reason: cli.Clean(a.Err.Error())})
		}
	}
	return silent, nil
}

// localWorld reads the facts of this machine.
func localWorld(ctx context.Context, e *cli.Env, w *check.World) error {
	text, err := collect.Collect(ctx, facts.Full, e.Getenv(collect.SourcesVariable))
	if err != nil {
		return err
	}
	f, err := read.Parse(inventory.Masked(text, inventory.NewMasker(false)))
	if err != nil {
		return err
	}
	w.Add(inventory.ThisHost(f), f)
	return nil
}

// checksJSON is the JSON of check --list.
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

// ChecksType is the type of the JSON of linerate check --list.
func ChecksType() reflect.Type {
	return reflect.TypeFor[checksJSON]()
}

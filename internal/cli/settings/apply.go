package settings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/plan"
	"linerate/internal/device/config"
	linux "linerate/internal/device/linux/render"
	"linerate/internal/device/render"
	"linerate/internal/host/apply"
	"linerate/internal/host/connect"
	"linerate/internal/record/runfolder"
)

// ApplyOptions are the options of the command apply.
type ApplyOptions struct {
	File, Variant, Lab, Folder       string
	fabric                           string // its name
	Hosts                            []string
	Timer                            time.Duration
	DryRun, Control, Persist, AsJSON bool
}

// applied is a host in the JSON of an apply.
type applied struct {
	Host        string   `json:"host"`
	Ended       string   `json:"ended"` // as-planned, applied, undone, stuck, not-known; not-started: see error
	Why         string   `json:"why"`
	Differences []string `json:"differences"` // before
	Unknown     []string `json:"unknown"`
	Log         []string `json:"log"`
	Undo        string   `json:"undo,omitempty"` // folder on this side
	Error       string   `json:"error,omitempty"`

	to   string // its connection, or that of its simulated host in a lab
	job  *apply.Job
	look apply.Look
	// looked: the folder on the host belongs to this apply.
	looked bool
}

// Apply sets hosts up as planned.
func Apply(ctx context.Context, e *cli.Env, o ApplyOptions) error {
	p, err := e.Load(o.File, o.Variant)
	if err != nil {
		return err
	}
	if err := PrintProblems(e, p); err != nil {
		return err
	}
	if _, err := inventory.LabOf(o.Lab, p); err != nil {
		return err
	}
	o.fabric = p.Name
	all, err := applyJobs(p, o)
	if err != nil {
		return err
	}
	defer func() {
		for _, a := range all {
			if a.job.Connection != nil {
				a.job.Connection.Close()
			}
		}
	}()
	err = applyAll(ctx, e, o, all)
	if o.AsJSON {
		return errors.Join(e.PrintObject("apply", map[string]any{"fabric": p.Name, "hosts": all}), err)
	}
	return err
}

// applyJobs makes a job of every named host; it reports all errors together.
func applyJobs(p *plan.Plan, o ApplyOptions) ([]*applied, error) {
	set := render.Render(p)
	var all []*applied
	var wrong []error
	seen := map[string]bool{}
	for _, name := range o.Hosts {
		h, d := p.Host(name), set.Device(name)
		to := ""
		if h != nil {
			to = inventory.ConnectionOf(h, o.Lab)
		}
		switch {
		case seen[name]:
			continue
		case h == nil:
			wrong = append(wrong, fmt.Errorf("%s: the fabric has no host of that name", name))
		case d == nil || !d.Applies:
			wrong = append(wrong, cli.Advise(
				fmt.Errorf("%s: apply is for Linux hosts, this one is %s", name, systemOf(h)),
				fmt.Sprintf("linerate config %s -o DIR writes its files and the order to do it by hand", o.File)))
		case to == "":
			wrong = append(wrong, cli.Advise(fmt.Errorf("%s: it has no connection in the file", name),
				fmt.Sprintf("write connect: ssh root@%s", name)))
		}
		seen[name] = true
		if d == nil {
			continue
		}
		scripts := map[string]string{}
		for i := range d.Files {
			if f := &d.Files[i]; f.Name != "README.md" {
				scripts[f.Name] = f.Text()
			}
		}
		all = append(all, &applied{
			Host:        name,
			to:          to,
			Differences: []string{},
			Unknown:     []string{},
			Log:         []string{},
			Ended:       "not-started",
			job: &apply.Job{Scripts: scripts, Folder: apply.Folder(p.Name, name), Patience: int(o.Timer.Seconds()),
				State: linux.StateDir(p.Name, name)},
		})
	}
	if len(wrong) > 0 {
		return nil, cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	return all, nil
}

func systemOf(h *plan.Host) string {
	return cmp.Or(h.OS, "of a system that the file does not say")
}

func applyAll(ctx context.Context, e *cli.Env, o ApplyOptions, all []*applied) error {
	failed, refused := false, false
	refuse := func(a *applied, why string) {
		refused = true
		a.Error = strings.TrimPrefix(a.Error+"; ", "; ") + "refused: " + cli.Clean(why)
		fmt.Fprintf(e.Err, "%s: refused: %s\n", a.Host, cli.Clean(why))
	}
	for _, a := range all {
		if err := lookAt(ctx, e, o, a); err != nil {
			a.Error = cli.Clean(err.Error())
			fmt.Fprintf(e.Err, "%s: %s\n", a.Host, a.Error)
			failed = true
			continue
		}
		if !a.look.AsPlanned && a.look.OverControl() && !o.Control && !o.DryRun {
			why := "the connection to the host comes in over " + a.look.Control + ", which is to change" +
				"; reach it another way, or give --allow-control-link: the host goes back by itself if it is lost"
			if a.look.ControlWhy != "" {
				why = "it is not known over which interface the connection to the host comes in (" + a.look.ControlWhy +
					"); --allow-control-link goes on: the host goes back by itself if it is lost"
			}
			refuse(a, why)
		}
		if o.Persist && a.look.Fleeting != "" {
			why := "nothing that is installed on this host outlives a reboot: " + a.look.Fleeting + "; leave out --persist"
			if o.Lab != "" {
				why += ", or write guest: systemd on the host in the fabric file and build the lab again"
			}
			refuse(a, why)
		}
	}
	for _, a := range all {
		if a.looked && (a.look.AsPlanned && !o.Persist || refused || failed || o.DryRun) {
			if err := a.job.Forget(ctx); err != nil {
				return err
			}
		}
	}
	switch {
	case refused:
		return cli.Fail(cli.ExitRefused, nil)
	case failed:
		return cli.Fail(cli.ExitIncomplete, nil)
	case o.DryRun:
		return nil
	}
	if o.Folder == "" {
		o.Folder = "undo-" + o.fabric + "-" + time.Now().Format("20060102-150405")
	}
	for _, a := range all {
		if a.look.AsPlanned && !o.Persist {
			continue
		}
		if !a.look.AsPlanned {
			if err := applyTo(ctx, e, o, a); err != nil {
				return err
			}
		}
		if o.Persist {
			if err := installFiles(ctx, e, o, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookAt opens the host's connection and reports the differences to the plan.
func lookAt(ctx context.Context, e *cli.Env, o ApplyOptions, a *applied) error {
	spec, err := connect.ParseFile(a.to)
	if err != nil {
		return err
	}
	if spec.Kind == connect.TCP {
		return cli.Advise(errors.New("a connection over tcp starts an agent and no command"),
			"reach the host over ssh")
	}
	if a.job.Connection, err = connect.Open(ctx, spec); err != nil {
		return err
	}
	if a.look, err = a.job.Look(ctx); err != nil {
		return err
	}
	a.looked = true
	a.Differences, a.Unknown = append(a.Differences, a.look.Differences...), append(a.Unknown, a.look.Unknown...)
	switch {
	case a.look.AsPlanned:
		a.Ended, a.Why = string(apply.AsPlanned), "nothing is to change"
		fmt.Fprintf(textOf(e, o), "%s: as planned, nothing is to change\n", a.Host)
	default:
		for _, d := range append(a.look.Differences, a.look.Unknown...) {
			fmt.Fprintf(textOf(e, o), "%s: %s\n", a.Host, config.Plain(d))
		}
	}
	return nil
}

// textOf is the stream for progress: not mixed with JSON.
func textOf(e *cli.Env, o ApplyOptions) io.Writer {
	if o.AsJSON {
		return e.Err
	}
	return e.Out
}

func applyTo(ctx context.Context, e *cli.Env, o ApplyOptions, a *applied) error {
	a.job.Say = func(s string) { fmt.Fprintf(textOf(e, o), "%s: %s\n", a.Host, cli.Clean(s)) }
	got, err := a.job.Run(ctx)
	if err != nil {
		a.Error = cli.Clean(err.Error())
		return cli.Fail(cli.ExitIncomplete, fmt.Errorf("%s: %w", a.Host, err))
	}
	a.Ended, a.Why, a.Log = string(got.Ended), cli.Clean(got.Why), append(a.Log, got.Log...)
	if got.Saved != nil {
		a.Undo = filepath.Join(o.Folder, a.Host)
		if err := saveUndo(a.Undo, got.Saved); err != nil {
			return fmt.Errorf("%s: it is applied; the undo could not be kept on this side: %w", a.Host, err)
		}
	}
	for _, l := range got.Log {
		fmt.Fprintf(textOf(e, o), "  %s\n", cli.Clean(l))
	}
	switch got.Ended {
	case apply.Applied:
		fmt.Fprintf(textOf(e, o), "%s: applied; %s. Back: sh %s/undo.sh there; what was before is also in %s\n",
			a.Host, a.Why, a.job.Folder, a.Undo)
		return nil
	case apply.Undone:
		fmt.Fprintf(textOf(e, o), "%s: undone, and as it was before: %s\n", a.Host, a.Why)
	case apply.Stuck:
		fmt.Fprintf(textOf(e, o), "%s: NOT as before: %s; look at %s there\n", a.Host, a.Why, a.job.Folder)
	default:
		fmt.Fprintf(textOf(e, o), "%s: not known: %s\n", a.Host, a.Why)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return cli.Fail(cli.ExitIncomplete, nil)
}

// installFiles installs the files that survive a reboot, on a host that is as planned.
func installFiles(ctx context.Context, e *cli.Env, o ApplyOptions, a *applied) error {
	err := a.job.Persist(ctx)
	if a.look.AsPlanned {
		err = errors.Join(err, a.job.Forget(ctx))
	}
	if err != nil {
		a.Error = cli.Clean(err.Error())
		return cli.Fail(cli.ExitIncomplete,
			fmt.Errorf("%s: %s, but nothing that outlives a reboot was installed: %w", a.Host, a.Ended, err))
	}
	fmt.Fprintf(textOf(e, o), "%s: the files that outlive a reboot are installed\n", a.Host)
	return nil
}

// saveUndo saves the undo files of a host on this machine.
func saveUndo(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			return err
		}
		if err := runfolder.WriteFile(filepath.Join(dir, name),
			func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return err
		}
	}
	return nil
}

// ApplyType is the type of the JSON of linerate apply.
func ApplyType() reflect.Type {
	return reflect.TypeFor[struct {
		Fabric string     `json:"fabric"`
		Hosts  []*applied `json:"hosts"`
	}]()
}

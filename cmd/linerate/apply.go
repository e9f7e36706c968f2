package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/config"
	"linerate/internal/config/device"
	"linerate/internal/config/linux"
	"linerate/internal/design/plan"
	"linerate/internal/host/apply"
	"linerate/internal/host/connect"
	"linerate/internal/record/runfolder"
)

// applyOrder is what the verb apply is asked for.
type applyOrder struct {
	file, variant, lab, folder       string
	fabric                           string // its name
	hosts                            []string
	timer                            time.Duration
	dryRun, control, persist, asJSON bool
}

func (e *env) applyCommand() *cobra.Command {
	var o applyOrder
	c := &cobra.Command{
		Use:   "apply FABRIC.yaml HOST...",
		Short: "Make Linux hosts follow the plan; each goes back by itself if it does not hold",
		Long: `Shows what is not as planned on each host, applies its config over its reach, verifies it, and keeps the undo on both sides.
A timer on the host takes everything back when the verification fails, or when nobody has asked for it for 60 s (--timer): a wrong
address, a cut connection or a controller that was killed locks nobody out.

Without --persist nothing outlives a reboot of the host. With it the files that do are installed once all is verified, also
on a host that is as planned already. In a lab that takes a host with guest: systemd; others have no files that last.
What is shown is what linerate config FABRIC.yaml --explain HOST explains line by line.`,
		Example: `  linerate apply examples/mesh-10g.yaml homelab --dry-run
  linerate apply fabric.yaml nas pc
  linerate apply examples/mesh-10g.yaml nas --lab ID      on the host's double in a lab that is up`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			o.file, o.hosts = args[0], args[1:]
			if o.timer < 5*time.Second || o.timer > 10*time.Minute {
				return fail(exitInput, fmt.Errorf("--timer %v: a host waits 5s to 10m to be asked", o.timer))
			}
			return e.apply(c.Context(), o)
		},
	}
	c.Flags().StringVar(&o.variant, "variant", "", "merge a variant of the file into it; several with +")
	c.Flags().StringVar(&o.lab, "lab", "", "apply to the hosts of the lab with this id, which is up, in place of the file's own reaches")
	c.Flags().StringVarP(&o.folder, "output", "o", "", "folder for the undo on this side (default ./undo-FABRIC-TIME)")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what is not as planned and end")
	c.Flags().BoolVar(&o.control, "allow-control-link", false, "also where the connection to the host comes in over what changes")
	c.Flags().DurationVar(&o.timer, "timer", apply.Patience*time.Second, "how long a host waits to be asked before it takes everything back, 5s to 10m")
	c.Flags().BoolVar(&o.persist, "persist", false, "also install the files that outlive a reboot, once all is verified")
	c.Flags().BoolVar(&o.asJSON, "json", false, "print one JSON object")
	return c
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

	to   string // its reach, or that of its double in a lab
	job  *apply.Job
	look apply.Look
	// looked says that its folder on the host is this apply's.
	looked bool
}

func (e *env) apply(ctx context.Context, o applyOrder) error {
	p, err := e.load(o.file, o.variant)
	if err != nil {
		return err
	}
	if err := e.configProblems(p); err != nil {
		return err
	}
	if _, err := labOfPlan(o.lab, p); err != nil {
		return err
	}
	o.fabric = p.Name
	all, err := applyJobs(p, o)
	if err != nil {
		return err
	}
	defer func() {
		for _, a := range all {
			if a.job.Reach != nil {
				a.job.Reach.Close()
			}
		}
	}()
	err = e.applyAll(ctx, o, all)
	if o.asJSON {
		return errors.Join(e.object("apply", map[string]any{"fabric": p.Name, "hosts": all}), err)
	}
	return err
}

// applyJobs makes a job of every host that was named; all that is wrong with them is said at once.
func applyJobs(p *plan.Plan, o applyOrder) ([]*applied, error) {
	set := config.Render(p)
	var all []*applied
	var wrong []error
	seen := map[string]bool{}
	for _, name := range o.hosts {
		h, d := p.Host(name), set.Device(name)
		to := ""
		if h != nil {
			to = reachOf(h, o.lab)
		}
		switch {
		case seen[name]:
			continue
		case h == nil:
			wrong = append(wrong, fmt.Errorf("%s: the fabric has no host of that name", name))
		case d == nil || d.File("apply.sh") == nil || d.Family != "linux":
			wrong = append(wrong, fmt.Errorf("%s: apply is for Linux hosts, this one is %s; linerate config %s -o DIR writes its files and the order to do it by hand", name, systemOf(h), o.file))
		case to == "":
			wrong = append(wrong, fmt.Errorf("%s: it has no reach in the file; write reach: ssh root@%s", name, name))
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
		all = append(all, &applied{Host: name, to: to, Differences: []string{}, Unknown: []string{}, Log: []string{}, Ended: "not-started",
			job: &apply.Job{Scripts: scripts, Folder: apply.Folder(p.Name, name), Patience: int(o.timer.Seconds()),
				State: linux.StateDir(p.Name, name)}})
	}
	if len(wrong) > 0 {
		return nil, fail(exitInput, errors.Join(wrong...))
	}
	return all, nil
}

func systemOf(h *plan.Host) string {
	if h.OS == "" {
		return "of a system that the file does not say"
	}
	return h.OS
}

func (e *env) applyAll(ctx context.Context, o applyOrder, all []*applied) error {
	failed, refused := false, false
	refuse := func(a *applied, why string) {
		refused = true
		a.Error = strings.TrimPrefix(a.Error+"; ", "; ") + "refused: " + clean(why)
		fmt.Fprintf(e.err, "%s: refused: %s\n", a.Host, clean(why))
	}
	for _, a := range all {
		if err := e.lookAt(ctx, o, a); err != nil {
			a.Error = clean(err.Error())
			fmt.Fprintf(e.err, "%s: %s\n", a.Host, a.Error)
			failed = true
			continue
		}
		if !a.look.AsPlanned && a.look.OverControl() && !o.control && !o.dryRun {
			why := "the connection to the host comes in over " + a.look.Control + ", which is to change" +
				"; reach it another way, or give --allow-control-link: the host goes back by itself if it is lost"
			if a.look.ControlWhy != "" {
				why = "it is not known over which interface the connection to the host comes in (" + a.look.ControlWhy +
					"); --allow-control-link goes on: the host goes back by itself if it is lost"
			}
			refuse(a, why)
		}
		if o.persist && a.look.Fleeting != "" {
			why := "nothing that is installed on this host outlives a reboot: " + a.look.Fleeting + "; leave out --persist"
			if o.lab != "" {
				why += ", or write guest: systemd on the host in the fabric file and build the lab anew"
			}
			refuse(a, why)
		}
	}
	for _, a := range all {
		if a.looked && (a.look.AsPlanned && !o.persist || refused || failed || o.dryRun) {
			if err := a.job.Forget(ctx); err != nil {
				return err
			}
		}
	}
	switch {
	case refused:
		return fail(exitRefused, nil)
	case failed:
		return fail(exitIncomplete, nil)
	case o.dryRun:
		return nil
	}
	if o.folder == "" {
		o.folder = "undo-" + o.fabric + "-" + time.Now().Format("20060102-150405")
	}
	for _, a := range all {
		if a.look.AsPlanned && !o.persist {
			continue
		}
		if !a.look.AsPlanned {
			if err := e.applyTo(ctx, o, a); err != nil {
				return err
			}
		}
		if o.persist {
			if err := e.install(ctx, o, a); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookAt opens the host's reach and says what is not as planned there.
func (e *env) lookAt(ctx context.Context, o applyOrder, a *applied) error {
	spec, err := connect.ParseFile(a.to)
	if err != nil {
		return err
	}
	if spec.Kind == connect.TCP {
		return errors.New("a reach over tcp starts an agent and no command; reach the host over ssh")
	}
	if a.job.Reach, err = connect.Open(ctx, spec); err != nil {
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
		fmt.Fprintf(e.text(o), "%s: as planned, nothing is to change\n", a.Host)
	default:
		for _, d := range append(a.look.Differences, a.look.Unknown...) {
			fmt.Fprintf(e.text(o), "%s: %s\n", a.Host, device.Plain(d))
		}
	}
	return nil
}

// text is where what happens is told: not among JSON.
func (e *env) text(o applyOrder) io.Writer {
	if o.asJSON {
		return e.err
	}
	return e.out
}

func (e *env) applyTo(ctx context.Context, o applyOrder, a *applied) error {
	a.job.Say = func(s string) { fmt.Fprintf(e.text(o), "%s: %s\n", a.Host, clean(s)) }
	got, err := a.job.Run(ctx)
	if err != nil {
		a.Error = clean(err.Error())
		return fail(exitIncomplete, fmt.Errorf("%s: %w", a.Host, err))
	}
	a.Ended, a.Why, a.Log = string(got.Ended), clean(got.Why), append(a.Log, got.Log...)
	if got.Saved != nil {
		a.Undo = filepath.Join(o.folder, a.Host)
		if err := saveUndo(a.Undo, got.Saved); err != nil {
			return fmt.Errorf("%s: it is applied; the undo could not be kept on this side: %w", a.Host, err)
		}
	}
	for _, l := range got.Log {
		fmt.Fprintf(e.text(o), "  %s\n", clean(l))
	}
	switch got.Ended {
	case apply.Applied:
		fmt.Fprintf(e.text(o), "%s: applied; %s. Back: sh %s/undo.sh there; what was before is also in %s\n",
			a.Host, a.Why, a.job.Folder, a.Undo)
		return nil
	case apply.Undone:
		fmt.Fprintf(e.text(o), "%s: taken back, and as it was before: %s\n", a.Host, a.Why)
	case apply.Stuck:
		fmt.Fprintf(e.text(o), "%s: NOT as before: %s; look at %s there\n", a.Host, a.Why, a.job.Folder)
	default:
		fmt.Fprintf(e.text(o), "%s: not known: %s\n", a.Host, a.Why)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fail(exitIncomplete, nil)
}

// install puts the files in place that outlive a reboot, on a host that is as planned by now.
func (e *env) install(ctx context.Context, o applyOrder, a *applied) error {
	err := a.job.Persist(ctx)
	if a.look.AsPlanned {
		err = errors.Join(err, a.job.Forget(ctx))
	}
	if err != nil {
		a.Error = clean(err.Error())
		return fail(exitIncomplete, fmt.Errorf("%s: %s, but nothing that outlives a reboot was installed: %w", a.Host, a.Ended, err))
	}
	fmt.Fprintf(e.text(o), "%s: the files that outlive a reboot are installed\n", a.Host)
	return nil
}

// saveUndo keeps what takes a host back on this side.
func saveUndo(dir string, files map[string]string) error {
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			return err
		}
		if err := runfolder.WriteFile(filepath.Join(dir, name), func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			return err
		}
	}
	return nil
}

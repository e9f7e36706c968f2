package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/report"
	"linerate/internal/run"
)

// labInfo is what a run records of its lab.
func labInfo(i lab.Info) *record.Lab {
	return &record.Lab{ID: i.ID, Scale: i.Scale, Calibrated: i.Calibrated, Shaped: i.Shaped, Emulated: i.Emulated, Guests: i.GuestNames()}
}

// newLab is what --lab without an id means: a lab of this run's own.
const newLab = "new"

// useLab points the run at the lab of its flag: one that is up, or one of its
// own that dies with this program.
func (j *job) useLab(ctx context.Context, cfg *run.Config) (down func(), err error) {
	if j.flags.lab == newLab {
		return j.ownLab(ctx, cfg)
	}
	info, err := lab.Find(j.flags.lab)
	if err != nil {
		return nil, fail(exitInput, err)
	}
	if info.Fabric != j.plan.Name {
		return nil, fail(exitInput, fmt.Errorf("--lab=%s: that lab is of the fabric %s, the file is %s", info.ID, info.Fabric, j.plan.Name))
	}
	withoutGuests(j.plan, j.cells, info)
	withoutPrograms(j.plan, j.cells, info)
	j.withoutModules(j.plan, j.cells, info)
	run.FitGuests(j.cells, isGuest(info))
	makeVolumes(j.plan, j.cells, info.ID)
	j.run.Lab = labInfo(info)
	cfg.Lab = j.run.Lab
	cfg.Reach = func(host string) (connect.Spec, error) {
		return connect.Spec{Kind: connect.Lab, Lab: info.ID, Name: host}, nil
	}
	return func() {}, nil
}

// ownLab brings the fabric up for this run alone and points the run at it.
func (j *job) ownLab(ctx context.Context, cfg *run.Config) (down func(), err error) {
	fmt.Fprintf(j.news(), "lab: building %s and %s\n", report.Count(len(j.plan.Hosts), "host"), report.Count(len(j.plan.Links), "link"))
	start := time.Now()
	scale := j.flags.scale
	if j.run.Lab != nil {
		scale = j.run.Lab.Scale // a resumed run keeps to the scale of its first part
	}
	l, err := lab.Up(ctx, j.plan, j.labOptions(j.plan, j.cells, scale))
	if err != nil {
		return nil, err
	}
	j.guestTrouble(l, j.flags.guests.folder)
	if err := sameGuests(j.run.Lab, l.Info); err != nil {
		return nil, errors.Join(err, l.Down())
	}
	fmt.Fprintln(j.news(), labLine(l.Info, time.Since(start)))
	withoutGuests(j.plan, j.cells, l.Info)
	withoutPrograms(j.plan, j.cells, l.Info)
	j.withoutModules(j.plan, j.cells, l.Info)
	run.FitGuests(j.cells, isGuest(l.Info))
	makeVolumes(j.plan, j.cells, l.Info.ID)
	j.run.Lab = labInfo(l.Info)
	j.run.Lab.Offloads = j.flags.offloads
	cfg.Lab = j.run.Lab
	cfg.Reach = func(host string) (connect.Spec, error) { return l.Reach(host), nil }
	cfg.SetMTU = setMTU(l.Info.ID)
	return func() {
		if err := l.Down(); err != nil {
			fmt.Fprintf(j.err, "linerate: %v\n", err)
		}
	}, nil
}

// labOptions are those of a lab of this run's own.
func (j *job) labOptions(p *plan.Plan, cells []*run.Cell, scale float64) lab.Options {
	o := j.flags.guests.options(p, measuredNeeds(p, cells))
	o.Scale, o.Busy, o.Say = scale, busy(j.cells), j.say
	return o
}

// setMTU is how a lab gives the path of a cell another MTU for as long as it is measured.
func setMTU(id string) func(context.Context, *run.Cell, int) (func() error, error) {
	return func(_ context.Context, c *run.Cell, mtu int) (func() error, error) {
		return lab.SetMTU(id, c.Path, mtu)
	}
}

func labLine(i lab.Info, took time.Duration) string {
	s := fmt.Sprintf("lab %s: up in %s, %s scale", i.ID, unit.Seconds(took.Seconds()), unit.Scale(i.Scale))
	guests := i.GuestNames()
	switch {
	case i.Calibrated > 0 && len(guests) > 0:
		s += fmt.Sprintf(" (this machine carries at most %s between a guest and another host)", i.Calibrated)
	case i.Calibrated > 0:
		s += fmt.Sprintf(" (this machine carries %s between two namespaces)", i.Calibrated)
	}
	if len(guests) > 0 {
		s += "; guests: " + strings.Join(guests, ", ")
	}
	if i.Share != nil {
		s += fmt.Sprintf("; at %s they have %s", lab.ShareAt, clean(i.Share.String()))
	}
	return s
}

// busy is the most that runs at once in any cell.
func busy(cells []*run.Cell) unit.BitRate {
	var most unit.BitRate
	for _, c := range cells {
		if c.Exp.NotRun != "" {
			continue
		}
		most = max(most, c.Busy())
	}
	return most
}

// checkScale refuses what is no share of a rate, NaN included.
func checkScale(scale float64) error {
	if scale >= 0 && scale <= 1 {
		return nil
	}
	return fail(exitInput, fmt.Errorf("--scale %v: a share of the planned rates is above 0 and at most 1; write one such as 0.1", scale))
}

const offloadsUsage = "in the lab: whether every card merges packets (tso, gso, gro): on or off (default: as the file and the kernel have it)"

// checkOffloads refuses what is neither on nor off.
func checkOffloads(s string) error {
	if s == "" || s == "on" || s == "off" {
		return nil
	}
	return fail(exitInput, fmt.Errorf("--offloads %s: write on or off", s))
}

func (e *env) labCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "The fabric on this machine, out of network namespaces (Linux)",
		Example: `  linerate lab up examples/mesh-10g.yaml
  linerate lab exec desktop -- ip addr
  linerate lab down`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(e.labUp(), e.labList(), e.labExec(), e.labReboot(), e.labDown(), e.labBuild(), e.labFault(), e.labExam())
	return c
}

func (e *env) labUp() *cobra.Command {
	var variant, offloads string
	var scale float64
	var asJSON bool
	var guests guestFlags
	c := &cobra.Command{
		Use: "up FABRIC.yaml", Short: "Build a fabric; it stays until lab down", Args: cobra.ExactArgs(1),
		Annotations: map[string]string{findsFabric: "yes"},
		Long: `Builds a fabric on this machine, out of network namespaces. It stays until lab down.
For scripts, --json prints one object: its id names the lab for lab exec, lab down
and run --lab=ID.

Guests are hosts that are whole machines (QEMU), with a kernel of their own: those
with guest: true in the file; with --guests=needed also those whose experiments need
what namespaces lack (RDMA; the kernel's SMB, NFS, iSCSI and NVMe over TCP); with
--guests every host. Each takes 512 MB and some seconds, and where the processor is
emulated the lab's rates get smaller.

--share shows guests a folder of this machine at ` + lab.ShareAt + `, read-only; with :rw behind
its name they write into it. Namespaces see all of this machine's files where they are.`,
		Example: `  linerate lab up examples/mesh-10g.yaml
  linerate lab up examples/mesh-10g.yaml --guests=needed
  linerate lab up examples/mesh-10g.yaml --guests --share /srv/files:rw`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkScale(scale); err != nil {
				return err
			}
			if err := checkOffloads(offloads); err != nil {
				return err
			}
			if err := guests.check(); err != nil {
				return fail(exitInput, err)
			}
			p, err := e.loadWith(args[0], variant, offloads)
			if err != nil {
				return err
			}
			if err := guests.seen(arm{plan: p}); err != nil {
				return err
			}
			cells, err := run.Cells(p, run.Options{Sources: true, Lab: true})
			if err != nil {
				return err
			}
			start := time.Now()
			o := guests.options(p, nil)
			o.Detach, o.Scale, o.Busy, o.Say = true, scale, busy(cells), e.say
			l, err := lab.Up(c.Context(), p, o)
			if err != nil {
				return err
			}
			e.guestTrouble(l, guests.folder)
			e.withoutModules(p, cells, l.Info)
			if text := guests.hint(p, l.Info, l.Lacking != nil); text != "" {
				fmt.Fprintf(e.err, "linerate: %s\n", clean(text))
			}
			if asJSON {
				return e.object("lab", l.Info)
			}
			fmt.Fprintln(e.out, labLine(l.Info, time.Since(start)))
			fmt.Fprintf(e.out, "hosts: %s\n", strings.Join(l.Info.Hosts, ", "))
			fmt.Fprintf(e.out, "try:   linerate lab exec %s/%s -- ip addr\n       linerate lab down %s\n", l.Info.ID, l.Info.Hosts[0], l.Info.ID)
			return nil
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "merge a variant of the file into it; several with +")
	guests.add(c.Flags(), "")
	c.Flags().Float64Var(&scale, "scale", 0, "the share of every planned rate, such as 0.1 (default: as calibrated)")
	c.Flags().StringVar(&offloads, "offloads", "", offloadsUsage)
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object; its id is what other commands take")
	return c
}

func (e *env) labList() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "The labs of this machine, with those that were left behind", Args: cobra.NoArgs,
		Example: "  linerate lab list\n  linerate lab list --json",
		RunE: func(*cobra.Command, []string) error {
			labs, err := lab.List()
			if err != nil {
				return err
			}
			if asJSON {
				return e.object("labs", map[string]any{"labs": append([]lab.Summary{}, labs...)}) // never null
			}
			if len(labs) == 0 {
				fmt.Fprintln(e.out, "no lab is up")
			}
			for _, l := range labs {
				state := unit.Scale(l.Scale) + " scale"
				switch {
				case l.Stray != "":
					state = "left behind: " + l.Stray + "; remove it with: linerate lab down " + l.ID
				case !l.Ready:
					state = "coming up"
				}
				fmt.Fprintf(e.out, "%s  %s  %s  %s\n", l.ID, clean(l.Fabric), labHosts(l), state)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// labHosts is what a lab is made of: "3 hosts, 2 guests: nas, ws".
func labHosts(l lab.Summary) string {
	s := report.Count(len(l.Hosts), "host")
	if len(l.Guests) > 0 {
		s += ", " + report.Count(len(l.Guests), "guest") + ": " + clean(strings.Join(l.Guests, ", "))
	}
	if len(l.Failed) > 0 {
		s += ", " + report.Count(len(l.Failed), "guest") + " that did not come up: " + clean(strings.Join(l.Failed, ", "))
	}
	if l.Share != nil {
		s += ", share: " + clean(l.Share.String())
	}
	return s
}

func (e *env) labExec() *cobra.Command {
	return &cobra.Command{
		Use: "exec [ID/]HOST -- COMMAND..", Short: "Run a command on a host of a lab; the exit code is the command's own", Args: cobra.MinimumNArgs(2),
		Example: "  linerate lab exec nas -- ip -br address      of the only lab that is up\n  linerate lab exec a1b2/nas -- ss -tni        of lab a1b2",
		RunE: func(c *cobra.Command, args []string) error {
			spec, err := connect.Parse("lab " + args[0])
			if err != nil {
				return fail(exitInput, err)
			}
			r, err := connect.Open(c.Context(), spec)
			if err != nil {
				return notThere(err)
			}
			defer r.Close()
			p, err := r.Start(c.Context(), connect.Command{Argv: args[1:], Stdin: e.in, Stdout: e.out, Stderr: e.err})
			if err != nil {
				return notThere(err)
			}
			code, err := p.Wait()
			if err != nil {
				return err
			}
			if code != 0 {
				return fail(code, nil)
			}
			return nil
		},
	}
}

func (e *env) labDown() *cobra.Command {
	return &cobra.Command{
		Use: "down [ID]", Short: "Take a lab down with everything in it; without ID the only one", Args: cobra.MaximumNArgs(1),
		Example: "  linerate lab down\n  linerate lab down a1b2",
		RunE: func(_ *cobra.Command, args []string) error {
			labs, err := lab.List()
			if err != nil {
				return err
			}
			id := strings.Join(args, "")
			if id == "" {
				switch len(labs) {
				case 0:
					return fail(exitInput, errors.New("no lab is up; there is nothing to take down"))
				case 1:
				default:
					return fail(exitInput, fmt.Errorf("%d labs are up; name one: linerate lab list shows them", len(labs)))
				}
				id = labs[0].ID
			}
			if !slices.ContainsFunc(labs, func(l lab.Summary) bool { return l.ID == id }) {
				return fail(exitInput, fmt.Errorf("no lab %s is up; linerate lab list shows those that are", clean(id)))
			}
			if err := lab.Down(id); err != nil {
				return err
			}
			fmt.Fprintf(e.out, "lab %s is down\n", id)
			return nil
		},
	}
}

// notThere gives the error of a lab or host that does not exist the code of a wrong input.
func notThere(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return fail(exitInput, err)
	}
	return err
}

// object prints one JSON object with its schema.
func (e *env) object(kind string, body any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(b, &fields); err != nil {
		return errors.Join(errors.New("not an object"), err)
	}
	fields["schema"] = json.RawMessage(fmt.Sprintf("%q", "linerate/"+kind+"/1"))
	b, err = json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return err
	}
	_, err = e.out.Write(append(b, '\n'))
	return err
}

// say tells what takes long while it is under way.
func (e *env) say(text string) { fmt.Fprintln(e.err, clean(text)) }

package job

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/record"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
	"linerate/internal/run/storage"
)

// labInfo is the lab in the record of a run.
func labInfo(i lab.Info) *record.Lab {
	return &record.Lab{ID: i.ID, Scale: i.Scale, Calibrated: i.Calibrated, Shaped: i.Shaped,
		Emulated: i.Emulated, Guests: i.GuestNames()}
}

// NewLab is the value of Flags.Lab for a lab that is built for this run.
const NewLab = "new"

// ChooseLab sets Lab from the two flags of the command line.
func (f *Flags) ChooseLab() error {
	switch {
	case f.BuildsLab && f.InLab != "":
		return cli.Advise(fmt.Errorf("--lab builds a lab, and --in-lab %s uses one that is up", f.InLab),
			"give one of the two")
	case f.BuildsLab:
		f.Lab = NewLab
	default:
		f.Lab = f.InLab
	}
	return nil
}

// useLab runs in the lab of the flag: a running one, or a new one that ends with this program.
func (j *Job) useLab(ctx context.Context, cfg *run.Config) (down func(), err error) {
	if j.Flags.Lab == NewLab {
		return j.ownLab(ctx, cfg)
	}
	info, err := lab.Find(j.Flags.Lab)
	if err != nil {
		return nil, cli.Fail(cli.ExitInput, err)
	}
	if info.Fabric != j.Plan.Name {
		return nil, cli.Fail(cli.ExitInput,
			fmt.Errorf("--in-lab %s: that lab is of the fabric %s, the file is %s", info.ID, info.Fabric, j.Plan.Name))
	}
	WithoutGuests(j.Plan, j.Combinations, info)
	withoutPrograms(j.Plan, j.Combinations, info)
	withoutModules(j.Env, j.Plan, j.Combinations, info)
	storage.FitGuests(j.Combinations, isGuest(info))
	makeVolumes(j.Plan, j.Combinations, info.ID)
	j.Run.Lab = labInfo(info)
	cfg.Lab = j.Run.Lab
	cfg.Connection = func(host string) (connect.Spec, error) {
		return connect.Spec{Kind: connect.Lab, Lab: info.ID, Name: host}, nil
	}
	return func() {}, nil
}

// ownLab builds the fabric for this run and runs in it.
func (j *Job) ownLab(ctx context.Context, cfg *run.Config) (down func(), err error) {
	fmt.Fprintf(j.news(), "lab: building %s and %s\n", unit.Counted(len(j.Plan.Hosts), "host"),
		unit.Counted(len(j.Plan.Links), "link"))
	start := time.Now()
	scale := j.Flags.Scale
	if j.Run.Lab != nil {
		scale = j.Run.Lab.Scale // a resumed run keeps its scale
	}
	l, err := lab.Up(ctx, j.Plan, j.labOptions(j.Plan, j.Combinations, scale))
	if err != nil {
		return nil, err
	}
	guestTrouble(j.Env, l, j.Flags.Guests.folder)
	if err := sameGuests(j.Run.Lab, l.Info); err != nil {
		return nil, errors.Join(err, l.Down())
	}
	fmt.Fprintln(j.news(), labLine(l.Info, time.Since(start)))
	WithoutGuests(j.Plan, j.Combinations, l.Info)
	withoutPrograms(j.Plan, j.Combinations, l.Info)
	withoutModules(j.Env, j.Plan, j.Combinations, l.Info)
	storage.FitGuests(j.Combinations, isGuest(l.Info))
	makeVolumes(j.Plan, j.Combinations, l.Info.ID)
	j.Run.Lab = labInfo(l.Info)
	j.Run.Lab.Offloads = j.Flags.Offloads
	cfg.Lab = j.Run.Lab
	cfg.Connection = func(host string) (connect.Spec, error) { return l.Connection(host), nil }
	cfg.SetMTU = setMTU(l.Info.ID)
	return func() {
		if err := l.Down(); err != nil {
			fmt.Fprintf(j.Err, "warning: %v\n", err)
		}
	}, nil
}

// labOptions are the options of a lab for this run.
func (j *Job) labOptions(p *plan.Plan, combinations []*experiment.Combination, scale float64) lab.Options {
	o := j.Flags.Guests.Options(p, MeasuredNeeds(p, combinations))
	o.Scale, o.Busy, o.Say = scale, busy(j.Combinations), j.Say
	return o
}

// setMTU sets an MTU on the path of a combination in a lab while it is measured.
func setMTU(id string) func(context.Context, plan.Path, int) (func() error, error) {
	return func(_ context.Context, p plan.Path, mtu int) (func() error, error) {
		return lab.SetMTU(id, p, mtu)
	}
}

func labLine(i lab.Info, duration time.Duration) string {
	s := fmt.Sprintf("lab %s: up in %s, %s scale", i.ID, unit.Seconds(duration.Seconds()), unit.Scale(i.Scale))
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
		s += fmt.Sprintf("; at %s they have %s", lab.ShareAt, cli.Clean(i.Share.String()))
	}
	return s
}

// busy is the maximum rate of any combination.
func busy(combinations []*experiment.Combination) unit.BitRate {
	var highest unit.BitRate
	for _, c := range combinations {
		if c.Record.NotRun != "" {
			continue
		}
		highest = max(highest, c.Busy())
	}
	return highest
}

// CheckScale refuses what is not a share of a rate, NaN included.
func CheckScale(scale float64) error {
	if scale >= 0 && scale <= 1 {
		return nil
	}
	return cli.Fail(cli.ExitInput,
		cli.Advise(fmt.Errorf("--scale %v: a share of the planned rates is above 0 and at most 1", scale),
			"write one such as 0.1"))
}

// OffloadsUsage is the help of --offloads.
const OffloadsUsage = "in the lab: whether every NIC merges packets (tso, gso, gro): on or off (default: as the " +
	"file and the kernel have it)"

// checkOffloads refuses other values than on and off.
func checkOffloads(s string) error {
	if s == "" || s == "on" || s == "off" {
		return nil
	}
	return cli.Fail(cli.ExitInput, fmt.Errorf("--offloads %s: write on or off", s))
}

// BuiltLine describes a built part: path, size and duration.
func BuiltLine(what string, p lab.BuiltPart) string {
	if len(p.Names) > 0 {
		what += " " + strings.Join(p.Names, ", ")
	}
	how := "built in"
	if !p.Built {
		how = "in the cache and whole, checked in"
	}
	return fmt.Sprintf("%s: %s, for kernel %s, %s %s\n  %s", what, unit.Bytes(p.Bytes), p.Kernel, how,
		unit.Seconds(p.Seconds), p.Folder)
}

// LabHosts describes a lab: "3 hosts, 2 guests: nas, ws".
func LabHosts(l lab.Summary) string {
	s := unit.Counted(len(l.Hosts), "host")
	if len(l.Guests) > 0 {
		s += ", " + unit.Counted(len(l.Guests), "guest") + ": " + cli.Clean(strings.Join(l.Guests, ", "))
	}
	if len(l.Failed) > 0 {
		s += ", " + unit.Counted(len(l.Failed), "guest") + " that did not come up: " + cli.Clean(strings.Join(l.Failed, ", "))
	}
	if l.Share != nil {
		s += ", share: " + cli.Clean(l.Share.String())
	}
	return s
}

package job

import (
	"context"
	"fmt"
	"strings"
	"time"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
)

// LabOptions are the options of the command lab up.
type LabOptions struct {
	Variant, Offloads string
	Scale             float64 // share of every planned rate; 0: as calibrated
	AsJSON            bool
	Guests            GuestFlags
}

// BuildLab builds a fabric on this machine and prints its parts.
func BuildLab(ctx context.Context, e *cli.Env, file string, f LabOptions) error {
	if err := CheckScale(f.Scale); err != nil {
		return err
	}
	if err := checkOffloads(f.Offloads); err != nil {
		return err
	}
	if err := f.Guests.Check(); err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	p, err := e.LoadWith(file, f.Variant, f.Offloads)
	if err != nil {
		return err
	}
	if err := f.Guests.seen(Arm{plan: p}); err != nil {
		return err
	}
	combinations, err := run.Combinations(p, experiment.Options{Sources: true, Lab: true})
	if err != nil {
		return err
	}
	start := time.Now()
	o := f.Guests.Options(p, nil)
	o.Detach, o.Scale, o.Busy, o.Say = true, f.Scale, busy(combinations), e.Say
	l, err := lab.Up(ctx, p, o)
	if err != nil {
		return err
	}
	guestTrouble(e, l, f.Guests.folder)
	withoutModules(e, p, combinations, l.Info)
	if text := f.Guests.Hint(p, l.Info, l.Missing != nil); text != "" {
		fmt.Fprintf(e.Err, "warning: %s\n", cli.Clean(text))
	}
	if f.AsJSON {
		return e.PrintObject("lab", l.Info)
	}
	fmt.Fprintln(e.Out, labLine(l.Info, time.Since(start)))
	fmt.Fprintf(e.Out, "hosts: %s\n", strings.Join(l.Info.Hosts, ", "))
	fmt.Fprintf(e.Out, "try:   linerate lab exec %s/%s -- ip addr\n       linerate lab down %s\n", l.Info.ID,
		l.Info.Hosts[0], l.Info.ID)
	return nil
}

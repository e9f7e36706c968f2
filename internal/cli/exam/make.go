package exam

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"linerate/internal/cli"
	"linerate/internal/lab"
	"linerate/internal/lab/fault"
)

// FaultOptions are the options of the command lab fault.
type FaultOptions struct {
	Lab, Only, Variant string // the id of a lab, an experiment by name, a variant of the file
	Delay              time.Duration
	Set                map[string]string // parameters, as typed
	Seed               uint64
	AsJSON             bool
}

// MakeFault injects one fault into a lab and prints it.
func MakeFault(ctx context.Context, e *cli.Env, args []string, o FaultOptions) error {
	if len(args) < 2 {
		return cli.Fail(cli.ExitInput, cli.Advise(errors.New("missing FABRIC.yaml and FAULT"),
			"linerate lab fault examples/exam.yaml receive-buffer").Note("linerate lab fault --list shows the faults"))
	}
	f := fault.Find(args[1])
	if f == nil {
		return cli.Fail(cli.ExitInput, cli.Advise(fmt.Errorf("no fault %q", cli.Clean(args[1])),
			"linerate lab fault --list shows them"))
	}
	values := f.Draw(rand.New(rand.NewPCG(o.Seed, 0)))
	var wrong []error
	for name, text := range o.Set {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--set %s=%s: write a number in base units, such as 0.5 or 65536", name, text))
		}
		values[name] = v
	}
	if wrong = append(wrong, f.Check(values)...); len(wrong) > 0 {
		return cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	if f.Make == nil {
		return cli.Fail(cli.ExitInput, fmt.Errorf(
			"fault %s breaks nothing in a lab: it is an experiment of the fabric file with %s, which lab exam --faults %[1]s "+
				"runs", f.ID, settingWords(f.Settings(values))))
	}
	p, combination, err := faultCombination(e, args[0], o.Variant, o.Only)
	if err != nil {
		return err
	}
	info, err := lab.Find(o.Lab)
	if err != nil {
		return cli.Fail(cli.ExitInput, err)
	}
	if info.Fabric != p.Name {
		return cli.Fail(cli.ExitInput, fmt.Errorf("lab %s is of the fabric %s, the file is %s", info.ID, info.Fabric, p.Name))
	}
	path := combination.Path
	place, err := faultPlace(ctx, e, p, path, info)
	if err != nil {
		return err
	}
	if o.Delay < 0 || o.Delay > 0 && place.Switch == "" {
		return cli.Fail(cli.ExitInput,
			cli.Advise(fmt.Errorf("--delay %v: it is put behind the switch of a path, above 0", o.Delay)).
				Note(fmt.Sprintf("the path from %s to %s has %s",
					path.From, path.To, map[bool]string{true: "none", false: "one"}[place.Switch == ""])))
	}
	if f.Scenario == fault.Jumbo && place.MTU < jumboMTU {
		return cli.Fail(cli.ExitInput, fmt.Errorf(
			"fault %s is of links with an MTU of %d, and the path from %s to %s has %d: linerate lab up %s --variant jumbo, "+
				"and --variant jumbo here", f.ID, jumboMTU, path.From, path.To, place.MTU, args[0]))
	}
	if place.Source = combination.Record.Settings["source"]; f.Scenario == fault.File && place.Source == "" {
		return cli.Fail(cli.ExitInput, fmt.Errorf(
			"fault %s is of an experiment that sends a file, and %s has no source: linerate lab up %s --variant file, and "+
				"--variant file here", f.ID, combination.Record.Name, args[0]))
	}
	if missing := place.Missing(f); len(missing) > 0 {
		return cli.Fail(cli.ExitInput,
			fmt.Errorf("fault %s needs %s, which the path from %s to %s does not have", f.ID, strings.Join(missing, " and "),
				path.From, path.To))
	}
	if f.Scenario.HasNICs() {
		place.NICs()
	}
	if f.Scenario == fault.File {
		place.Drive()
	}
	if f.Scenario.Guests() {
		place.Steady()
	}
	if o.Delay > 0 {
		place.Wire("--delay", o.Delay.String())
	}
	f.Make(place, values)
	place.Start()
	if place.Err != nil {
		return errors.Join(append([]error{place.Err}, place.Back()...)...)
	}
	if err := keepUndo(info.ID, place.Undo); err != nil {
		return errors.Join(append([]error{err}, place.Back()...)...)
	}
	if o.AsJSON {
		return e.PrintObject("fault", madeJSON{f.ID, f.Cause, values, place.Done, place.Undo})
	}
	fmt.Fprintf(e.Out, "%s: %s\n", f.ID, f.Title)
	for _, p := range f.Parameters {
		fmt.Fprintf(e.Out, "  %s %s\n", p.Name, p.Text(values[p.Name]))
	}
	for _, s := range place.Done {
		fmt.Fprintf(e.Out, "%s: %s\n", s.Host, cli.Clean(s.Script))
	}
	if f.Scenario == fault.Far && o.Delay == 0 {
		fmt.Fprintln(e.Out, "it binds over a distance: with --delay 5ms the ends are that far apart")
	}
	if f.Transport != "" {
		fmt.Fprintf(e.Out, "it shows in an experiment over %s, paced below the link's rate\n", strings.ToUpper(f.Transport))
	}
	fmt.Fprintf(e.Out, "a verdict should say: %s\nundo:  linerate lab fault --undo --in-lab %s\n", f.Cause, info.ID)
	return nil
}

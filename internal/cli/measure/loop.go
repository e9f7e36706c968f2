package measure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/host/connect"
	"linerate/internal/host/loopback"
)

// checkLoop parses --loop and its flags.
func (f Flags) checkLoop(of string, wrong *cli.Errors) {
	if len(f.loop) == 0 {
		for flag, there := range map[string]bool{"allow-in-use": len(f.inUse) > 0, "dry-run": f.dryRun} {
			if there {
				wrong.Add(cli.Advise(fmt.Errorf("--%s: it is about the ports of --loop", flag),
					"name those: --loop PORT,PORT"))
			}
		}
		return
	}
	switch {
	case len(f.loop) != 2 || f.loop[0] == "" || f.loop[1] == "":
		wrong.Add(fmt.Errorf("--loop %s: it takes the two ports that a cable joins, as --loop enp1s0f0,enp1s0f1",
			strings.Join(f.loop, ",")))
	case f.loop[0] == f.loop[1]:
		wrong.Add(
			cli.Advise(fmt.Errorf("--loop %s,%s: it is one port", f.loop[0], f.loop[1])).
				Note("a cable has two ends, as enp1s0f0,enp1s0f1"))
	}
	if !method.Named(of).BoundsErrors {
		wrong.Add(cli.Advise(fmt.Errorf("--loop: it is of acceptance, not of %s", of),
			fmt.Sprintf("write linerate measure acceptance --loop %s", strings.Join(f.loop, ","))))
	}
	for _, flag := range []string{"from", "to", "to-address", "traffic", "compare-with"} {
		if slices.Contains(f.Given, flag) || flag == "to" && len(f.To) > 0 {
			wrong.Add(cli.Advise(fmt.Errorf("--%s: --loop names both ends already", flag),
				"omit one"))
		}
	}
	for _, port := range f.inUse {
		if !slices.Contains(f.loop, port) {
			wrong.Add(fmt.Errorf("--allow-in-use %s: it is not a port of --loop %s", port, strings.Join(f.loop, ",")))
		}
	}
}

// loopEnds are both ports as the hosts of a measurement.
func (f Flags) loopEnds() inventory.Ends {
	e := inventory.Ends{Connection: map[string]connect.Spec{}, Flag: map[string]string{}}
	taken := map[string]bool{}
	for i, port := range f.loop {
		spec := connect.Spec{Kind: connect.Loop, Name: port}
		name := inventory.Unused(inventory.Name(spec), taken)
		taken[name], e.Connection[name], e.Flag[name] = true, spec, "loop"
		if i == 0 {
			e.From = []string{name}
		} else {
			e.To = []string{name}
		}
	}
	return e
}

// openLoop moves the ports of --loop into namespaces, after it has printed what that does. nil without an error: it was
// a dry run.
func openLoop(ctx context.Context, e *cli.Env, f Flags, at inventory.Ends) (*loopback.Loop, error) {
	ports, err := loopback.Look([2]string(f.loop))
	if err != nil {
		return nil, cli.Fail(cli.ExitInput, fmt.Errorf("--loop: %w", err))
	}
	lines := loopback.Plan(ports)
	switch {
	case f.dryRun && f.asJSON:
		err = e.PrintObject("loop", map[string]any{"ports": ports, "text": lines})
	case f.dryRun:
		_, err = fmt.Fprintln(e.Out, cli.Clean(strings.Join(lines, "\n")))
	default:
		for _, line := range lines {
			e.Note(line)
		}
	}
	if err != nil {
		return nil, err
	}
	var used []error
	for _, p := range ports {
		if len(p.InUse) > 0 && !slices.Contains(f.inUse, p.Name) {
			used = append(used,
				cli.Advise(
					fmt.Errorf("--loop: %s carries %s: whoever uses that is cut off while the port is away",
						p.Name, unit.List(p.InUse))).
					Note(fmt.Sprintf("if that may be, give --allow-in-use %s as well", p.Name)))
		}
	}
	if len(used) > 0 {
		return nil, cli.Fail(cli.ExitRefused, errors.Join(used...))
	}
	if f.dryRun {
		return nil, nil
	}
	l, err := loopback.Open(ctx, ports, func(text string) { e.Note("loop: " + text) })
	if err != nil {
		return nil, loopFailed(ctx, err)
	}
	for i, name := range []string{at.From[0], at.To[0]} {
		spec := at.Connection[name]
		spec.File = l.Files[i]
		at.Connection[name] = spec
	}
	return l, nil
}

// loopFailed is the failure to move the ports: interrupted, or one of the link.
func loopFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return cli.Fail(cli.ExitInterrupted, errors.New(
			"interrupted while the ports were on their way; "+strings.TrimPrefix(err.Error(), ctx.Err().Error()+"\n")))
	}
	return cli.Fail(cli.ExitIncomplete, fmt.Errorf("--loop: %w", err))
}

// closeLoop restores the ports and reports it. died: the owner had ended in the middle of the measurement.
func closeLoop(e *cli.Env, l *loopback.Loop, died bool, failed error) error {
	err := l.Close()
	if died {
		failed = cli.Fail(cli.ExitFailed, cli.Advise(
			errors.New("the process that held the ports' network namespaces was ended in the middle")).
			Note("what was measured is not whole"))
	}
	if err != nil {
		return errors.Join(failed, cli.Fail(cli.ExitFailed, err))
	}
	e.Note(fmt.Sprintf("loop: %s and %s are back, as they were", l.Ports[0].Name, l.Ports[1].Name))
	return failed
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/host/connect"
	"linerate/internal/host/loopback"
	"linerate/internal/report"
	"linerate/internal/run"
)

// checkLoop reads --loop and what goes with it.
func (f measureFlags) checkLoop(method string, wrong *mistakes) {
	if len(f.loop) == 0 {
		for flag, there := range map[string]bool{"allow-in-use": len(f.inUse) > 0, "dry-run": f.dryRun} {
			if there {
				wrong.add(fmt.Errorf("--%s: it is about the ports of --loop; name those: --loop PORT,PORT", flag))
			}
		}
		return
	}
	switch {
	case len(f.loop) != 2 || f.loop[0] == "" || f.loop[1] == "":
		wrong.add(fmt.Errorf("--loop %s: it takes the two ports that a cable joins, as --loop enp1s0f0,enp1s0f1", strings.Join(f.loop, ",")))
	case f.loop[0] == f.loop[1]:
		wrong.add(fmt.Errorf("--loop %s,%s: it is one port; a cable has two ends, as enp1s0f0,enp1s0f1", f.loop[0], f.loop[1]))
	}
	if method != run.Acceptance {
		wrong.add(fmt.Errorf("--loop: it is of acceptance, not of %s; write linerate measure acceptance --loop %s", method, strings.Join(f.loop, ",")))
	}
	for _, flag := range []string{"from", "to", "to-address", "pattern", "against"} {
		if slices.Contains(f.given, flag) || flag == "to" && len(f.to) > 0 {
			wrong.add(fmt.Errorf("--%s: --loop names both ends already; leave one out", flag))
		}
	}
	for _, port := range f.inUse {
		if !slices.Contains(f.loop, port) {
			wrong.add(fmt.Errorf("--allow-in-use %s: it is no port of --loop %s", port, strings.Join(f.loop, ",")))
		}
	}
}

// loopEnds are both ports as the hosts of a measurement.
func (f measureFlags) loopEnds() ends {
	e := ends{reach: map[string]connect.Spec{}, flag: map[string]string{}}
	taken := map[string]bool{}
	for i, port := range f.loop {
		spec := connect.Spec{Kind: connect.Loop, Name: port}
		name := unused(hostName(spec), taken)
		taken[name], e.reach[name], e.flag[name] = true, spec, "loop"
		if i == 0 {
			e.from = []string{name}
		} else {
			e.to = []string{name}
		}
	}
	return e
}

// openLoop moves the ports of --loop, after it has said what that does, and gives the ends their namespaces. nil without an
// error: it was a dry run.
func (e *env) openLoop(ctx context.Context, f measureFlags, at ends) (*loopback.Loop, error) {
	ports, err := loopback.Look([2]string(f.loop))
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("--loop: %w", err))
	}
	lines := loopback.Plan(ports)
	switch {
	case f.dryRun && f.asJSON:
		err = e.object("loop", map[string]any{"ports": ports, "text": lines})
	case f.dryRun:
		_, err = fmt.Fprintln(e.out, clean(strings.Join(lines, "\n")))
	default:
		for _, line := range lines {
			e.note(line)
		}
	}
	if err != nil {
		return nil, err
	}
	var used []error
	for _, p := range ports {
		if len(p.InUse) > 0 && !slices.Contains(f.inUse, p.Name) {
			used = append(used, fmt.Errorf("--loop: %s carries %s: whoever uses that is cut off while the port is away; if that may be, give --allow-in-use %s as well", p.Name, inWords(p.InUse), p.Name))
		}
	}
	if len(used) > 0 {
		return nil, fail(exitRefused, errors.Join(used...))
	}
	if f.dryRun {
		return nil, nil
	}
	l, err := loopback.Open(ctx, ports, func(text string) { e.note("loop: " + text) })
	if err != nil {
		return nil, loopFailed(ctx, err)
	}
	for i, name := range []string{at.from[0], at.to[0]} {
		spec := at.reach[name]
		spec.File = l.Files[i]
		at.reach[name] = spec
	}
	return l, nil
}

// loopFailed is the failure to move the ports: interrupted, or one of the link.
func loopFailed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fail(exitInterrupted, errors.New("interrupted while the ports were on their way; "+strings.TrimPrefix(err.Error(), ctx.Err().Error()+"\n")))
	}
	return fail(exitIncomplete, fmt.Errorf("--loop: %w", err))
}

// closeLoop puts the ports back and says so. died: the owner had ended in the middle of the measurement.
func (e *env) closeLoop(l *loopback.Loop, died bool, failed error) error {
	err := l.Close()
	if died {
		failed = fail(exitFailed, errors.New("the process that held the ports' network namespaces was ended in the middle; what was measured is not whole"))
	}
	if err != nil {
		return errors.Join(failed, fail(exitFailed, err))
	}
	e.note(fmt.Sprintf("loop: %s and %s are back, as they were", l.Ports[0].Name, l.Ports[1].Name))
	return failed
}

// note tells something beside the progress.
func (e *env) note(text string) {
	fmt.Fprintln(e.err, clean(text))
	if e.events.Out != nil {
		e.events.Add(report.Event{Event: "note", Message: text})
	}
}

// inWords joins a list: "A, B and C".
func inWords(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

package command

import (
	"fmt"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/agent/process"
	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run/remote"
)

// result makes the repeat from the outcomes, and the output for the run folder.
func (a *Command) result(sides []*Host, asks []agent.App, together bool) (record.Repeat, []byte, error) {
	main := sides[0].Outcome
	output := joinedOutput(sides, asks)
	if main.Exit != 0 {
		lines := process.LastLines(main.Stderr.Text, main.Stdout.Text)
		if lines == "" {
			lines = "it printed nothing"
		}
		return record.Repeat{}, output, fmt.Errorf("%s: %s ended with exit code %d; its last lines: %s", a.hosts[0],
			withoutSlurm(asks[0].Argv)[0], main.Exit, lines)
	}
	got, err := a.read(main)
	if err != nil {
		return record.Repeat{}, output, fmt.Errorf("%s: no figure in the output of %s: %w; its last lines: %s", a.hosts[0],
			withoutSlurm(asks[0].Argv)[0], err, process.LastLines(main.Stdout.Text, main.Stderr.Text))
	}
	x := &record.App{Command: withoutSlurm(asks[0].Argv), Server: nil, Program: a.program.name, Figure: got.value,
		Unit: got.unit, Line: got.line, Left: main.Stdout.Left + main.Stderr.Left, OneMachine: together}
	r := record.Repeat{Seconds: main.Seconds, App: x, Slice: main.Watch.Slice, BusyFrom: main.Watch.Busy}
	if a.serve != nil {
		x.Server, r.BusyTo = asks[1].Argv, sides[1].Outcome.Watch.Busy
	}
	for _, e := range sides {
		x.Hosts = append(x.Hosts, AppHost(e))
		r.CPU = append(r.CPU, remote.CoresOf(e.Name, e.Outcome.Watch.CPU)...)
		for _, w := range e.Outcome.Watch.Warnings {
			r.Warnings = append(r.Warnings, e.Name+": "+w)
		}
		for _, u := range e.Outcome.Watch.Unknown {
			r.Unknown = append(r.Unknown, record.Unknown{Subject: e.Name + ": " + u.Subject, Reason: u.Reason})
		}
	}
	return r, output, nil
}

// read finds the figure in an output: by the file's pattern, by the ready-made program's reader, or the time.
func (a *Command) read(o *agent.AppOutcome) (reading, error) {
	read := a.program.read
	if a.figure != nil {
		read = byPattern(a.figure.Match, a.figure.Unit)
	}
	if read == nil {
		return reading{value: o.Seconds, unit: "s"}, nil
	}
	got, err := read(string(o.Stdout.Text))
	if err != nil && a.figure != nil { // some programs print their figures as messages
		if other, also := read(string(o.Stderr.Text)); also == nil {
			return other, nil
		}
	}
	if err != nil && o.Stdout.Left > 0 {
		err = fmt.Errorf("%w (%s in the middle of the output were not kept)", err, unit.Bytes(o.Stdout.Left))
	}
	return got, err
}

// joinedOutput joins the recorded outputs of all commands of a repeat.
func joinedOutput(sides []*Host, asks []agent.App) []byte {
	var b strings.Builder
	for i, x := range sides {
		if len(asks[i].Argv) == 0 || x.Outcome == nil {
			continue
		}
		for _, k := range []struct {
			name string
			kept process.Kept
		}{{"standard output", x.Outcome.Stdout}, {"standard error", x.Outcome.Stderr}} {
			if len(k.kept.Text) == 0 && i > 0 {
				continue
			}
			fmt.Fprintf(&b, "---- %s: %s: %s", x.Name, strings.Join(withoutSlurm(asks[i].Argv), " "), k.name)
			if k.kept.Left > 0 {
				fmt.Fprintf(&b, " (%d bytes in the middle were not kept)", k.kept.Left)
			}
			b.WriteString(" ----\n")
			b.Write(k.kept.Text)
			if n := len(k.kept.Text); n > 0 && k.kept.Text[n-1] != '\n' {
				b.WriteByte('\n')
			}
		}
	}
	return []byte(b.String())
}

// AppHost is the load of a host during the command.
func AppHost(e *Host) record.AppHost {
	w := e.Outcome.Watch
	h := record.AppHost{Host: e.Name, Seconds: float64(w.EndNS-w.StartNS) / 1e9}
	h.Cores = remote.CoresInUse(w.CPU)
	if w.Link == nil {
		return h
	}
	h.Interface = w.Link.Interface
	sum := func(names ...string) *int64 {
		n := int64(0)
		for _, name := range names {
			v, ok := w.Link.Counters[name]
			if !ok {
				return nil
			}
			n += v
		}
		return &n
	}
	h.Received, h.Sent = sum("rx_bytes"), sum("tx_bytes")
	h.Errors, h.Dropped = sum("rx_errors", "tx_errors"), sum("rx_dropped", "tx_dropped")
	return h
}

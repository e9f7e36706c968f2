package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/doctor"
	"linerate/internal/inspect/survey"
	"linerate/internal/record"
	"linerate/internal/report/summary"
)

// spoils are the topics of doctor that change figures; the others say what would be missing.
var spoils = []string{"load", "governor", "idle", "pcie", "mtu", "ports", "clock", "folder"}

// needsTimeout is how long an end may take to say what a run will need: a share whose server is gone answers never.
const needsTimeout = 15 * time.Second

// quickEnds looks at both ends, says what would spoil the figures, and finds what can be measured between them.
func (e *env) quickEnds(ctx context.Context, d *survey.Draft, l *looker, stores []*quickStore) (o quickOrder, err error) {
	rooms := make([][]string, 2)
	for _, s := range stores {
		rooms[s.end] = append(rooms[s.end], s.path)
	}
	needs, err := l.needs(ctx, rooms)
	if err != nil {
		return o, err
	}
	if o.span, err = l.place(ctx, d, stores, needs); err != nil {
		return o, err
	}
	for _, s := range stores {
		o.wanted.Storage = append(o.wanted.Storage, summary.Stored{By: l.ends.from[s.end], Of: s.drive})
	}
	if why := l.noRDMA(ctx, d); why == "" {
		o.wanted.RDMA = true
	} else {
		o.notes = append(o.notes, record.Note{About: "RDMA", Text: "not measured: " + why})
	}
	o.text = d.Write(time.Now(), nil)
	fmt.Fprintf(e.err, "network  %s\n", clean(d.Nets[0].String()))
	if !o.wanted.RDMA {
		fmt.Fprintf(e.err, "RDMA     %s\n", clean(o.notes[0].Text))
	}
	for _, s := range stores {
		fmt.Fprintf(e.err, "storage  %s\n", clean(s.told(l.ends.from[s.end], o.span)))
	}
	told := l.spoiled(d, needs)
	for _, t := range told {
		fmt.Fprintln(e.err, clean(t))
	}
	if len(told) > 0 {
		to := l.ends.reach[l.ends.from[1]].String()
		if name, ok := strings.CutPrefix(to, "ssh "); ok && !strings.Contains(name, " ") {
			to = name
		} else {
			to = fmt.Sprintf("%q", to)
		}
		fmt.Fprintf(e.err, "what to type against that: linerate doctor %s\n", clean(to))
	}
	return o, nil
}

// needs asks both ends at once what a run will need, and what room there is.
func (l *looker) needs(ctx context.Context, rooms [][]string) ([]facts.Needs, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, needsTimeout, fmt.Errorf("no answer within %v", needsTimeout))
	defer cancel()
	out, failed := make([]facts.Needs, 2), make([]error, 2)
	var wait sync.WaitGroup
	for i, name := range l.ends.from {
		wait.Go(func() { out[i], failed[i] = l.clients[name].Needs(ctx, doctor.Programs(), rooms[i]...) })
	}
	wait.Wait()
	for i, err := range failed {
		if err == nil {
			continue
		}
		if ctx.Err() != nil && len(rooms[i]) > 0 {
			err = fmt.Errorf("%s: %w; if a share is mounted at %s, look whether its server answers: stat -f %s", l.ends.from[i], why(ctx, err), strings.Join(rooms[i], ", "), rooms[i][0])
		}
		return nil, fail(exitIncomplete, err)
	}
	return out, nil
}

// spoiled are doctor's warnings and problems that change figures, a line each; what is said of both ends in the same words is one line.
func (l *looker) spoiled(d *survey.Draft, needs []facts.Needs) (out []string) {
	g := &doctor.Gathered{Version: version(), Folder: runFolder(".")}
	for i, h := range d.Hosts {
		client := l.clients[h.Name]
		hello := client.Hello()
		g.Hosts = append(g.Hosts, &doctor.Host{Name: h.Name, Reach: h.Reach, OS: hello.OS, Arch: hello.Arch, Version: hello.Version,
			Aligned: client.Clock().RTT / 2, Needs: &needs[i], Facts: h.Facts})
	}
	type said struct {
		state doctor.State
		text  string
	}
	of := map[said][]string{}
	var order []said
	for _, line := range doctor.Look(g) {
		if !slices.Contains(spoils, line.Topic) || line.State != doctor.Problem && line.State != doctor.Warning {
			continue
		}
		s := said{line.State, line.Text}
		if of[s] == nil {
			order = append(order, s)
		}
		of[s] = append(of[s], line.Host)
	}
	for _, s := range order {
		who := strings.TrimPrefix(strings.Join(of[s], ", ")+": ", ": ")
		out = append(out, fmt.Sprintf("%-8s %s%s", s.state, who, s.text))
	}
	return out
}

// noRDMA says why RDMA cannot be measured over the draft's network; empty: it can.
func (l *looker) noRDMA(ctx context.Context, d *survey.Draft) string {
	n := d.Nets[0]
	if why := d.RDMA(n); why != "" {
		return why
	}
	for _, end := range n.Ends {
		hello := l.clients[end.Host.Name].Hello()
		if l.clients[end.Host.Name].HasVerbs() {
			continue
		}
		if _, err := verbsProgram(ctx, hello.OS, hello.Arch); err != nil {
			return fmt.Sprintf("there is no linerate-verbs for %s: %v", end.Host.Name, err)
		}
	}
	return ""
}

// The file in which quick measures storage has a quarter of the room, and no less or more than these.
const (
	leastSpan = 16 * unit.MiB
	mostSpan  = 256 * unit.MiB
)

package quick

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/cli/job"
	"linerate/internal/cli/readiness"
	"linerate/internal/facts"
	"linerate/internal/inspect/doctor"
	"linerate/internal/inspect/survey"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/summary"
)

// spoils are the topics of doctor that affect figures; the others are about missing things.
var spoils = []string{"load", "governor", "idle", "pcie", "mtu", "ports", "clock", "folder"}

// needsTimeout is the time limit of an end's answer about what a run needs: a share whose server is gone never answers.
const needsTimeout = 15 * time.Second

// quickEnds reads both ends, reports what would spoil the figures, and finds what can be measured between them.
func quickEnds(ctx context.Context, e *cli.Env, d *survey.Draft, l *inventory.Looker,
	stores []*Store) (o quickOrder, err error) {
	rooms := make([][]string, 2)
	for _, s := range stores {
		rooms[s.End] = append(rooms[s.End], s.Path)
	}
	needs, err := needs(ctx, l, rooms)
	if err != nil {
		return o, err
	}
	if o.span, err = PlaceStores(ctx, l, d, stores, needs); err != nil {
		return o, err
	}
	for _, s := range stores {
		o.wanted.Storage = append(o.wanted.Storage, summary.Stored{By: l.Ends.From[s.End], Of: s.Drive})
	}
	if why := noRDMA(ctx, l, d); why == "" {
		o.wanted.RDMA = true
	} else {
		o.notes = append(o.notes, record.Note{About: "RDMA", Text: "not measured: " + why})
	}
	o.text = d.Write(time.Now(), survey.Experiments{})
	say(e.Err, "network", d.Nets[0].String())
	inventory.PrintIdle(e.Err, "warning  ", d)
	if !o.wanted.RDMA {
		say(e.Err, "RDMA", o.notes[0].Text)
	}
	for _, s := range stores {
		say(e.Err, "storage", s.Text(l.Ends.From[s.End], o.span))
	}
	found := spoiling(l, d, needs)
	for _, m := range found {
		say(e.Err, string(m.state), m.text)
	}
	if len(found) > 0 {
		say(e.Err, "help", "linerate doctor"+doctored(l.Ends)+" prints what to type")
	}
	return o, nil
}

// doctored returns the ends as arguments of doctor, which looks at this machine without being asked to.
func doctored(ends inventory.Ends) (out string) {
	for _, name := range ends.From {
		text := ends.Connection[name].String()
		if host, ok := strings.CutPrefix(text, "ssh "); ok && !strings.Contains(host, " ") {
			out += " " + host
		} else if text != "local" {
			out += fmt.Sprintf(" %q", text)
		}
	}
	return out
}

// say prints a text behind its label, within the columns of a terminal.
func say(w io.Writer, label, text string) {
	const columns, wide = 80, 9
	for i, line := range format.Wrap(cli.Clean(text), columns-wide) {
		fmt.Fprintf(w, "%-*s%s\n", wide, unit.If(i == 0, label, ""), line)
	}
}

// needs asks both ends at once what a run needs, and how much space there is.
func needs(ctx context.Context, l *inventory.Looker, rooms [][]string) ([]facts.Needs, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, needsTimeout, fmt.Errorf("no answer within %v", needsTimeout))
	defer cancel()
	out, failed := make([]facts.Needs, 2), make([]error, 2)
	var wait sync.WaitGroup
	for i, name := range l.Ends.From {
		wait.Go(func() { out[i], failed[i] = l.Clients[name].Needs(ctx, doctor.Programs(), rooms[i]...) })
	}
	wait.Wait()
	for i, err := range failed {
		if err == nil {
			continue
		}
		if ctx.Err() != nil && len(rooms[i]) > 0 {
			err = cli.Advise(fmt.Errorf("%s: %w", l.Ends.From[i], inventory.Why(ctx, err))).
				Note(fmt.Sprintf("if a share is mounted at %s, look whether its server answers: stat -f %s",
					strings.Join(rooms[i], ", "), rooms[i][0]))
		}
		return nil, cli.Fail(cli.ExitIncomplete, err)
	}
	return out, nil
}

// A message is a warning or a problem of doctor.
type message struct {
	state doctor.State
	text  string
}

// spoiling are doctor's warnings and problems that affect figures; the same words about both ends are one message.
func spoiling(l *inventory.Looker, d *survey.Draft, needs []facts.Needs) (out []message) {
	g := &doctor.Gathered{Version: agent.Version(), Folder: readiness.RunFolder(".")}
	for i, h := range d.Hosts {
		client := l.Clients[h.Name]
		hello := client.Hello()
		g.Hosts = append(g.Hosts,
			&doctor.Host{Name: h.Name, Connection: h.Connection, OS: hello.GOOS, Arch: hello.Arch, Version: hello.Version,
				Aligned: client.Clock().RTT / 2, Needs: &needs[i], Facts: h.Facts})
	}
	of := map[message][]string{}
	var order []message
	for _, line := range doctor.Look(g) {
		if !slices.Contains(spoils, line.Topic) || line.State != doctor.Problem && line.State != doctor.Warning {
			continue
		}
		s := message{line.State, line.Text}
		if of[s] == nil {
			order = append(order, s)
		}
		of[s] = append(of[s], line.Host)
	}
	for _, s := range order {
		who := strings.TrimPrefix(strings.Join(of[s], ", ")+": ", ": ")
		out = append(out, message{s.state, who + s.text})
	}
	return out
}

// noRDMA is why RDMA cannot be measured over the draft's network; empty: it can.
func noRDMA(ctx context.Context, l *inventory.Looker, d *survey.Draft) string {
	n := d.Nets[0]
	if why := d.RDMA(n); why != "" {
		return why
	}
	for _, end := range n.Ends {
		hello := l.Clients[end.Host.Name].Hello()
		if l.Clients[end.Host.Name].HasVerbs() {
			continue
		}
		if _, err := job.VerbsProgram(ctx, hello.GOOS, hello.Arch); err != nil {
			return fmt.Sprintf("there is no linerate-verbs for %s: %v", end.Host.Name, err)
		}
	}
	return ""
}

// The test file of quick has a quarter of the free space, within these limits.
const (
	minSpan  = 16 * unit.MiB
	MostSpan = 256 * unit.MiB
)

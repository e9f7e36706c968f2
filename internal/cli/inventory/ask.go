package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/read"
	"linerate/internal/facts/snapshot"
	"linerate/internal/host/connect"
	"linerate/internal/record/runfolder"
)

// The limits of queries.
const (
	AskedAtOnce    = 64               // hosts that are queried at once
	ConnectTimeout = 20 * time.Second // until a host is connected and its agent has started
	readTimeout    = 5 * time.Second  // until it has sent its facts
	windowsTimeout = 30 * time.Second // the same for Windows, whose script takes seconds for each family of commands
	sharedTimeout  = time.Second      // additional for every host on this machine: a lab's hosts share its CPUs
	letGo          = 2 * time.Second  // until a cancelled query ends by itself
)

// Options are the options of queries.
type Options struct {
	Folder    string // for the snapshots; empty: they are not written
	AgentFile string
	Lab       string  // id of the lab to query; empty: the file's own connections
	Scale     float64 // scale of that lab; 0: none
	Connect   time.Duration
	Read      time.Duration
	Mask      *snapshot.Masker        // nil: serial numbers and secrets stay
	Specs     map[string]connect.Spec // connections of hosts on the command line
	Load      bool                    // read PCI Express again under load where it is slow at rest
}

// Answer is the answer of one host.
type Answer struct {
	Host         string
	Snapshot     string              // the file; empty: not written
	Facts        *facts.Facts        // nil: unknown
	Err          error               // the reason
	NoConnection bool                // it was not queried
	peers        []probe.ProbeTarget // that it probes
	Text         []byte              // the raw snapshot
}

// Question is the query for one machine, with its connection.
type Question struct {
	To   string // its connection; empty: none
	Spec connect.Spec
	read time.Duration // time limit of the answer; 0: the default
	ask  func(ctx context.Context, a *Answer, spec connect.Spec, o Options) error
}

// Questions are the queries for the hosts of a plan, and outside of a lab, where switches are only simulated, for its
// switches with a connection.
func Questions(e *cli.Env, p *plan.Plan, o Options) (names []string, out []Question) {
	for _, h := range p.Hosts {
		names, out = append(names, h.Name), append(out, Question{
			To: ConnectionOf(h, o.Lab),
			ask: func(ctx context.Context, a *Answer, spec connect.Spec, o Options) error {
				a.peers = peers(p, h)
				return askHost(ctx, e, a, spec, o)
			},
		})
		if families.Traits(h.OS).PowerShell && o.Lab == "" {
			out[len(out)-1].read = windowsTimeout
		}
	}
	for _, s := range p.Switches {
		if s.Connection == "" || o.Lab != "" {
			continue
		}
		names, out = append(names, s.Name), append(out,
			Question{To: s.Connection, ask: func(ctx context.Context, a *Answer, spec connect.Spec, o Options) error {
				return askSwitch(ctx, e, a, s, spec, o)
			}})
	}
	return names, out
}

// Ask queries all hosts of a plan, and its switches that have a connection, at once, each with its own time limit: one
// that hangs is cancelled, and the others go on. The answers are in the order of the plan.
func Ask(ctx context.Context, e *cli.Env, p *plan.Plan, o Options) ([]Answer, error) {
	names, questions := Questions(e, p, o)
	out := make([]Answer, len(names))
	own := 0
	for i, name := range names {
		q := &questions[i]
		out[i].Host = name
		if q.To == "" {
			out[i].NoConnection, out[i].Err = true, cli.Advise(
				errors.New("it has no connection in the file"), "write connect: ssh root@"+name)
			continue
		}
		var given bool
		if q.Spec, given = o.Specs[name]; !given {
			q.Spec, out[i].Err = connect.ParseFile(q.To)
		}
		if out[i].Err == nil {
			// A secret may be asked for at the terminal: one after another, without a limit.
			q.Spec, out[i].Err = e.WithSecret(name, q.Spec)
		}
		switch q.Spec.Kind {
		case connect.Local, connect.Netns, connect.Lab:
			own++
		}
	}
	o.Connect = cmp.Or(o.Connect, ConnectTimeout)
	if o.Read == 0 {
		o.Read = ReadLimit(o.Connect, own)
	}
	var wait sync.WaitGroup
	places := make(chan struct{}, AskedAtOnce)
	for i := range out {
		if out[i].Err != nil {
			continue
		}
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			mine := o
			mine.Read = max(o.Read, questions[i].read)
			out[i].Err = questions[i].ask(ctx, &out[i], questions[i].Spec, mine)
		})
	}
	wait.Wait()
	if o.Load && ctx.Err() == nil {
		return out, UnderLoad(ctx, e, p, out, questions, o)
	}
	return out, ctx.Err()
}

// ReadLimit is the time limit of a host's answer. A --timeout above the default extends it by the same amount as the
// connection: a host that is slow to connect is slow to answer. own is the number of hosts on this machine.
func ReadLimit(connect time.Duration, own int) time.Duration {
	return readTimeout + time.Duration(own)*sharedTimeout + max(0, connect-ConnectTimeout)
}

// askHost queries one host, writes its snapshot and reads it. A snapshot that cannot be read is still written.
func askHost(ctx context.Context, e *cli.Env, a *Answer, spec connect.Spec, o Options) error {
	text, err := Limited(ctx, o, func(ctx context.Context, reached func()) ([]byte, error) {
		client, err := agent.Open(ctx, spec,
			agent.OpenOptions{Host: a.Host, Version: agent.Version(), AgentFile: o.AgentFile})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		reached()
		tried := make(chan []byte, 1)
		go func() { tried <- tryPeers(ctx, client, a.peers) }() // meanwhile: it mostly waits
		text, err := client.Facts(ctx, string(facts.Full))
		if err != nil {
			return nil, err
		}
		return append(text, <-tried...), nil
	})
	if err != nil {
		return err
	}
	if o.Scale != 0 {
		text = snapshot.InLab(text, o.Scale)
	}
	return a.Take(text, o)
}

// Take writes a snapshot, if snapshots are written, and reads it.
func (a *Answer) Take(text []byte, o Options) (err error) {
	a.Text = text
	text = Masked(text, o.Mask)
	if o.Folder != "" {
		name := filepath.Join(o.Folder, a.Host+".txtar")
		if err := runfolder.WriteFile(name, func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
			return err
		}
		a.Snapshot = name
	}
	a.Facts, err = read.Parse(text)
	return err
}

// Limited works with a host under two limits: until it is connected, and from then on. Work that does not end when
// cancelled is abandoned.
func Limited(ctx context.Context, o Options,
	do func(ctx context.Context, reached func()) ([]byte, error)) ([]byte, error) {
	ctx, cut := context.WithCancelCause(ctx)
	defer cut(nil)
	timer := time.AfterFunc(o.Connect, func() {
		cut(cli.Advise(fmt.Errorf("it was not reached within %v and was cut off", o.Connect),
			"raise --timeout"))
	})
	defer timer.Stop()
	type answer struct {
		text []byte
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := do(ctx, func() {
			timer.Stop()
			reading := time.AfterFunc(o.Read, func() {
				cut(fmt.Errorf("it was reached, but did not answer within %v and was cut off", o.Read))
			})
			context.AfterFunc(ctx, func() { reading.Stop() })
		})
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		return a.text, Why(ctx, a.err)
	case <-ctx.Done():
	}
	select { // it closes what it holds
	case a := <-done:
		if a.err == nil {
			return a.text, nil
		}
	case <-time.After(letGo):
	}
	return nil, context.Cause(ctx)
}

// Why returns the reason of a cancellation instead of the error that it caused.
func Why(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// Masked removes serial numbers and secrets from a snapshot; m nil: unchanged.
func Masked(snapshot []byte, m *snapshot.Masker) []byte {
	if m == nil {
		return snapshot
	}
	return m.Snapshot(snapshot)
}

// NewMasker is nil if serial numbers stay.
func NewMasker(keep bool) *snapshot.Masker {
	if keep {
		return nil
	}
	return snapshot.NewMasker()
}

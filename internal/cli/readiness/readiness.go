package readiness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/cli/inventory"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/read"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/doctor"
	"linerate/internal/report"
	"linerate/internal/run"
	"linerate/internal/run/experiment"
	"linerate/internal/storage/block"
)

// Options are the options of the command doctor.
type Options struct {
	File, AgentFile string
	InLab           string // the id of a lab that is up, whose hosts are examined
	Lab, AsJSON     bool
	Timeout         time.Duration
}

// Host is a host to examine.
type Host struct {
	doctor.Host
	spec connect.Spec
	err  error // why it cannot be queried
}

// Hosts sorts the arguments into hosts, this machine first, and a file.
func Hosts(e *cli.Env, o *Options, args []string, fileGiven bool) (out []*Host) {
	words := []string{string(connect.Local)}
	for _, word := range args {
		if !strings.HasSuffix(word, ".yaml") && !strings.HasSuffix(word, ".yml") {
			words = append(words, word)
			continue
		}
		if o.File != "" {
			e.Errors.Add(fmt.Errorf("%s and %s: one file at a time", cli.Clean(o.File), cli.Clean(word)))
		}
		o.File = word
	}
	hosts, wrong := inventory.Words("doctor", words)
	for _, err := range wrong {
		e.Errors.Add(err)
	}
	for i, host := range hosts {
		h := &Host{spec: host.Spec}
		h.Connection, h.Name, h.Here = host.Spec.String(), host.Name, i == 0
		out = append(out, h)
	}
	if fileGiven && o.File == "" {
		e.Errors.Add(errors.New("-f: name a fabric file"))
	}
	return out
}

// Look reads what a run needs on each host.
func Look(ctx context.Context, e *cli.Env, o Options, hosts []*Host) error {
	g := &doctor.Gathered{Version: agent.Version()}
	if o.File == "" && len(hosts) == 1 {
		if o.File = e.FabricFound(); o.File != "" {
			e.TellFabric(nil, []string{o.File})
		}
	}
	if o.File != "" {
		p, err := e.Load(o.File, "")
		if err != nil {
			return err
		}
		if _, err := inventory.LabOf(o.InLab, p); err != nil {
			return err
		}
		g.Plan = p
		wants := wanted(p)
		for _, h := range p.Hosts {
			if o.Lab {
				break
			}
			d := &Host{}
			d.Name, d.Wants = h.Name, wants[h.Name]
			switch {
			case o.InLab != "":
				d.spec = connect.Spec{Kind: connect.Lab, Lab: o.InLab, Name: h.Name}
				d.Connection = d.spec.String()
			case h.Connection == "":
				d.Failure = &doctor.Failure{}
			case h.Connection == "local": // this machine, under its name in the file
				hosts[0].Name, hosts[0].Wants = h.Name, wants[h.Name]
				continue
			default:
				if d.spec, d.err = connect.ParseFile(h.Connection); d.err == nil {
					d.Connection = d.spec.String()
				} else {
					d.Connection = h.Connection
				}
			}
			hosts = append(hosts, d)
		}
	}
	lookRound(ctx, e, hosts, o)
	if err := ctx.Err(); err != nil {
		return err
	}
	g.Hosts = xslices.Map(hosts, func(h *Host) *doctor.Host { return &h.Host })
	g.Folder = RunFolder(".")
	if o.Lab {
		g.Lab = labParts()
	}
	all := doctor.Look(g)
	var err error
	if o.AsJSON {
		err = e.PrintObject("doctor", map[string]any{"lines": all})
	} else {
		err = report.PrintDoctor(e.Terminal(), all)
	}
	bad, silent := doctor.Worst(all)
	switch {
	case err != nil:
		return err
	case silent:
		return cli.Fail(cli.ExitIncomplete, nil)
	case bad:
		return cli.Fail(cli.ExitMissed, nil)
	}
	return nil
}

// lookRound queries all hosts at once, each with its own limits; a host that fails has the reason afterwards.
func lookRound(ctx context.Context, e *cli.Env, hosts []*Host, o Options) {
	own := 0
	for _, h := range hosts {
		if h.err == nil && h.Connection != "" {
			h.spec, h.err = e.WithSecret(h.Name, h.spec)
		}
		switch h.spec.Kind {
		case connect.Local, connect.Netns, connect.Lab:
			own++
		}
	}
	limits := inventory.Options{AgentFile: o.AgentFile, Connect: o.Timeout, Read: inventory.ReadLimit(o.Timeout, 1+own)}
	var wait sync.WaitGroup
	places := make(chan struct{}, inventory.AskedAtOnce)
	for _, h := range hosts {
		if h.Failure != nil || h.Connection == "" {
			continue
		}
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			err := h.err
			if err == nil {
				err = h.look(ctx, limits)
			}
			if err != nil {
				h.Failure = failureOf(h.Connection, err)
			}
		})
	}
	wait.Wait()
}

// look queries one host. The result is stored only when complete: a cancelled query may still write.
func (h *Host) look(ctx context.Context, o inventory.Options) error {
	var got doctor.Host
	began := time.Now()
	_, err := inventory.Limited(ctx, o, func(ctx context.Context, reached func()) ([]byte, error) {
		client, err := agent.Open(ctx, h.spec,
			agent.OpenOptions{Host: h.Name, Version: agent.Version(), AgentFile: o.AgentFile})
		if err != nil {
			return nil, err
		}
		defer client.Close()
		reached()
		got = h.Host
		got.Took = time.Since(began)
		hello := client.Hello()
		got.OS, got.Arch, got.Version, got.Aligned = hello.GOOS, hello.Arch, hello.Version, client.Clock().RTT/2
		rooms := xslices.Map(h.Wants, func(w doctor.Want) string { return w.Path })
		needs, err := client.Needs(ctx, doctor.Programs(), rooms...)
		if err != nil {
			return nil, err
		}
		at := time.Now().UnixNano()
		got.Needs = &needs
		// The answer was on its way for at least half of the quickest round trip; the rest is unknown, and included in
		// Within.
		got.Ahead, got.Within = time.Duration(needs.WallNS-at)+got.Aligned, got.Aligned+20*time.Millisecond
		text, err := client.Facts(ctx, string(facts.Full))
		if err != nil {
			return nil, err
		}
		if got.Facts, err = read.Parse(bytes.Clone(text)); err != nil {
			return nil, err
		}
		return text, nil
	})
	if err == nil {
		h.Host = got
	}
	return err
}

// failureOf converts an error to its message and next step.
func failureOf(to string, err error) *doctor.Failure {
	f := &doctor.Failure{Said: cli.Clean(err.Error())}
	var e *connect.Error
	if errors.As(err, &e) {
		f.Try = cli.Clean(e.Try)
		if e.Do != "" || e.Say != "" {
			f.Try, f.Then = cli.Clean(e.Do), cli.Clean(e.Say)
		}
		detail := strings.ReplaceAll(e.Output, "\n", " | ")
		switch {
		case detail != "" && e.Cause != nil:
			detail = fmt.Sprintf("%v: %s", e.Cause, detail)
		case e.Cause != nil:
			detail = e.Cause.Error()
		}
		if detail != "" {
			f.Said = cli.Clean(to + ": " + detail)
		}
	} else {
		f.Said = cli.Clean(to + ": " + err.Error())
		if strings.HasPrefix(to, "ssh ") {
			f.Try = "ssh -v " + strings.TrimPrefix(to, "ssh ") + " true"
		}
	}
	return f
}

// wanted is the space that the experiments of a plan need, by host.
func wanted(p *plan.Plan) map[string][]doctor.Want {
	combinations, err := run.Combinations(p, experiment.Options{})
	if err != nil {
		return nil // the run itself reports it
	}
	out := map[string][]doctor.Want{}
	for _, w := range run.Writes([]run.Config{{Plan: p, Combinations: combinations}}) {
		if w.Room > 0 && (path.IsAbs(w.Path) || strings.Contains(w.Path, `:\`)) {
			out[w.Host] = append(out[w.Host], doctor.Want{Place: cli.Clean(w.Place), Path: w.Path, Room: w.Room})
		}
	}
	return out
}

// RunFolder is the state of the place of run folders.
func RunFolder(folder string) doctor.Folder {
	f := doctor.Folder{Path: folder, Write: block.MayWrite(folder)}
	if path, err := filepath.Abs(folder); err == nil {
		f.Path = path
	}
	if free, err := block.Free(folder); err != nil {
		f.Free = unit.Unknown[unit.Bytes](err.Error())
	} else {
		f.Free = unit.Known(free)
	}
	return f
}

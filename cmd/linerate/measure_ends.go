package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"linerate/internal/agent"
	"linerate/internal/design/fabric"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/run"
)

// ends are the hosts that are measured between, by the names that they have in the record.
type ends struct {
	from, to []string
	reach    map[string]connect.Spec
	flag     map[string]string // from or to: where a host was named first
}

// all are the names, each once, those of --from first.
func (e ends) all() []string {
	out := slices.Clone(e.from)
	for _, name := range e.to {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// errNoEnd is a measurement between this machine and nobody.
var errNoEnd = errors.New("name the other end")

// ends reads --from and --to, or --loop. Hosts are called by what their reaches end with, the ports of a loop by their names, and what has
// only an address "to".
func (f measureFlags) ends() (ends, error) {
	if len(f.loop) > 0 {
		return f.loopEnds(), nil
	}
	e := ends{reach: map[string]connect.Spec{}, flag: map[string]string{}}
	from, err := expanded("from", f.from)
	if err != nil {
		return e, err
	}
	to, err := expanded("to", f.to)
	if err != nil {
		return e, err
	}
	many := len(f.patterns) > 0
	if f.lone() && !many {
		to, e.to = nil, []string{"to"} // it has an address, and no way to get at it
	}
	switch {
	case f.lone() && !many:
	case len(to) == 0 && !many:
		return e, errNoEnd
	case !many && (len(from) > 1 || len(to) > 1):
		return e, errors.New("several hosts are measured at once, by a pattern: write --pattern pairs, incast or all-to-all")
	}
	if len(from) == 0 {
		from = []string{"local"}
	}
	byText, names := map[string]string{}, map[string]bool{}
	var wrong []error
	add := func(flag string, list *[]string, texts []string) {
		for _, text := range texts {
			spec, err := connect.Parse(text)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("--%s: %w", flag, err))
				continue
			}
			name, known := byText[text]
			switch {
			case known && slices.Contains(*list, name):
				wrong = append(wrong, fmt.Errorf("--%s %s: it is there twice; name each host once", flag, connect.Redact(text)))
				continue
			case !known || !many: // of two ends on one machine each is a host of its own
				name = unused(hostName(spec), names)
			}
			byText[text], names[name] = name, true
			*list = append(*list, name)
			if e.flag[name] == "" {
				e.reach[name], e.flag[name] = spec, flag
			}
		}
	}
	add("from", &e.from, from)
	add("to", &e.to, to)
	if len(wrong) > 0 {
		return e, errors.Join(wrong...)
	}
	for _, p := range f.patterns {
		if !slices.Contains([]string{fabric.Pairs, fabric.Incast, fabric.AllToAll}, p) {
			continue // told with the other values
		}
		x := fabric.Experiment{From: e.from, To: e.to}
		if _, err := x.Flows(p); err != nil {
			return e, fmt.Errorf("--pattern %s: %s", p, asFlags(err.Error()))
		}
	}
	return e, nil
}

// asFlags says with flags what a message says with the keys of a file.
func asFlags(text string) string {
	return strings.NewReplacer(`write from: "n[1-4]"`, `write --from "ssh n[1-4]"`, "write to: HOST", `write --to "ssh HOST"`).Replace(text)
}

// expanded replaces ranges, such as ssh n[1-4], by what they stand for.
func expanded(flag string, texts []string) (out []string, err error) {
	for _, text := range texts {
		if strings.HasPrefix(text, "tcp://") {
			out = append(out, text) // its brackets are an IPv6 address
			continue
		}
		list, err := fabric.ExpandName(text)
		if err != nil {
			return nil, fmt.Errorf("--%s %s: %w; write a range as n[1-4]", flag, text, err)
		}
		out = append(out, list...)
	}
	return out, nil
}

// hostName is what a reach ends with, as a name of a fabric: without dots. The port of an agent that listens is another one each time.
func hostName(s connect.Spec) string {
	text := strings.TrimPrefix(s.String(), "tcp://")
	text, _, _ = strings.Cut(text, "#")
	if host, _, err := net.SplitHostPort(s.Name); err == nil && s.Kind == connect.TCP {
		text = host
	}
	words := strings.Fields(text)
	name := "host"
	if len(words) > 0 {
		name = words[len(words)-1]
	}
	for i, w := range words[:max(0, len(words)-1)] {
		if s.Kind == connect.Srun && w == "-w" {
			name = words[i+1] // the node, whatever stands behind it
		}
	}
	if i := strings.LastIndexAny(name, "/@"); i >= 0 {
		name = name[i+1:]
	}
	if first, _, ok := strings.Cut(name, "."); ok {
		if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err != nil && !strings.Contains(name, ":") {
			name = first // of a name in the DNS
		}
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r == '.' || r == ':':
			return '-'
		}
		return -1
	}, name)
	if name == "" {
		return "host"
	}
	return name
}

// unused is a name, with a number behind it if it is taken.
func unused(name string, taken map[string]bool) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

// look starts an agent on every host and reads what it says of itself.
func (f measureFlags) look(ctx context.Context, e ends, clients map[string]*agent.Client) (map[string]*facts.Facts, error) {
	found := map[string]*facts.Facts{}
	names := e.all()
	failed := make([]error, len(names))
	var mu sync.Mutex
	var wg sync.WaitGroup
	places := make(chan struct{}, run.Connecting)
	for i, name := range names {
		if e.flag[name] == "" {
			continue // only an address
		}
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			failed[i] = func() error {
				client, err := agent.Open(ctx, e.reach[name], agent.OpenOptions{Host: name, Version: version(), AgentFile: f.agentFile})
				if err != nil {
					return fail(exitIncomplete, err)
				}
				mu.Lock()
				clients[name] = client
				mu.Unlock()
				text, err := client.Facts(ctx, string(facts.Full))
				if err != nil {
					return fail(exitIncomplete, err)
				}
				have, err := facts.Parse(text)
				mu.Lock()
				found[name] = have
				mu.Unlock()
				return err
			}()
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return nil, err
	}
	return found, nil
}

package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"linerate/internal/agent"
	"linerate/internal/base/xslices"
	"linerate/internal/cli"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/read"
	"linerate/internal/host/connect"
	"linerate/internal/lab"
	"linerate/internal/run"
)

// Ends are the hosts of a measurement, by their names in the record.
type Ends struct {
	From, To   []string
	Connection map[string]connect.Spec
	Flag       map[string]string // from or to: the flag that named a host first
}

// All are the names, each once, those of --from first.
func (e Ends) All() []string {
	out := slices.Clone(e.From)
	for _, name := range e.To {
		out = xslices.AppendNew(out, name)
	}
	return out
}

// ErrNoEnd is a measurement without another end.
var ErrNoEnd = errors.New("missing HOST")

// Expanded expands ranges, such as ssh n[1-4].
func Expanded(flag string, texts []string) (out []string, err error) {
	for _, text := range texts {
		if strings.HasPrefix(text, "tcp://") {
			out = append(out, text) // an IPv6 address in brackets
			continue
		}
		list, err := fabric.ExpandName(text)
		if err != nil {
			return nil, cli.Advise(fmt.Errorf("--%s %s: %w", flag, text, err),
				"write a range as n[1-4]")
		}
		out = append(out, list...)
	}
	return out, nil
}

// Look starts an agent on every host and reads its facts.
func Look(ctx context.Context, agentFile string, e Ends,
	clients map[string]*agent.Client) (map[string]*facts.Facts, error) {
	found := map[string]*facts.Facts{}
	names := e.All()
	failed := make([]error, len(names))
	var mu sync.Mutex
	var wg sync.WaitGroup
	places := make(chan struct{}, run.Connecting)
	for i, name := range names {
		if e.Flag[name] == "" {
			continue // only an address
		}
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			failed[i] = func() error {
				client, err := agent.Open(ctx, e.Connection[name],
					agent.OpenOptions{Host: name, Version: agent.Version(), AgentFile: agentFile})
				if err != nil {
					return cli.Fail(cli.ExitIncomplete, err)
				}
				mu.Lock()
				clients[name] = client
				mu.Unlock()
				text, err := client.Facts(ctx, string(facts.Full))
				if err != nil {
					return cli.Fail(cli.ExitIncomplete, err)
				}
				have, err := read.Parse(text)
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

// ThisHost is the name of this machine; "local" if it has none.
func ThisHost(f *facts.Facts) string {
	return cmp.Or(f.Host, "local")
}

// LabOf finds a lab, and refuses a missing one or one of another fabric; an empty id is none.
func LabOf(id string, p *plan.Plan) (lab.Info, error) {
	if id == "" {
		return lab.Info{}, nil
	}
	info, err := lab.Find(id)
	if err != nil {
		return info, cli.Fail(cli.ExitInput, err)
	}
	if info.Fabric != p.Name {
		return info, cli.Fail(cli.ExitInput,
			fmt.Errorf("--in-lab %s: that lab is of the fabric %s, the file is %s", info.ID, cli.Clean(info.Fabric),
				cli.Clean(p.Name)))
	}
	return info, nil
}

// ConnectionOf is the host's connection in the file, or that of its simulated host in a lab.
func ConnectionOf(h *plan.Host, labID string) string {
	if labID != "" {
		return "lab " + labID + "/" + h.Name
	}
	return h.Connection
}

// Name derives the name of a host in a fabric from the end of a connection, without dots. The port of a listening agent
// changes each time, so it is left out.
func Name(s connect.Spec) string {
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
			name = words[i+1] // the node; words after it do not count
		}
	}
	if i := strings.LastIndexAny(name, "/@"); i >= 0 {
		name = name[i+1:]
	}
	if first, _, ok := strings.Cut(name, "."); ok {
		if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err != nil && !strings.Contains(name, ":") {
			name = first // the first label of a DNS name
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
	return cmp.Or(name, "host")
}

// Unused is a name, with a number appended if it is taken.
func Unused(name string, taken map[string]bool) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

// tryPeers returns the results of a host's probes, or the reason why they failed.
func tryPeers(ctx context.Context, client *agent.Client, peers []probe.ProbeTarget) []byte {
	if len(peers) == 0 {
		return nil
	}
	text, err := client.Probe(ctx, peers)
	if err != nil {
		return probe.NotProbed(peers, err.Error())
	}
	return text
}

// maxPeers is the number of peers that a host probes: in a fabric of a thousand hosts each probes the next ones in
// order.
const maxPeers = 32

// peers are the addresses that a host reaches over its links without a router, with the planned MTU of the path.
func peers(p *plan.Plan, h *plan.Host) (out []probe.ProbeTarget) {
	at := slices.Index(p.Hosts, h)
	for k := 1; k < len(p.Hosts) && len(out) < maxPeers; k++ {
		for _, theirs := range p.Hosts[(at+k)%len(p.Hosts)].Ports {
			for _, own := range h.Ports {
				if own.Link == "" || theirs.Link == "" || !own.Address.IsValid() || !theirs.Address.IsValid() ||
					!own.Address.Contains(theirs.Address.Addr()) {
					continue
				}
				if mtu := min(own.MTU, theirs.MTU); mtu >= 576 && len(out) < maxPeers {
					out = append(out, probe.ProbeTarget{Address: theirs.Address.Addr(), MTU: mtu})
				}
			}
		}
	}
	return out
}

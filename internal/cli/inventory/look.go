package inventory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/cli"
	"linerate/internal/design/catalog"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/survey"
)

// Looker connects to machines that no file describes, and reads their facts.
type Looker struct {
	AgentFile string
	Clients   map[string]*agent.Client // by name
	Ends      Ends
}

// Read parses the arguments of a command into machines.
func (l *Looker) Read(verb string, words []string) error {
	l.Clients = map[string]*agent.Client{}
	l.Ends = Ends{Connection: map[string]connect.Spec{}, Flag: map[string]string{}}
	hosts, wrong := Words(verb, words)
	if len(wrong) > 0 {
		return cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	for _, h := range hosts {
		l.Ends.From = append(l.Ends.From, h.Name)
		l.Ends.Connection[h.Name], l.Ends.Flag[h.Name] = h.Spec, "from"
	}
	return nil
}

// Look queries the machines in parallel. Those that do not answer are reported together.
func (l *Looker) Look(ctx context.Context) ([]survey.Machine, error) {
	found, err := Look(ctx, l.AgentFile, l.Ends, l.Clients)
	if err != nil {
		return nil, err
	}
	var machines []survey.Machine
	for _, name := range l.Ends.From {
		machines = append(machines,
			survey.Machine{Name: name, Connection: l.Ends.Connection[name].String(), Facts: found[name]})
	}
	return machines, sameMachines(machines)
}

// sameMachines refuses several names for one machine, with the same interfaces and hardware addresses.
func sameMachines(all []survey.Machine) error {
	of := map[string]survey.Machine{}
	var wrong []error
	for _, m := range all {
		var adapters []string
		for _, n := range m.Facts.NICs {
			if n.MAC != "" && strings.Trim(n.MAC, "0:") != "" {
				adapters = append(adapters, n.Name+" "+n.MAC)
			}
		}
		slices.Sort(adapters)
		key := strings.Join(adapters, ", ")
		other, known := of[key]
		switch {
		case key == "":
		case !known:
			of[key] = m
		case other.Connection == string(connect.Local):
			wrong = append(wrong,
				fmt.Errorf("%s is this machine (both have %s): leave it out, and name the machine at the other end of the cable",
					m.Connection, adapters[0]))
		default:
			wrong = append(wrong,
				fmt.Errorf("%s and %s are one machine (both have %s): name it once", other.Connection, m.Connection, adapters[0]))
		}
	}
	if len(wrong) > 0 {
		return cli.Fail(cli.ExitInput, errors.Join(wrong...))
	}
	return nil
}

// Rename gives this machine its own name instead of "local".
func (l *Looker) Rename(machines []survey.Machine) {
	for i := range machines {
		m := &machines[i]
		if m.Name != "local" || m.Facts == nil {
			continue
		}
		first, _, _ := strings.Cut(m.Facts.Host, ".")
		name := survey.Name(first)
		if _, taken := l.Ends.Connection[name]; taken || first == "" || strings.EqualFold(first, "localhost") {
			continue
		}
		l.Ends.Connection[name], l.Ends.Flag[name] = l.Ends.Connection["local"], l.Ends.Flag["local"]
		l.Clients[name] = l.Clients["local"]
		delete(l.Ends.Connection, "local")
		delete(l.Ends.Flag, "local")
		delete(l.Clients, "local")
		m.Name, l.Ends.From[i] = name, name
	}
}

// Connection is how to connect to a machine.
func (l *Looker) Connection(host string) (connect.Spec, error) { return l.Ends.Connection[host], nil }

// Close ends the agents.
func (l *Looker) Close() {
	for _, c := range l.Clients {
		c.Close()
	}
}

// Draft makes a fabric of machines, or fails if no two of them share a network.
func Draft(name string, machines []survey.Machine, catalog *catalog.Catalog) (*survey.Draft, error) {
	d := survey.Of(name, machines, catalog)
	if len(d.Nets) > 0 {
		return d, nil
	}
	if text, commands := d.Idle(); text != "" {
		return nil, cli.Fail(cli.ExitIncomplete, fmt.Errorf(
			"no two of these machines have an address in one network: %s:\n  %s", text, strings.Join(commands, "\n  ")))
	}
	var have []string
	for _, m := range machines {
		have = append(have, m.Name+" has "+ownAddresses(m.Facts))
	}
	return nil, cli.Fail(cli.ExitIncomplete, cli.Advise(
		fmt.Errorf("no two of these machines have an address in one network, on an interface with a "+
			"link: %s", strings.Join(have, "; ")),
		"give both ends of the cable an address in one network, such as 10.20.0.1/24 and "+
			"10.20.0.2/24"))
}

// PrintIdle prints the ports that have a link and no address, or an address and are switched off, with what to type.
func PrintIdle(w io.Writer, label string, d *survey.Draft) {
	for _, off := range d.Off() {
		fmt.Fprintf(w, "%s%s\n", label, cli.Clean(off))
	}
	text, commands := d.Idle()
	if text == "" {
		return
	}
	fmt.Fprintf(w, "%s%s:\n", label, cli.Clean(text))
	for _, c := range commands {
		fmt.Fprintf(w, "         %s\n", cli.Clean(c))
	}
}

func ownAddresses(f *facts.Facts) string {
	var out []string
	for _, n := range f.NICs {
		for _, a := range n.Addresses {
			if a.Addr().IsLoopback() || a.Addr().IsLinkLocalUnicast() {
				continue
			}
			text := fmt.Sprintf("%s on %s", a, n.Name)
			if why := survey.LeftOut(f, &n); why != "" {
				text += " (" + why + ")"
			}
			out = append(out, text)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"linerate/internal/agent"
	"linerate/internal/design/catalog"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/inspect/survey"
)

// looker reaches machines that no file names, and asks what they say of themselves.
type looker struct {
	agentFile string
	clients   map[string]*agent.Client // by name
	ends      ends
}

// named are the machines that words of a verb stand for.
func (l *looker) named(verb string, words []string) error {
	l.clients = map[string]*agent.Client{}
	l.ends = ends{reach: map[string]connect.Spec{}, flag: map[string]string{}}
	hosts, wrong := hostWords(verb, words)
	if len(wrong) > 0 {
		return fail(exitInput, errors.Join(wrong...))
	}
	for _, h := range hosts {
		l.ends.from = append(l.ends.from, h.name)
		l.ends.reach[h.name], l.ends.flag[h.name] = h.spec, "from"
	}
	return nil
}

// look asks the machines side by side. Those that do not answer are told together.
func (l *looker) look(ctx context.Context) ([]survey.Machine, error) {
	found, err := measureFlags{agentFile: l.agentFile}.look(ctx, l.ends, l.clients)
	if err != nil {
		return nil, err
	}
	var machines []survey.Machine
	for _, name := range l.ends.from {
		machines = append(machines, survey.Machine{Name: name, Reach: l.ends.reach[name].String(), Facts: found[name]})
	}
	return machines, sameMachines(machines)
}

// sameMachines says which of the machines are one and the same: all their interfaces have the same names and hardware addresses.
func sameMachines(all []survey.Machine) error {
	of := map[string]survey.Machine{}
	var wrong []error
	for _, m := range all {
		var cards []string
		for _, n := range m.Facts.NICs {
			if n.MAC != "" && strings.Trim(n.MAC, "0:") != "" {
				cards = append(cards, n.Name+" "+n.MAC)
			}
		}
		slices.Sort(cards)
		key := strings.Join(cards, ", ")
		other, known := of[key]
		switch {
		case key == "":
		case !known:
			of[key] = m
		case other.Reach == string(connect.Local):
			wrong = append(wrong, fmt.Errorf("%s is this machine (both have %s): leave it out, and name the machine at the other end of the cable", m.Reach, cards[0]))
		default:
			wrong = append(wrong, fmt.Errorf("%s and %s are one machine (both have %s): name it once", other.Reach, m.Reach, cards[0]))
		}
	}
	if len(wrong) > 0 {
		return fail(exitInput, errors.Join(wrong...))
	}
	return nil
}

// rename gives this machine the name that it has itself, in place of "local".
func (l *looker) rename(machines []survey.Machine) {
	for i := range machines {
		m := &machines[i]
		if m.Name != "local" || m.Facts == nil {
			continue
		}
		first, _, _ := strings.Cut(m.Facts.Host, ".")
		name := survey.Name(first)
		if _, taken := l.ends.reach[name]; taken || first == "" || strings.EqualFold(first, "localhost") {
			continue
		}
		l.ends.reach[name], l.ends.flag[name] = l.ends.reach["local"], l.ends.flag["local"]
		l.clients[name] = l.clients["local"]
		delete(l.ends.reach, "local")
		delete(l.ends.flag, "local")
		delete(l.clients, "local")
		m.Name, l.ends.from[i] = name, name
	}
}

// reachOf is how a machine was got at.
func (l *looker) reachOf(host string) (connect.Spec, error) { return l.ends.reach[host], nil }

// close ends the agents.
func (l *looker) close() {
	for _, c := range l.clients {
		c.Close()
	}
}

// draft makes a fabric of machines, or says that no two of them share a network.
func draft(name string, machines []survey.Machine, catalog *catalog.Catalog) (*survey.Draft, error) {
	d := survey.Of(name, machines, catalog)
	if len(d.Nets) > 0 {
		return d, nil
	}
	var have []string
	for _, m := range machines {
		have = append(have, m.Name+" has "+ownAddresses(m.Facts))
	}
	return nil, fail(exitIncomplete, fmt.Errorf("no two of these machines have an address in one network, on an interface with a link: %s; give both ends of the cable an address in one network, such as 10.20.0.1/24 and 10.20.0.2/24", strings.Join(have, "; ")))
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

package inventory

import (
	"context"
	"fmt"
	"linerate/internal/inspect/check/pcie"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/cli"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/facts/parse/probe"
	"linerate/internal/facts/read"
	"linerate/internal/inspect/check"
	"linerate/internal/run/network"
)

// Duration and number of streams of the traffic on a link that is read again, and the time limit of it all.
const (
	LoadInterval = 2 * time.Second
	loadWarmup   = 500 * time.Millisecond
	loadOf       = 4
	loadPatience = time.Minute
)

// loaded is a link of the plan that carries traffic while PCI Express is read again: its two ports.
type loaded [2]*plan.Port

// UnderLoad reads PCI Express again, under traffic, for every adapter with a slower bus than possible: a link at rest
// may be slow to save power. The results are appended to the hosts' snapshots.
func UnderLoad(ctx context.Context, e *cli.Env, p *plan.Plan, answers []Answer, questions []Question, o Options) error {
	w := &check.World{Plan: p}
	at := map[string]int{}
	for i, a := range answers {
		if a.Facts != nil {
			w.Add(a.Host, a.Facts)
			at[a.Host] = i
		}
	}
	extra := map[string][]byte{}
	done := map[string]bool{}
	slow := 0
	for _, h := range p.Hosts {
		for _, nic := range pcie.Slow(w, h.Name) {
			slow++
			if done[h.Name+" "+nic] {
				continue
			}
			pair, ok := pairOver(p, h, nic, at)
			if !ok {
				extra[h.Name] = append(extra[h.Name], probe.NotUnderLoad(answers[at[h.Name]].Facts, nic,
					"the plan has no other host, with facts and a connection, in the network of "+nic)...)
				continue
			}
			for i, port := range pair {
				done[port.Host+" "+port.Interface] = true
				other := pair[1-i]
				e.Note(fmt.Sprintf("%s: reading PCI Express of %s again, under %v of TCP both ways with %s (%s)", port.Host,
					port.Interface, LoadInterval, other.Host, other.Address.Addr()))
			}
			texts := loadedRead(ctx, e, pair, answers, questions, at, o)
			for i, port := range pair {
				extra[port.Host] = append(extra[port.Host], texts[i]...)
			}
		}
	}
	if slow == 0 {
		e.Note(
			"--under-load: nothing was loaded: no NIC in use is known to be at a PCI Express link that runs below what both " +
				"of its ends can")
	}
	for host, text := range extra {
		a := &answers[at[host]]
		if a.Err = a.Take(slices.Concat(a.Text, text), o); a.Err != nil {
			return a.Err
		}
	}
	return ctx.Err()
}

// pairOver is a port of a host with a port of another host that it reaches without a router.
func pairOver(p *plan.Plan, h *plan.Host, nic string, at map[string]int) (loaded, bool) {
	for _, own := range h.Ports {
		if own.Interface != nic || own.Link == "" || !own.Address.IsValid() {
			continue
		}
		for _, other := range p.Hosts {
			for _, theirs := range other.Ports {
				if _, known := at[other.Name]; known && other != h && theirs.Link != "" && theirs.Address.IsValid() &&
					own.Address.Contains(theirs.Address.Addr()) {
					return loaded{own, theirs}, true
				}
			}
		}
	}
	return loaded{}, false
}

// loadedRead sends traffic over a pair of ports and reads both ends meanwhile. It returns the texts to append to their
// snapshots.
func loadedRead(ctx context.Context, e *cli.Env, pair loaded, answers []Answer, questions []Question, at map[string]int,
	o Options) (texts [2][]byte) {
	ctx, cancel := context.WithTimeout(ctx, loadPatience)
	defer cancel()
	failed := func(err error) [2][]byte {
		for i, port := range pair {
			texts[i] = probe.NotUnderLoad(answers[at[port.Host]].Facts, port.Interface,
				"no traffic went over it: "+strings.Join(strings.Fields(cli.Clean(err.Error())), " "))
		}
		return texts
	}
	var clients [2]*agent.Client
	for i, port := range pair {
		c, err := agent.Open(ctx, questions[at[port.Host]].Spec,
			agent.OpenOptions{Host: port.Host, Version: agent.Version(), AgentFile: o.AgentFile})
		if err != nil {
			return failed(err)
		}
		defer c.Close()
		clients[i] = c
	}
	var during [2]*facts.Facts
	spec := network.Spec{Method: method.Throughput, Direction: "both", Streams: loadOf, Warmup: loadWarmup,
		Interval: LoadInterval, Seed: 1, FromHost: pair[0].Host, ToHost: pair[1].Host,
		FromAddr: pair[0].Address.Addr(), ToAddr: pair[1].Address.Addr()}
	repeat, _, err := network.Repeat(ctx, clients[0], clients[1], spec, func() {
		for i, c := range clients {
			if text, err := c.Facts(ctx, string(facts.Counters)); err == nil {
				during[i], _ = read.Parse(text)
			}
		}
	})
	if err != nil {
		return failed(err)
	}
	for i, port := range pair {
		if during[i] == nil {
			during[i] = &facts.Facts{}
		}
		load := fmt.Sprintf("%d streams of TCP both ways with %s: %s", loadOf, pair[1-i].Host, unit.BitRate(repeat.Goodput))
		texts[i] = probe.UnderLoad(answers[at[port.Host]].Facts, during[i], port.Interface, load)
	}
	return texts
}

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"linerate/internal/agent"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/run"
)

// How long traffic goes over a link that is read again, and by how many streams; and how long all of it may take.
const (
	loadWindow   = 2 * time.Second
	loadWarmup   = 500 * time.Millisecond
	loadOf       = 4
	loadPatience = time.Minute
)

// loaded is a link of the plan over which traffic goes so that PCI Express is read again: its two ports.
type loaded [2]*plan.Port

// underLoad reads PCI Express again, under traffic, of every card whose way to the processor is slower than it could be: a link at rest
// may be slow to save power. What came of it stands behind the hosts' captures.
func (e *env) underLoad(ctx context.Context, p *plan.Plan, answers []asked, questions []question, o asking) error {
	w := &check.World{Plan: p}
	at := map[string]int{}
	for i, a := range answers {
		if a.facts != nil {
			w.Add(a.host, a.facts)
			at[a.host] = i
		}
	}
	extra := map[string][]byte{}
	done := map[string]bool{}
	slow := 0
	for _, h := range p.Hosts {
		for _, nic := range w.Slow(h.Name) {
			slow++
			if done[h.Name+" "+nic] {
				continue
			}
			pair, ok := pairOver(p, h, nic, at)
			if !ok {
				extra[h.Name] = append(extra[h.Name], facts.NotUnderLoad(answers[at[h.Name]].facts, nic, "the plan has no other host, with facts and a reach, in the network of "+nic)...)
				continue
			}
			for i, port := range pair {
				done[port.Host+" "+port.Interface] = true
				other := pair[1-i]
				e.note(fmt.Sprintf("%s: reading PCI Express of %s again, under %v of TCP both ways with %s (%s)", port.Host, port.Interface, loadWindow, other.Host, other.Address.Addr()))
			}
			texts := e.loadedRead(ctx, pair, answers, questions, at, o)
			for i, port := range pair {
				extra[port.Host] = append(extra[port.Host], texts[i]...)
			}
		}
	}
	if slow == 0 {
		e.note("--under-load: nothing was loaded: no card in use is known to be at a PCI Express link that runs below what both of its ends can")
	}
	for host, text := range extra {
		a := &answers[at[host]]
		if a.err = a.take(slices.Concat(a.text, text), o); a.err != nil {
			return a.err
		}
	}
	return ctx.Err()
}

// pairOver is a port of a host with a port of another one that it reaches without a router.
func pairOver(p *plan.Plan, h *plan.Host, nic string, at map[string]int) (loaded, bool) {
	for _, own := range h.Ports {
		if own.Interface != nic || own.Link == "" || !own.Address.IsValid() {
			continue
		}
		for _, other := range p.Hosts {
			for _, theirs := range other.Ports {
				if _, known := at[other.Name]; known && other != h && theirs.Link != "" && theirs.Address.IsValid() && own.Address.Contains(theirs.Address.Addr()) {
					return loaded{own, theirs}, true
				}
			}
		}
	}
	return loaded{}, false
}

// loadedRead sends traffic over a pair of ports and reads both ends meanwhile. The texts are what has to stand behind their captures.
func (e *env) loadedRead(ctx context.Context, pair loaded, answers []asked, questions []question, at map[string]int, o asking) (texts [2][]byte) {
	ctx, cancel := context.WithTimeout(ctx, loadPatience)
	defer cancel()
	failed := func(err error) [2][]byte {
		for i, port := range pair {
			texts[i] = facts.NotUnderLoad(answers[at[port.Host]].facts, port.Interface, "no traffic went over it: "+strings.Join(strings.Fields(clean(err.Error())), " "))
		}
		return texts
	}
	var clients [2]*agent.Client
	for i, port := range pair {
		c, err := agent.Open(ctx, questions[at[port.Host]].spec, agent.OpenOptions{Host: port.Host, Version: version(), AgentFile: o.agentFile})
		if err != nil {
			return failed(err)
		}
		defer c.Close()
		clients[i] = c
	}
	var during [2]*facts.Facts
	spec := run.Spec{Method: "stream", Direction: "both", Streams: loadOf, Warmup: loadWarmup, Window: loadWindow, Seed: 1,
		FromHost: pair[0].Host, ToHost: pair[1].Host, FromAddr: pair[0].Address.Addr(), ToAddr: pair[1].Address.Addr()}
	repeat, _, err := run.Repeat(ctx, clients[0], clients[1], spec, func() {
		for i, c := range clients {
			if text, err := c.Facts(ctx, string(facts.Counters)); err == nil {
				during[i], _ = facts.Parse(text)
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
		texts[i] = facts.UnderLoad(answers[at[port.Host]].facts, during[i], port.Interface, load)
	}
	return texts
}

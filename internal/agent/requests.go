package agent

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/facts/parse/probe"
	"linerate/internal/traffic"
)

// Offset relates two clocks: agent's = controller's + Nanoseconds, within half of RTT.
type Offset struct {
	Nanoseconds int64
	RTT         time.Duration
}

// exchanges is the number of round trips in a comparison of clocks; the shortest counts.
const exchanges = 8

// Sync compares the two ends' clocks again.
func (c *Client) Sync(ctx context.Context) error {
	best := Offset{RTT: time.Duration(1<<63 - 1)}
	for range exchanges {
		sent := traffic.Now()
		var a clockAnswer
		err := c.ask(ctx, "compare clocks", kindClock, nil, func(f frame) (bool, error) { return true, decode(f.Body, &a) })
		if err != nil {
			return err
		}
		if rtt := time.Duration(traffic.Now() - sent); rtt < best.RTT {
			best = Offset{Nanoseconds: a.ClockNS - sent - int64(rtt)/2, RTT: rtt}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset = best
	return nil
}

// Clock is the offset of the agent's clock in the last comparison.
func (c *Client) Clock() Offset {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Facts is a snapshot of the host: one txtar text.
func (c *Client) Facts(ctx context.Context, level string) ([]byte, error) {
	return c.snapshot(ctx, "take facts ("+level+")", kindFacts, factsRequest{Level: level})
}

// Probe has the host probe its peers (collect.Probe), and returns what is appended to its snapshot then.
func (c *Client) Probe(ctx context.Context, targets []probe.ProbeTarget) ([]byte, error) {
	return c.snapshot(ctx, "probe peers", kindProbe, probeRequest{Targets: targets})
}

// snapshot is a text that comes in parts.
func (c *Client) snapshot(ctx context.Context, doing, kind string, request any) ([]byte, error) {
	var text []byte
	err := c.ask(ctx, doing, kind, request, func(f frame) (bool, error) {
		var p part
		if err := want(f, kindResult, &p); err != nil {
			return false, err
		}
		if err := limits().facts.check(int64(len(text) + len(p.Data))); err != nil {
			return false, err
		}
		text = append(text, p.Data...)
		return !p.More, nil
	})
	return text, err
}

// Experiment is an experiment that an agent has prepared.
type Experiment struct {
	traffic.Ready
	client *Client
	id     uint64
	asked  string
}

// Prepare opens the data port (Listen) or all data connections. Start or Stop must follow.
func (c *Client) Prepare(ctx context.Context, s traffic.Setup) (*Experiment, error) {
	p, err := call[prepared](ctx, c, "prepare "+s.Method, kindPrepare, s)
	if err != nil {
		return nil, err
	}
	return &Experiment{Ready: p.Ready, client: c, id: p.Experiment, asked: s.Method}, nil
}

// Start begins the experiment at a moment of the agent's clock and returns when it is over. onSample gets the samples
// as they come.
func (x *Experiment) Start(ctx context.Context, at int64, onSample func([]traffic.Sample)) (*traffic.Outcome, error) {
	var out traffic.Outcome
	var streams []traffic.StreamEnd
	rows, most := sampleReader{on: onSample}, limits().streams
	err := x.client.ask(ctx, "measure "+x.asked, kindStart, startRequest{Experiment: x.id, AtNS: at},
		func(f frame) (bool, error) {
			if f.Kind == kindSample {
				return false, rows.read(f)
			}
			var p outcomePart
			if err := want(f, kindResult, &p); err != nil {
				return false, err
			}
			streams = append(streams, p.Outcome.Streams...)
			if err := most.check(int64(len(streams)) / 2); err != nil {
				return false, err
			}
			out = p.Outcome
			return !p.More, nil
		})
	if err != nil {
		return nil, err
	}
	out.Streams = streams
	return &out, nil
}

// Stop ends the experiment, prepared or running.
func (x *Experiment) Stop(ctx context.Context) error {
	return x.client.do(ctx, "stop "+x.asked, kindStop, stopRequest{Experiment: x.id})
}

// want decodes the body of an answer of one kind.
func want(f frame, kind string, into any) error {
	if f.Kind != kind {
		return fmt.Errorf("the agent answered %.40q instead of %q", f.Kind, kind)
	}
	return decode(f.Body, into)
}

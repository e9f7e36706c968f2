package agent

import (
	"context"
	"fmt"
	"time"

	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// Offset relates two clocks: agent's = controller's + Nanoseconds, within half of RTT.
type Offset struct {
	Nanoseconds int64
	RTT         time.Duration
}

// exchanges is how many round trips a comparison of clocks makes; the shortest counts.
const exchanges = 8

// Sync compares the two ends' clocks anew.
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

// Clock is the offset of the agent's clock as last compared.
func (c *Client) Clock() Offset {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.offset
}

// Facts is a capture of the host: one txtar text.
func (c *Client) Facts(ctx context.Context, level string) ([]byte, error) {
	return c.capture(ctx, "take facts ("+level+")", kindFacts, factsRequest{Level: level})
}

// Probe has the host try its peers (facts.Probe), and returns what stands behind its capture then.
func (c *Client) Probe(ctx context.Context, targets []facts.ProbeTarget) ([]byte, error) {
	return c.capture(ctx, "probe peers", kindProbe, probeRequest{Targets: targets})
}

// capture is a text that comes in parts.
func (c *Client) capture(ctx context.Context, doing, kind string, request any) ([]byte, error) {
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

// Experiment is one that an agent has prepared.
type Experiment struct {
	traffic.Ready
	client *Client
	id     uint64
	asked  string
}

// Prepare opens the data port (Listen) or all data connections. Start or Stop must follow.
func (c *Client) Prepare(ctx context.Context, s traffic.Setup) (*Experiment, error) {
	asked := "prepare " + s.Method // what fails names the addresses
	x := &Experiment{client: c, asked: s.Method}
	err := c.ask(ctx, asked, kindPrepare, s, func(f frame) (bool, error) {
		var p prepared
		if err := want(f, kindReady, &p); err != nil {
			return false, err
		}
		x.id, x.Ready = p.Experiment, p.Ready
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// Start begins the experiment at a moment of the agent's clock and returns when it is over. onSample gets its samples
// as they come.
func (x *Experiment) Start(ctx context.Context, at int64, onSample func([]traffic.Sample)) (*traffic.Outcome, error) {
	var out traffic.Outcome
	var streams []traffic.StreamEnd
	var rows int64
	l := limits()
	err := x.client.ask(ctx, "measure "+x.asked, kindStart, startRequest{Experiment: x.id, AtNS: at}, func(f frame) (bool, error) {
		if f.Kind == kindSample {
			var s samples
			if err := decode(f.Body, &s); err != nil {
				return false, err
			}
			if rows += int64(len(s.Samples)); rows <= l.samples.max && onSample != nil {
				onSample(s.Samples)
			}
			return false, l.samples.check(rows)
		}
		var p outcomePart
		if err := want(f, kindResult, &p); err != nil {
			return false, err
		}
		streams = append(streams, p.Outcome.Streams...)
		if err := l.streams.check(int64(len(streams)) / 2); err != nil {
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
	return x.client.ask(ctx, "stop "+x.asked, kindStop, stopRequest{Experiment: x.id}, func(frame) (bool, error) { return true, nil })
}

// want decodes the body of an answer of one kind.
func want(f frame, kind string, into any) error {
	if f.Kind != kind {
		return fmt.Errorf("the agent answered %.40q instead of %q", f.Kind, kind)
	}
	return decode(f.Body, into)
}

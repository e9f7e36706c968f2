package agent

import (
	"context"
	"fmt"
	"slices"

	"linerate/internal/traffic"
)

// programs is what an agent that listens has to be allowed before it runs what its controller sends.
const programs = "app"

// program keeps linerate-verbs for the experiments that follow. It is never a file of this host.
func (s *server) program(ctx context.Context, id uint64, q programRequest) error {
	if s.opt.listens && !slices.Contains(s.opt.Allow, programs) {
		return &traffic.Error{Code: traffic.CodeInput, Subject: traffic.VerbsProgram, Text: "an agent that listens runs a program of its controller's only if it was started with --allow " + programs +
			"; or put " + traffic.VerbsProgram + " beside linerate on that host"}
	}
	s.mu.Lock()
	s.verbs = q.Data
	s.mu.Unlock()
	return s.link.send(ctx, id, kindReady, nil)
}

// join connects the pairs of a prepared end of verbs with those of the other end, or the processes of an end of halo with those of others.
func (s *server) join(ctx context.Context, id uint64, q joinRequest) error {
	s.mu.Lock()
	x := s.experiments[q.Experiment]
	s.mu.Unlock()
	if x == nil || x.end == nil {
		return &traffic.Error{Code: traffic.CodeInput, Subject: "experiment", Text: fmt.Sprintf("%d is not prepared", q.Experiment)}
	}
	limited, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	var err error
	if len(q.Halo) > 0 {
		err = x.end.JoinHalo(limited, q.Halo)
	} else {
		err = x.end.Join(limited, q.Peer)
	}
	if err != nil {
		return err
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// HasVerbs says whether SendVerbs has given the agent linerate-verbs.
func (c *Client) HasVerbs() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.verbs
}

// SendVerbs gives the agent linerate-verbs for its host, once.
func (c *Client) SendVerbs(ctx context.Context, program []byte) error {
	err := c.ask(ctx, "send "+traffic.VerbsProgram, kindProgram, programRequest{Data: program}, func(frame) (bool, error) { return true, nil })
	if err == nil {
		c.mu.Lock()
		c.verbs = true
		c.mu.Unlock()
	}
	return err
}

// Join tells a prepared end of verbs what the other end said, and has it connect the pairs.
func (x *Experiment) Join(ctx context.Context, peer traffic.VerbsPeer) error {
	return x.client.ask(ctx, "connect "+x.asked, kindJoin, joinRequest{Experiment: x.id, Peer: peer}, func(frame) (bool, error) { return true, nil })
}

// JoinHalo tells a prepared end of halo what all its ends said, in the order of their hosts, and has it connect the processes.
func (x *Experiment) JoinHalo(ctx context.Context, peers []traffic.HaloPeer) error {
	return x.client.ask(ctx, "connect "+x.asked, kindJoin, joinRequest{Experiment: x.id, Halo: peers}, func(frame) (bool, error) { return true, nil })
}

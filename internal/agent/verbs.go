package agent

import (
	"context"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
	"linerate/internal/traffic/rdma"
)

// program keeps linerate-verbs in memory for the experiments that follow.
func (s *server) program(ctx context.Context, id uint64, q programRequest) error {
	if !s.may(allowApp) {
		return failure.Errorf(failure.CodeInput, rdma.Program, "an agent that listens runs a program of its controller's "+
			"only if it was started with --allow %s; or put %s next to linerate on that host", allowApp, rdma.Program)
	}
	s.mu.Lock()
	s.verbs = q.Data
	s.mu.Unlock()
	return s.link.send(ctx, id, kindReady, nil)
}

// join connects a prepared end with the other ends.
func (s *server) join(ctx context.Context, id uint64, q joinRequest) error {
	s.mu.Lock()
	x := s.experiments[q.Experiment]
	s.mu.Unlock()
	if x == nil || x.end == nil {
		return notPrepared(q.Experiment)
	}
	limited, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	if err := x.end.Join(limited, traffic.Peers{Verbs: q.Peer, Halo: q.Halo}); err != nil {
		return err
	}
	return s.link.send(ctx, id, kindReady, nil)
}

// HasVerbs reports whether SendVerbs has sent linerate-verbs to the agent.
func (c *Client) HasVerbs() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.verbs
}

// SendVerbs sends the agent linerate-verbs for its host.
func (c *Client) SendVerbs(ctx context.Context, program []byte) error {
	err := c.do(ctx, "send "+rdma.Program, kindProgram, programRequest{Data: program})
	if err == nil {
		c.mu.Lock()
		c.verbs = true
		c.mu.Unlock()
	}
	return err
}

// Join has a prepared end connect to the other ends, by what they reported.
func (x *Experiment) Join(ctx context.Context, peers traffic.Peers) error {
	q := joinRequest{Experiment: x.id, Peer: peers.Verbs, Halo: peers.Halo}
	return x.client.do(ctx, "connect "+x.asked, kindJoin, q)
}

package agent

import (
	"context"

	"linerate/internal/agent/copies"
	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

func (s *server) mayCopy() error { return s.allowed(allowCopy, "copy", "copies for its controller") }

// copyEnd makes an end of a copy, or carries out an operation on one.
func (s *server) copyEnd(ctx context.Context, id uint64, q copies.EndRequest) error {
	var out copies.Placed
	var err error
	switch e := s.copyEnds.get(q.End); {
	case q.Op == copies.Source || q.Op == copies.Target:
		if err := s.mayCopy(); err != nil {
			return err
		}
		if q.Path == TemporaryFolder {
			q.Path = temporaryFolder()
		}
		if e, out, err = copies.NewEnd(ctx, id, q); err == nil {
			s.copyEnds.put(id, e)
		}
	case e == nil:
		err = failure.Errorf(failure.CodeInput, "end", "%d is not an end of a copy here", q.End)
	case q.Op == copies.Remove:
		s.copyEnds.remove(q.End)
		e.Remove()
	default:
		out, err = e.Do(ctx, q.Op)
	}
	if err != nil {
		return err
	}
	return s.link.send(context.WithoutCancel(ctx), id, kindReady, out)
}

// share shares the folder of an end.
func (s *server) share(ctx context.Context, id uint64, q copies.Share) error {
	v, err := s.copyEnds.get(q.End).Share(ctx, q)
	if err != nil {
		return err
	}
	return s.link.send(context.WithoutCancel(ctx), id, kindReady, v)
}

// copy copies, and answers twice: that it is ready, and with the outcome.
func (s *server) copy(ctx context.Context, id uint64, q copies.Copy) error {
	out, err := copies.Run(ctx, q, func() error {
		if err := s.limits.ahead.check(q.AtNS - traffic.Now()); err != nil {
			return err
		}
		return s.link.send(ctx, id, kindReady, prepared{Experiment: id})
	})
	if err != nil {
		return err
	}
	return s.link.send(context.WithoutCancel(ctx), id, kindResult, out)
}

// CopyEnd has the agent make an end of a copy, or carry out an operation on one.
func (c *Client) CopyEnd(ctx context.Context, q copies.EndRequest) (copies.Placed, error) {
	return call[copies.Placed](ctx, c, "copy: "+q.Op, kindCopyEnd, q)
}

// Share has the agent share the folder of an end, until the client is closed.
func (c *Client) Share(ctx context.Context, q copies.Share) (copies.Shared, error) {
	return call[copies.Shared](ctx, c, "give a folder out over "+q.Kind, kindShare, q)
}

// Copy has the agent copy at the moment that q says, and returns how each stream ended.
func (c *Client) Copy(ctx context.Context, q copies.Copy) (*copies.Outcome, error) {
	out := &copies.Outcome{}
	err := c.ask(ctx, "copy", kindCopy, q, func(f frame) (bool, error) {
		if f.Kind == kindReady {
			return false, nil
		}
		return true, want(f, kindResult, out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

package agent

import "context"

// CopyEnd has the agent make an end of a copy, or do something with one that is there.
func (c *Client) CopyEnd(ctx context.Context, q CopyEnd) (CopyPlaced, error) {
	var out CopyPlaced
	err := c.ask(ctx, "copy: "+q.Op, kindCopyEnd, q, func(f frame) (bool, error) { return true, want(f, kindReady, &out) })
	return out, err
}

// Share has the agent give the folder of an end out, until the client is closed.
func (c *Client) Share(ctx context.Context, q Share) (Shared, error) {
	var out Shared
	err := c.ask(ctx, "give a folder out over "+q.Kind, kindShare, q, func(f frame) (bool, error) { return true, want(f, kindReady, &out) })
	return out, err
}

// Copy has the agent copy at the moment that q says, and returns what became of each stream.
func (c *Client) Copy(ctx context.Context, q Copy) (*CopyOutcome, error) {
	out := &CopyOutcome{}
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

package agent

// Closed is why a way to this host's data ports was found closed while this agent runs; empty: it was not. A way is
// whatever the caller names it.
func (c *Client) Closed(way string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closedWays[way]
}

// SetClosed notes why a way is closed; empty: it is not.
func (c *Client) SetClosed(way, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if why == "" {
		delete(c.closedWays, way)
		return
	}
	if c.closedWays == nil {
		c.closedWays = map[string]string{}
	}
	c.closedWays[way] = why
}

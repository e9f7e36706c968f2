package nvmetcp

import "context"

const maxRecords = 1024

// Discover lists the subsystems of a's host, whatever a's NQN (Base, section 5.16.1.23).
func Discover(ctx context.Context, a Address, o Options) ([]Record, error) {
	a.NQN, a.Namespace = DiscoveryNQN, 0
	o = o.identified()
	c := &Controller{address: a, o: o, subject: a.String()}
	defer func() {
		if c.admin != nil {
			c.admin.conn.Close()
		}
	}()
	if err := c.open(ctx); err != nil {
		return nil, err
	}
	defer watch(ctx, c.admin)()
	header := make([]byte, recordSize)
	if err := c.logPage(logDiscovery, header); err != nil {
		return nil, err
	}
	_, n, err := parseRecords(header)
	if err != nil {
		return nil, failure(CodeProtocol, c.subject, "%v", err)
	}
	if n == 0 {
		return nil, nil
	}
	b := make([]byte, recordSize*(1+min(n, maxRecords)))
	if err := c.logPage(logDiscovery, b); err != nil {
		return nil, err
	}
	records, _, err := parseRecords(b)
	if err != nil {
		return nil, failure(CodeProtocol, c.subject, "%v", err)
	}
	return records, nil
}

func (c *Controller) logPage(page uint8, b []byte) error {
	e := make(sqe, sqeSize)
	e.begin(opGetLogPage, 0, 0)
	words := uint32(len(b)/4 - 1)
	e.setDW(10, uint32(page)|words<<16)
	e.setDW(11, words>>16)
	_, s, n, err := c.admin.command(e, nil, b)
	switch {
	case err != nil:
		return err
	case s != 0:
		return c.statusError("Get Log Page", s)
	case n != len(b):
		return failure(CodeProtocol, c.subject, "Get Log Page brought %d bytes of %d", n, len(b))
	}
	return nil
}

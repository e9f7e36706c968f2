package nvmetcp

import "time"

// keep sends Keep Alive (Base, section 5.18) three times within the target's timeout.
func (c *Controller) keep() {
	defer close(c.stopped)
	if c.info.KeepAlive == 0 {
		return
	}
	t := time.NewTicker(c.info.KeepAlive / 3)
	defer t.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-t.C:
		}
		c.asking.Lock()
		e := make(sqe, sqeSize)
		e.begin(opKeepAlive, 0, 0)
		_, s, _, err := c.admin.command(e, nil, nil)
		c.asking.Unlock()
		if err == nil && s != 0 {
			err = c.statusError("Keep Alive", s)
		}
		select {
		case <-c.stop: // closed at the same moment
			err = nil
		default:
		}
		if err != nil {
			c.fail(err)
			return
		}
	}
}

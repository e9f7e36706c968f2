//go:build !linux && !windows && !freebsd

package collect

import (
	"errors"
	"runtime"
)

// rest reports that nothing else is read where no reader exists yet.
func (c *collector) rest() {
	c.unknown("everything but interfaces, their MTU and addresses",
		errors.New("reading a host is not supported on "+runtime.GOOS+"; give snapshots of its own commands"))
}

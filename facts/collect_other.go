//go:build !linux

package facts

import (
	"errors"
	"runtime"
)

// collect has only the host's name and system where no reader exists yet.
func (c *collector) collect() {
	c.unknown("everything", errors.New("reading a host is not supported on "+runtime.GOOS+"; give captures of its own commands"))
}

//go:build !linux

package traffic

import (
	"errors"
	"runtime"
)

func newMachine(device string, hz int) *machine {
	none := func() *procFile { return &procFile{err: errors.New("not read on " + runtime.GOOS)} }
	return &machine{stat: none(), softnet: none(), dev: none(), device: device, hz: hz}
}

//go:build !linux

package traffic

import (
	"errors"
	"runtime"

	"linerate/internal/base/unit"
)

func (w *wire) pace(unit.BitRate) error {
	return errors.New("the kernel's pacing is not used on " + runtime.GOOS)
}

// evenly: nothing spaces datagrams here.
func (w *udpWire) evenly(Setup) (by string, err error) {
	return "", errors.New("the kernel's pacing is not used on " + runtime.GOOS)
}

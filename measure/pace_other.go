//go:build !linux

package measure

import (
	"errors"
	"runtime"

	"linerate/unit"
)

func (w *wire) pace(unit.BitRate) error {
	return errors.New("the kernel's pacing is not used on " + runtime.GOOS)
}

// evenly: nothing spaces datagrams here.
func (w *udpWire) evenly(Setup) (by string, err error) {
	return "", errors.New("the kernel's pacing is not used on " + runtime.GOOS)
}

//go:build !linux

package measure

import (
	"errors"
	"runtime"

	"linerate/facts"
)

func coreTimes() ([]facts.CoreTime, error) {
	return nil, errors.New("the time of each core is not read on " + runtime.GOOS)
}

//go:build !linux

package traffic

import (
	"errors"
	"runtime"

	"linerate/internal/facts"
)

func coreTimes() ([]facts.CoreTime, error) {
	return nil, errors.New("the time of each core is not read on " + runtime.GOOS)
}

//go:build !linux

package traffic

import (
	"errors"
	"runtime"
)

func allowedCores() []int { return nil }

func pinThread([]int) error {
	return errors.New("threads are not placed on cores on " + runtime.GOOS)
}

func nameThread(string) (int, string) { return 0, "" }

//go:build !linux

package placement

import (
	"errors"
	"runtime"
)

func AllowedCores() []int { return nil }

func pinThread([]int) error {
	return errors.New("threads are not placed on cores on " + runtime.GOOS)
}

func nameThread(string) (int, string) { return 0, "" }

// Precede needs Linux.
func Precede() (back func()) { return func() {} }

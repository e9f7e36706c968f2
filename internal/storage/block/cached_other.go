//go:build !linux

package block

import (
	"errors"
	"os"
	"runtime"

	"linerate/internal/base/unit"
)

// DropCached is not done on this system.
func DropCached(*os.File) error {
	return errors.New("how " + runtime.GOOS + " lets go of a file's pages is not known here")
}

// Cached is not known on this system.
func Cached(*os.File) (unit.Bytes, error) {
	return 0, errors.New("what " + runtime.GOOS + " has in its cache is not read")
}

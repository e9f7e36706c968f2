//go:build !linux && !freebsd && !darwin && !windows

package runfolder

import (
	"errors"
	"os"
	"runtime"
)

var diskFull = errors.New("no space left on device")

func lock(*os.File) error {
	return errors.New("locking a run folder is not supported on " + runtime.GOOS)
}

func syncDir(string) error { return nil }

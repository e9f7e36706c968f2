//go:build unix

package watch

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// processTime returns the CPU time of all threads of this process, in seconds.
func processTime() (user, system float64, err error) {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0, 0, fmt.Errorf("CPU time of this process: getrusage: %w", err)
	}
	return float64(u.Utime.Nano()) / 1e9, float64(u.Stime.Nano()) / 1e9, nil
}

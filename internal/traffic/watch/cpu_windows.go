package watch

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// processTime returns the CPU time of all threads of this process, in seconds.
func processTime() (user, system float64, err error) {
	var created, exited, kernel, usr windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &usr); err != nil {
		return 0, 0, fmt.Errorf("CPU time of this process: GetProcessTimes: %w", err)
	}
	return filetimeSeconds(usr), filetimeSeconds(kernel), nil
}

// filetimeSeconds reads a duration in units of 100 ns.
func filetimeSeconds(t windows.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}

package measure

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// allowedCores is the cores that the calling thread may run on; nil if the kernel does not say.
func allowedCores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var out []int
	for c := range mostCores {
		if set.IsSet(c) {
			out = append(out, c)
		}
	}
	return out
}

// pinThread lets the calling thread, which must be locked, run on these cores alone.
func pinThread(cores []int) error {
	var set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &set); err != nil {
		return fmt.Errorf("%s: %w; this process may not use them, or this host does not have them", coresText(cores), err)
	}
	return nil
}

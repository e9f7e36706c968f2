// Package gomaxprocs is the only place that changes this process's GOMAXPROCS.
//
// A thread in a system call keeps one of the GOMAXPROCS slots, or needs one as soon as it returns: waiting for a slot
// would distort the measurement. The number only rises, because lowering it stops all goroutines, perhaps during
// another measurement.
package gomaxprocs

import (
	"runtime"
	"sync"
)

// rest is for threads that inspect the host, send samples and collect garbage.
const rest = 4

var (
	mu       sync.Mutex
	reserved int
)

// Reserve makes room for threads, in addition to all other reservations and a rest for the process itself. release ends
// the reservation; GOMAXPROCS stays.
func Reserve(threads int) (release func()) {
	mu.Lock()
	defer mu.Unlock()
	reserved += threads
	raise(reserved + rest)
	return func() {
		mu.Lock()
		defer mu.Unlock()
		reserved -= threads
	}
}

// AtLeast raises GOMAXPROCS to n if it is lower.
func AtLeast(n int) {
	mu.Lock()
	defer mu.Unlock()
	raise(n)
}

func raise(n int) {
	if runtime.GOMAXPROCS(0) < n {
		runtime.GOMAXPROCS(n)
	}
}

// Package gomaxprocs is the one owner of this process's GOMAXPROCS.
//
// A thread in a system call keeps its place among GOMAXPROCS, or wants one back at once: waiting for it would be measured.
// The number only rises, because lowering it stops all goroutines, perhaps in the middle of another measurement.
package gomaxprocs

import (
	"runtime"
	"sync"
)

// rest is for threads that look at the host, send samples and collect garbage.
const rest = 4

var (
	mu       sync.Mutex
	reserved int
)

// Reserve makes room for threads, next to those of all others that hold a reservation and some for the rest of the
// process. release gives the reservation back; GOMAXPROCS stays.
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

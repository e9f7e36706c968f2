//go:build race

package runfolder

// underRace reduces the largest tests: the race detector makes compression fifty times slower and distorts the heap.
const underRace = true

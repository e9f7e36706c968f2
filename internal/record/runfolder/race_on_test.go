//go:build race

package runfolder

// underRace: the race detector makes compression fifty times slower and tells nothing
// about the heap, so that the largest tests are made smaller.
const underRace = true

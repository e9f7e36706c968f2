package record

import "strconv"

// The values of WHEN in `snapshots/HOST.WHEN.txtar`, the time of a snapshot. Idle and IdleEnd are of the whole run, the
// others of one experiment (see At and DuringOf).
const (
	Idle    = "idle"
	IdleEnd = "idle-end" // two seconds later
	Before  = "before"
	During  = "during"
	After   = "after"
)

// At returns the WHEN of a snapshot around one experiment: "before-3f2a91c0d4".
func At(when, experimentID string) string { return when + "-" + experimentID }

// MostDuring is the largest number of snapshots that are kept of a running experiment.
const MostDuring = 8

// DuringOf returns the WHEN of the nth snapshot, from 0, during an experiment: "during-3f2a91c0d4",
// "during2-3f2a91c0d4".
func DuringOf(n int, experimentID string) string {
	if n == 0 {
		return At(During, experimentID)
	}
	return At(During+strconv.Itoa(n+1), experimentID)
}

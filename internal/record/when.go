package record

import "strconv"

// When a capture was taken: captures/HOST.WHEN.txtar. Idle and IdleEnd are of
// the whole run; before, during and after are of one experiment, see At and DuringOf.
const (
	Idle    = "idle"
	IdleEnd = "idle-end" // two seconds later: what moves by itself
	Before  = "before"
	During  = "during"
	After   = "after"
)

// At is the WHEN of a capture around one experiment: "before-3f2a91c0d4".
func At(when, experimentID string) string { return when + "-" + experimentID }

// MostDuring is how many captures are kept while an experiment runs, at most.
const MostDuring = 8

// DuringOf is the WHEN of the nth capture, from 0, while an experiment ran: "during-3f2a91c0d4", "during2-3f2a91c0d4". Folders of older
// versions have the first alone.
func DuringOf(n int, experimentID string) string {
	if n == 0 {
		return At(During, experimentID)
	}
	return At(During+strconv.Itoa(n+1), experimentID)
}

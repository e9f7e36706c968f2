package result

// When a capture was taken: captures/HOST.WHEN.txtar. Idle and IdleEnd are of
// the whole run; before, during and after are of one experiment, see At.
const (
	Idle    = "idle"
	IdleEnd = "idle-end" // two seconds later: what moves by itself
	Before  = "before"
	During  = "during"
	After   = "after"
)

// At is the WHEN of a capture around one experiment: "before-3f2a91c0d4".
func At(when, experimentID string) string { return when + "-" + experimentID }

// CaptureName is the name of a capture in the run folder.
func CaptureName(host, when string) string {
	return CapturesName + "/" + host + "." + when + ".txtar"
}

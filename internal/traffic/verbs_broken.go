package traffic

import (
	"errors"
	"fmt"
	"strconv"
)

// VerbsBroken is how a run ended before its time, because a queue pair of this end went into error. What was measured until then is kept.
type VerbsBroken struct {
	AtNS int64 `json:"at_ns"` // when it was noticed, after the window opened; below 0: before
	// LastNS is when the last request was done, after the window opened: packets were sent again in vain since then; 0: none was.
	LastNS int64  `json:"last_ns"`
	Text   string `json:"text"`
}

// goneSteps are those of an error of the program that says that the other end is gone, or the way to it: a request failed, none can be posted any more, or
// nothing has come back for long.
var goneSteps = map[string]bool{"completion": true, "post": true, "peer": true}

// brokeAt is when the program's queue pairs failed, by its clock; ok is false where they did not, or it says nothing of what it measured before.
func brokeAt(r verbsReport) (at int64, ok bool) {
	var line *verbsError
	if !errors.As(r.err, &line) || !goneSteps[line.Values["step"]] || !r.told {
		return 0, false
	}
	at, err := strconv.ParseInt(line.Values["at"], 10, 64)
	return at, err == nil && at > 0
}

// last is the program's stamp of the last completion of any pair; 0: there was none.
func (r verbsReport) last() (last int64) {
	for _, p := range r.pairs {
		last = max(last, p.last)
	}
	return last
}

// broke notes that the window ended at a stamp of this process's clock, after the last request was done, and why.
func (v *VerbsSeen) broke(w window, at, last int64, why error) {
	v.Broken = &VerbsBroken{AtNS: at - w.open, LastNS: max(0, min(last, at, w.close)-w.open), Text: why.Error()}
	v.Seconds = float64(v.Broken.LastNS) / 1e9
}

// unanswered is the error of an end that waited for the other in vain until its time was over.
func (e *verbsEnd) unanswered() error {
	return &Error{Code: CodeTimeout, Subject: e.setup.Local.String() + " -> " + e.setup.Remote.String(),
		Text: fmt.Sprintf("nothing came back from the other end within %v of the window's end; does it answer ping %s, is the hardware address that ip neigh has for it its own, and does no firewall or switch drop RoCE (UDP port 4791)?", verbsDrain, e.setup.Remote)}
}

package rdma

import (
	"errors"
	"fmt"
	"strconv"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// goneSteps has the steps of an error after which the other end, or the path to it, is gone: a request failed, none can
// be posted any more, or nothing has arrived for long.
var goneSteps = map[string]bool{"completion": true, "post": true, "peer": true}

// brokeAt returns when the program's queue pairs failed, by its clock; ok is false where they did not, or where the
// program has no results from before.
func brokeAt(r Report) (at int64, ok bool) {
	var line *LineError
	if !errors.As(r.Err, &line) || !goneSteps[line.Values["step"]] || !r.reported {
		return 0, false
	}
	at, err := strconv.ParseInt(line.Values["at"], 10, 64)
	return at, err == nil && at > 0
}

// last returns the program's stamp of the last completion of any pair; 0: there was none.
func (r Report) last() (last int64) {
	for _, p := range r.pairs {
		last = max(last, p.last)
	}
	return last
}

// broke notes that the interval ended at a stamp of this process's clock, when the last request was done, and why.
func broke(v *traffic.VerbsSeen, w traffic.Interval, at, last int64, why error) {
	v.Broken = &traffic.VerbsBroken{AtNS: at - w.Open, LastNS: max(0, min(last, at, w.Close)-w.Open), Text: why.Error()}
	v.Seconds = float64(v.Broken.LastNS) / 1e9
}

// unanswered is the error of an end that waited for the other until the end of its time.
func (e *Engine) unanswered() error {
	return &failure.Error{Code: failure.CodeTimeout, Subject: e.setup.Local.String() + " -> " + e.setup.Remote.String(),
		Text: fmt.Sprintf("nothing came back from the other end within %v of the interval's end; does it answer ping %s, is "+
			"the hardware address that ip neigh has for it its own, and does no firewall or switch drop RoCE (UDP port 4791)?",
			verbsDrain, e.setup.Remote)}
}

package apply

import (
	"context"
	"fmt"
	"strings"
	"time"

	"linerate/internal/host/connect"
)

// Patience is how long a host waits for somebody to ask for it before it takes everything back, in seconds.
const Patience = 60

// Job is one host and the scripts that it is to get.
type Job struct {
	Reach connect.Reach
	// Scripts by name: apply.sh, verify.sh and undo.sh are needed; verify.sh ends with 0 as planned, 1 not, 3 not known.
	Scripts  map[string]string
	Env      []string // of the scripts, NAME=VALUE
	State    string   // folder on the host in which apply.sh keeps what was before
	Patience int      // seconds; 0: Patience
	Folder   string   // on the host, for the scripts, the guard and their logs
	// Say gets what happens, a sentence at a time; nil drops it.
	Say func(string)

	interval time.Duration // between two questions; 0: every
}

// Look is what was found on a host before anything is changed.
type Look struct {
	AsPlanned bool
	// Differences and Unknown are the lines of verify.sh that are not ok.
	Differences []string
	Unknown     []string
	// Control is the interface that the connection to the host comes in over; empty: none (the host is this
	// machine), or it is not known, which ControlWhy says.
	Control    string
	ControlWhy string
	// Fleeting is why nothing that is installed there outlives a reboot; empty: nothing is known against it.
	Fleeting string
}

// Ended is how a host was left.
type Ended string

// The ways in which an apply ends.
const (
	AsPlanned Ended = "as-planned" // nothing was to change
	Applied   Ended = "applied"    // verified and confirmed
	Undone    Ended = "undone"     // taken back, and what differed before differs again
	Stuck     Ended = "stuck"      // the undo failed, or left something else than before
	NotKnown  Ended = "not-known"  // the host does not answer
)

// Outcome is how an apply ended, and what there is to read about it.
type Outcome struct {
	Ended Ended
	Why   string // one sentence
	// Log is what the scripts wrote that explains it.
	Log []string
	// Saved is the undo as the host keeps it: name to content.
	Saved map[string]string
}

// Folder is where an apply keeps its scripts, its guard and their logs on a host.
func Folder(fabric, host string) string { return "/run/linerate/apply-" + fabric + "-" + host }

func (j *Job) patience() int {
	if j.Patience > 0 {
		return j.Patience
	}
	return Patience
}

func (j *Job) say(format string, args ...any) {
	if j.Say != nil {
		j.Say(fmt.Sprintf(format, args...))
	}
}

// every is how often the host is asked; each time by a fresh connection.
const every = 2 * time.Second

func (j *Job) every() time.Duration {
	if j.interval > 0 {
		return j.interval
	}
	return every
}

// Run applies: it starts the guard on the host, asks for it until it is verified, and confirms. Look comes first. The
// context's end asks the guard to take everything back; it does so too when it is never asked again.
func (j *Job) Run(ctx context.Context) (Outcome, error) {
	if err := j.start(ctx); err != nil {
		return Outcome{}, err
	}
	var last string
	lost := time.Time{}
	for {
		state, err := j.ask(ctx)
		if ctx.Err() != nil {
			return j.abort()
		}
		switch {
		case err != nil:
			if lost.IsZero() {
				lost = time.Now()
				j.say("the connection is lost (%v); the host takes everything back %d s after it was last asked", err, j.patience())
			}
			// The host needs its patience, then the time of the undo, and may be reached again only then.
			if time.Since(lost) > time.Duration(j.patience())*time.Second+30*time.Second {
				return Outcome{Ended: NotKnown, Why: fmt.Sprintf("the host has not answered for %.0f s: %v; its own timer takes everything back, what it did stands in %s/state there",
					time.Since(lost).Seconds(), err, j.Folder)}, nil
			}
		default:
			if !lost.IsZero() {
				j.say("the host answers again after %.0f s", time.Since(lost).Seconds())
				lost = time.Time{}
			}
			if state != last {
				j.say("%s", state)
				last = state
			}
			if o, done := j.outcome(ctx, state); done {
				return o, nil
			}
		}
		select {
		case <-ctx.Done():
			return j.abort()
		case <-time.After(j.every()):
		}
	}
}

// outcome confirms what waits to be confirmed, and reads how it ended.
func (j *Job) outcome(ctx context.Context, state string) (Outcome, bool) {
	word, why, _ := strings.Cut(state, " ")
	switch word {
	case "waiting":
		if err := j.put(ctx, "confirm"); err != nil {
			j.say("verified, but the host does not answer any more (%v)", err)
		}
		return Outcome{}, false
	case "applied":
		o := Outcome{Ended: Applied, Why: "verified, and the host was reached anew", Saved: j.saved(ctx)}
		_, o.Log = sort(j.read(ctx, "verify.log"))
		return o, true
	case "undone", "stuck":
		return Outcome{Ended: Ended(word), Why: why, Log: j.logs(ctx)}, true
	}
	return Outcome{}, false
}

// abort asks the guard to take everything back, with a context of its own: the user's has ended.
func (j *Job) abort() (Outcome, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	j.say("interrupted: asking the host to take everything back")
	err := j.put(ctx, "abort")
	for err == nil {
		var state string
		if state, err = j.ask(ctx); err == nil {
			if o, done := j.outcome(ctx, strings.Replace(state, "waiting", "abort", 1)); done {
				return o, nil
			}
		}
		select {
		case <-ctx.Done():
			err = ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
	return Outcome{Ended: NotKnown, Why: fmt.Sprintf("interrupted, and the host did not say that it took everything back (%v); its timer does within %d s", err, j.patience())}, nil
}

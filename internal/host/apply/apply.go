package apply

import (
	"context"
	"crypto/rand"
	"fmt"
	"path"
	"strings"
	"time"

	"linerate/internal/host/connect"
)

// Patience is the time that a host waits for a query of its controller before it undoes everything, in seconds.
const Patience = 60

// Job is one host with the scripts to apply.
type Job struct {
	Connection connect.Connection
	// Scripts by name: apply.sh, verify.sh and undo.sh are needed; verify.sh exits with 0 for as planned, 1 for not as
	// planned, 3 for not known.
	Scripts  map[string]string
	Env      []string // for the scripts, NAME=VALUE
	State    string   // folder on the host in which apply.sh saves the previous state
	Patience int      // seconds; 0: Patience
	Folder   string   // on the host, for the scripts, the guard and their logs
	// Say gets progress messages, one sentence each; nil drops them.
	Say func(string)

	interval time.Duration // between two queries; 0: every
}

// Look is the state of a host before anything is changed.
type Look struct {
	AsPlanned bool
	// Differences and Unknown are the lines of verify.sh that are not ok.
	Differences []string
	Unknown     []string
	// Control is the interface of the connection to the host; empty: none (the host is this machine), or not known, with
	// the reason in ControlWhy.
	Control    string
	ControlWhy string
	// Fleeting is the reason why installed files do not survive a reboot; empty: no reason is known.
	Fleeting string
}

// Ended is the state in which apply left a host.
type Ended string

// The states in which apply leaves a host.
const (
	AsPlanned Ended = "as-planned" // there was nothing to change
	Applied   Ended = "applied"    // verified and confirmed
	Undone    Ended = "undone"     // undone, with the same differences as before
	Stuck     Ended = "stuck"      // the undo failed, or left a state that differs from before
	NotKnown  Ended = "not-known"  // the host does not answer
)

// Outcome is the result of an apply.
type Outcome struct {
	Ended Ended
	Why   string // one sentence
	// Log is the output of the scripts that explains it.
	Log []string
	// Saved are the undo files on the host: name to content.
	Saved map[string]string
}

// Folder returns the folder of an apply on a host, with its scripts, its guard and their logs.
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

// every is the time between queries. Each opens a new connection.
const every = 2 * time.Second

func (j *Job) every() time.Duration {
	if j.interval > 0 {
		return j.interval
	}
	return every
}

// Run applies the configuration: it starts the guard on the host, queries it until the result is verified, and
// confirms. Look must come first. When the context ends, the guard undoes everything. It also does so when queries
// stop.
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
			// The host waits for Patience, then needs time for the undo, and may only be reachable after that.
			if time.Since(lost) > time.Duration(j.patience())*time.Second+30*time.Second {
				return Outcome{
					Ended: NotKnown,
					Why: fmt.Sprintf(
						"the host has not answered for %.0f s: %v; its own timer takes everything back, what it did is in "+
							"%s/state there", time.Since(lost).Seconds(), err, j.Folder),
				}, nil
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

// outcome confirms an apply that waits for it, and reads the result.
func (j *Job) outcome(ctx context.Context, state string) (Outcome, bool) {
	word, why, _ := strings.Cut(state, " ")
	switch word {
	case "waiting":
		if err := j.put(ctx, "confirm"); err != nil {
			j.say("verified, but the host does not answer any more (%v)", err)
		}
		return Outcome{}, false
	case "applied":
		o := Outcome{Ended: Applied, Why: "verified, and the host was reached again", Saved: j.saved(ctx)}
		_, o.Log = sort(j.read(ctx, "verify.log"))
		return o, true
	case "undone", "stuck":
		return Outcome{Ended: Ended(word), Why: why, Log: j.logs(ctx)}, true
	}
	return Outcome{}, false
}

// abort asks the guard to undo everything, with a context of its own: the user's has ended.
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
	return Outcome{
		Ended: NotKnown,
		Why: fmt.Sprintf(
			"interrupted, and the host did not say that it took everything back (%v); its timer does within %d s", err,
			j.patience()),
	}, nil
}

// beat returns a word that no earlier beat used.
func beat() string { return rand.Text() }

// saved reads the present undo files of the host: undo.sh, and the state before the first apply.
func (j *Job) saved(ctx context.Context) map[string]string {
	out := map[string]string{"undo.sh": j.Scripts["undo.sh"]}
	if j.State == "" {
		return out
	}
	// A host may have another state folder than the scripts' default. It is passed here as to the scripts.
	const here = `cd "${LINERATE_STATE:-$1}" && `
	read := func(script string, args ...string) string {
		argv := append([]string{"sh", "-c", here + script, "sh", j.State}, args...)
		got, err := connect.RunCommand(ctx, j.Connection, connect.Command{Argv: argv, Env: j.Env})
		if err != nil || got.Exit != 0 {
			return ""
		}
		return string(got.Stdout)
	}
	for _, name := range strings.Fields(read("ls")) {
		out[path.Join("state", path.Base(name))] = read(`cat "./$2"`, path.Base(name))
	}
	return out
}

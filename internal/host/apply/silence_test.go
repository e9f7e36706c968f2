package apply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/host/connect"
)

// clockwork is a host in a synctest bubble. Its guard has a state for each time since the start, and the host answers
// except between two times.
type clockwork struct {
	began       time.Time
	states      []stateAt
	lost, found time.Duration
	confirmed   bool
	aborted     bool
	asked       int
}

type stateAt struct {
	after time.Duration
	state string
}

func (*clockwork) String() string { return "ssh host" }
func (*clockwork) Close() error   { return nil }

type exited int

func (e exited) Wait() (int, error) { return int(e), nil }
func (e exited) Kill() error        { return nil }

var errLost = errors.New("no answer")

func (h *clockwork) Start(_ context.Context, c connect.Command) (connect.Process, error) {
	after := time.Since(h.began)
	if after >= h.lost && after < h.found {
		return nil, errLost
	}
	last := c.Argv[len(c.Argv)-1]
	switch script := strings.Join(c.Argv, " "); {
	case strings.Contains(script, "echo \"$2\" >beat"):
		h.asked++
		fmt.Fprintln(c.Stdout, h.state(after))
	case strings.HasSuffix(last, "/confirm"):
		h.confirmed = true
	case strings.HasSuffix(last, "/abort"):
		h.aborted = true
	}
	return exited(0), nil
}

func (h *clockwork) state(after time.Duration) (state string) {
	for _, s := range h.states {
		if after >= s.after {
			state = s.state
		}
	}
	switch {
	case state == "waiting" && h.confirmed:
		return "applied"
	case h.aborted:
		return "undone it was asked to"
	}
	return state
}

// What Run does while a host works, falls silent, and comes back or never does.
func TestRunOverTime(t *testing.T) {
	works := []stateAt{{0, "applying"}, {5 * time.Second, "verifying"}, {9 * time.Second, "waiting"}}
	undone := []stateAt{{0, "applying"}, {80 * time.Second, "undone nobody asked for 60 s while apply.sh was running"}}
	for name, c := range map[string]struct {
		host  clockwork
		stop  time.Duration // the context ends then; 0: it does not
		ended Ended
		why   string
		after time.Duration
		said  string
	}{
		"confirmed": {clockwork{states: works}, 0, Applied, "the host was reached again", 12 * time.Second, "waiting"},
		"silent for a while": {clockwork{states: works, lost: 3 * time.Second, found: 30 * time.Second}, 0,
			Applied, "the host was reached again", 32 * time.Second, "the host answers again after 26 s"},
		"silent, and it took all back": {clockwork{states: undone, lost: 3 * time.Second, found: 85 * time.Second}, 0,
			Undone, "nobody asked for 60 s", 86 * time.Second, "takes everything back 60 s after it was last asked"},
		"silent for ever": {clockwork{states: works, lost: 3 * time.Second, found: time.Hour}, 0, NotKnown,
			"the host has not answered for 92 s: no answer", 96 * time.Second, "the connection is lost"},
		"interrupted": {clockwork{states: works}, 3 * time.Second, Undone, "it was asked to", 3 * time.Second, "interrupted"},
		"interrupted, and it is silent": {clockwork{states: works, lost: time.Second, found: time.Hour}, 3 * time.Second,
			NotKnown, "did not say that it took everything back (no answer)", 3 * time.Second, "interrupted"},
		"interrupted, and it does nothing": {clockwork{states: []stateAt{{0, "applying"}}, lost: 4 * time.Second,
			found: time.Hour}, 3 * time.Second, Undone, "it was asked to", 3 * time.Second, "interrupted"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := c.host
				h.began = time.Now()
				var said []string
				j := &Job{Connection: &h, Folder: "/run/x", Say: func(s string) { said = append(said, s) }}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if c.stop > 0 {
					time.AfterFunc(c.stop, cancel)
				}
				o, err := j.Run(ctx)
				if err != nil || o.Ended != c.ended || !strings.Contains(o.Why, c.why) {
					t.Errorf("%+v, %v; want %s: %s", o, err, c.ended, c.why)
				}
				if took := time.Since(h.began); took != c.after {
					t.Errorf("it took %v, want %v", took, c.after)
				}
				if text := strings.Join(said, "\n"); !strings.Contains(text, c.said) {
					t.Errorf("said %q, want %q", text, c.said)
				}
				if c.ended == Applied != h.confirmed || h.asked == 0 {
					t.Errorf("confirmed %v, asked %d times", h.confirmed, h.asked)
				}
			})
		})
	}
}

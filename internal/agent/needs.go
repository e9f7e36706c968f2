package agent

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"runtime"
	"time"

	"linerate/internal/facts"
	"linerate/internal/traffic"
)

type needsRequest struct {
	Programs []string `json:"programs"`
	Rooms    []string `json:"rooms,omitempty"`
}

// busyWindow is for how long the processors are watched: 20 ticks of their clocks' 100 Hz.
const busyWindow = 200 * time.Millisecond

var programName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

func (t limitTable) checkNeeds(q needsRequest) error {
	for _, names := range [][]string{q.Programs, q.Rooms} {
		if err := t.programs.check(int64(len(names))); err != nil {
			return err
		}
	}
	for _, name := range q.Programs {
		if !programName.MatchString(name) {
			return &traffic.Error{Code: traffic.CodeInput, Subject: "program", Text: fmt.Sprintf("%.40q is no name of a program; a path is not looked for", name)}
		}
	}
	return nil
}

// needs looks at this host, and changes nothing. The processors are watched before anything else is done.
func needs(ctx context.Context, programs, rooms []string) facts.Needs {
	n := facts.Needs{UID: os.Geteuid(), NoRing: notAsked, NoNamespaces: notAsked, Programs: map[string]string{}}
	n.Busy = busy(ctx)
	if u, err := user.Current(); err == nil {
		n.User = u.Username
	}
	for _, name := range programs {
		n.Programs[name], _ = lookProgram(name)
	}
	for _, path := range rooms {
		n.Rooms = append(n.Rooms, roomAt(path))
	}
	switch runtime.GOOS {
	case "freebsd", "windows", "darwin":
		n.Family = runtime.GOOS
	}
	if i, err := traffic.SelftestClock(); err == nil {
		n.Clock = facts.Clock{Resolution: i.ClockResolution, Cost: i.ClockCost, Overshoot: i.Overshoot.P99}
	}
	moreNeeds(ctx, &n)
	n.WallNS = time.Now().UnixNano()
	return n
}

// notAsked stands where a system has no such question.
const notAsked = "-"

// Needs has the host say what a run wants of it beside a capture, which of the programs it has, and of each path of rooms what could be written there.
// It takes half a second, and nothing is written.
func (c *Client) Needs(ctx context.Context, programs []string, rooms ...string) (n facts.Needs, err error) {
	err = c.ask(ctx, "look what a run needs", kindNeeds, needsRequest{programs, rooms}, func(f frame) (bool, error) { return true, want(f, kindReady, &n) })
	return n, err
}

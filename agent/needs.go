package agent

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"runtime"
	"time"

	"linerate/facts"
	"linerate/measure"
)

type needsRequest struct {
	Programs []string `json:"programs"`
}

// busyWindow is for how long the processors are watched: 20 ticks of their clocks' 100 Hz.
const busyWindow = 200 * time.Millisecond

var programName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

func (t limitTable) checkPrograms(names []string) error {
	if err := t.programs.check(int64(len(names))); err != nil {
		return err
	}
	for _, name := range names {
		if !programName.MatchString(name) {
			return &measure.Error{Code: measure.CodeInput, Subject: "program", Text: fmt.Sprintf("%.40q is no name of a program; a path is not looked for", name)}
		}
	}
	return nil
}

// needs looks at this host, and changes nothing. The processors are watched before anything else is done.
func needs(ctx context.Context, programs []string) facts.Needs {
	n := facts.Needs{UID: os.Geteuid(), NoRing: notAsked, NoNamespaces: notAsked, Programs: map[string]string{}}
	n.Busy = busy(ctx)
	if u, err := user.Current(); err == nil {
		n.User = u.Username
	}
	for _, name := range programs {
		n.Programs[name], _ = lookProgram(name)
	}
	switch runtime.GOOS {
	case "freebsd", "windows", "darwin":
		n.Family = runtime.GOOS
	}
	if i, err := measure.SelftestClock(); err == nil {
		n.Clock = facts.Clock{Resolution: i.ClockResolution, Cost: i.ClockCost, Overshoot: i.Overshoot.P99}
	}
	moreNeeds(ctx, &n)
	n.WallNS = time.Now().UnixNano()
	return n
}

// notAsked stands where a system has no such question.
const notAsked = "-"

// Needs has the host say what a run wants of it beside a capture, and which of the programs it has. It takes half a second.
func (c *Client) Needs(ctx context.Context, programs []string) (n facts.Needs, err error) {
	err = c.ask(ctx, "look what a run needs", kindNeeds, needsRequest{programs}, func(f frame) (bool, error) { return true, want(f, kindReady, &n) })
	return n, err
}

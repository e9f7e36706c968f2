package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/user"
	"regexp"
	"runtime"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
	"linerate/internal/storage/block"
	"linerate/internal/traffic/selftest"
)

type needsRequest struct {
	Programs []string `json:"programs"`
	Rooms    []string `json:"rooms,omitempty"`
}

// busyInterval is how long the CPUs are watched: 20 ticks of the kernel's 100 Hz.
const busyInterval = 200 * time.Millisecond

var programName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

func (t limitTable) checkNeeds(q needsRequest) error {
	for _, names := range [][]string{q.Programs, q.Rooms} {
		if err := t.programs.check(int64(len(names))); err != nil {
			return err
		}
	}
	for _, name := range q.Programs {
		if !programName.MatchString(name) {
			return failure.Errorf(failure.CodeInput, "program", "%.40q is not a name of a program; a path is not looked "+
				"for", name)
		}
	}
	return nil
}

// needs looks at this host. It writes nothing. The CPUs are watched before anything else is done.
func needs(ctx context.Context, programs, rooms []string) facts.Needs {
	n := facts.Needs{UID: os.Geteuid(), NoRing: notAsked, NoNamespaces: notAsked, Programs: map[string]string{}}
	n.Busy = busy(ctx)
	if u, err := user.Current(); err == nil {
		n.User = u.Username
	}
	for _, name := range programs {
		n.Programs[name], _ = process.Look(name)
	}
	n.Rooms = xslices.Map(rooms, roomAt)
	switch runtime.GOOS {
	case "freebsd", "windows", "darwin":
		n.Family = runtime.GOOS
	}
	if i, err := selftest.Clock(); err == nil {
		n.Clock = facts.Clock{Resolution: i.ClockResolution, Cost: i.ClockCost, Overshoot: i.Overshoot.P99}
	}
	moreNeeds(ctx, &n)
	n.WallNS = time.Now().UnixNano()
	return n
}

// notAsked is the answer to a question that a system does not have.
const notAsked = "-"

// Needs has the host report what a run needs of it in addition to a snapshot, which of the programs it has, and what
// could be written at each path of rooms. It takes half a second, and nothing is written.
func (c *Client) Needs(ctx context.Context, programs []string, rooms ...string) (facts.Needs, error) {
	return call[facts.Needs](ctx, c, "look what a run needs", kindNeeds, needsRequest{programs, rooms})
}

// roomAt looks at a path of this host. It writes nothing.
func roomAt(path string) facts.Room {
	r := facts.Room{Path: path}
	info, err := os.Stat(path)
	if err != nil {
		r.Missing = err.Error()
		var p *fs.PathError
		if errors.As(err, &p) {
			r.Missing = p.Err.Error()
		}
		return r
	}
	switch {
	case info.IsDir():
		r.Kind = "folder"
	case info.Mode().IsRegular():
		r.Kind = "file"
	default:
		r.Kind, r.Missing = "device", "it is not a folder"
		return r
	}
	if f, err := os.Open(path); err == nil {
		at := block.PlaceOf(f)
		r.FileSystem, r.Mount, r.Source = at.FileSystem, at.Mount, at.Source
		f.Close()
	}
	if free, err := block.Free(path); err == nil {
		n := int64(free)
		r.Free = &n
	}
	switch {
	case r.Kind == "file":
		r.Missing = "it is not a folder"
	case !block.MayWrite(path):
		r.Missing = "this user may not write there"
	}
	return r
}

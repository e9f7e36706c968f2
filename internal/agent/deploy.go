package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"linerate/internal/host/connect"
)

// DeployOptions say where the agent's program comes from. All may be empty.
type DeployOptions struct {
	AgentFile string // --agent FILE: this program, whatever else there is
	Version   string // of the controller; names the folder of a release in the user's cache
	Source    string // folder of linerate's source, for building; empty: the one this program was built from, if it is still there
	CacheDir  string // empty: the user's cache folder

	self string // where this program lies, for tests; empty: where it does
}

// Deployed is an agent that is ready to be started on a host.
type Deployed struct {
	// Argv starts it over the same reach. On another Unix machine it ends in --unlink-self: the agent then removes its
	// own file, and the folder that held only that, as soon as it runs.
	Argv []string
	// Cleanup removes what was sent, if it is still there. Call it once the agent has said hello, and in any case. It
	// returns within seconds.
	Cleanup func()
	// Held says that the system keeps the program's file while it runs: Cleanup is of use only after the agent's end.
	Held bool
}

// ErrNoAgent marks that there is no program for the host's system; the run goes on without that host.
var ErrNoAgent = errors.New("no agent for this system")

const (
	askTimeout     = 30 * time.Second // one short command on a host
	sendTimeout    = 10 * time.Minute // sending the program over a slow line
	cleanupTimeout = 5 * time.Second
)

// Deploy puts the agent's program on the host of r. On this machine nothing is sent: the running program is the agent.
// On a node that sees this machine's files it is started where it lies, if it is the same one there.
// Elsewhere the program goes over the reach itself into a private folder (0700) under a name with its SHA-256, which is
// computed again on the host before it gets its name. When this process dies at any moment, the host removes the folder.
func Deploy(ctx context.Context, r connect.Reach, opt DeployOptions) (Deployed, error) {
	if connect.OnlyAgent(r) {
		return Deployed{Argv: connect.AgentCommand(), Cleanup: func() {}}, nil
	}
	if argv := connect.AgentProgram(r); argv != nil && opt.AgentFile == "" {
		return Deployed{Argv: argv, Cleanup: func() {}}, nil
	}
	if connect.SameMachine(r) {
		path, err := os.Executable()
		if opt.AgentFile != "" {
			path, err = filepath.Abs(opt.AgentFile)
		}
		if err != nil {
			return Deployed{}, fmt.Errorf("%s: find the running program: %w; try: --agent FILE", r, err)
		}
		return Deployed{Argv: []string{path, "agent"}, Cleanup: func() {}}, nil
	}
	sys, err := askSystem(ctx, r)
	if err != nil {
		return Deployed{}, err
	}
	p, err := findProgram(ctx, sys, opt)
	if err != nil {
		return Deployed{}, fmt.Errorf("%s: %w", r, err)
	}
	if connect.MaySeeFiles(r) {
		path, there, err := sameProgram(ctx, r, p)
		if err != nil {
			return Deployed{}, err
		}
		if there {
			return Deployed{Argv: []string{path, "agent"}, Cleanup: func() {}}, nil
		}
	}
	if sys.os == "windows" {
		return deployWindows(ctx, r, p)
	}
	return deployUnix(ctx, r, p)
}

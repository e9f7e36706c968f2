// Package deploy puts linerate's program on a host, so that it can be started there as an agent.
package deploy

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"linerate/internal/host/connect"
)

// Options say which program is deployed. All may be empty.
type Options struct {
	AgentFile string // --agent FILE: this program, whatever else there is
	Version   string // of the controller; names the folder of a release in the user's cache
	// Source is the folder of linerate's source; empty: the one that this program was built from, if it still exists.
	Source   string
	CacheDir string // empty: the user's cache folder

	self string // this program's path, for tests; empty: its own
}

// Deployed is an agent that can be started on a host.
type Deployed struct {
	// Argv starts it over the same connection. On another Unix machine it ends in --unlink-self: the agent then removes
	// its own file, and the folder that has only that file, as soon as it runs.
	Argv []string
	// Cleanup removes what was sent, if it still exists. It is to be called in any case, and when the agent has said
	// hello. It returns within seconds.
	Cleanup func()
	// Held says that the system does not remove the file of a program that runs: Cleanup is to be called after the
	// agent's end.
	Held bool
}

// ErrNoAgent is the error of a host for whose system there is no program; the run goes on without that host.
var ErrNoAgent = errors.New("no agent for this system")

const (
	queryTimeout   = 30 * time.Second // for one short command on a host
	sendTimeout    = 10 * time.Minute // for the program over a slow line
	cleanupTimeout = 5 * time.Second
)

// Deploy puts the agent's program on the host of r. On this machine nothing is sent: the running program is the agent.
// On a node that sees this machine's files the program is started from its path, if the node has the same program
// there. To other hosts the connection carries the program into a private folder (0700). The name of the file has its
// SHA-256, which the host computes again before it gives the file its name. If this process dies, the host removes the
// folder.
func Deploy(ctx context.Context, r connect.Connection, opt Options) (Deployed, error) {
	existing := func(argv ...string) (Deployed, error) { return Deployed{Argv: argv, Cleanup: func() {}}, nil }
	if connect.OnlyAgent(r) {
		return existing(connect.AgentCommand()...)
	}
	if argv := connect.AgentProgram(r); argv != nil && opt.AgentFile == "" {
		return existing(argv...)
	}
	if connect.SameMachine(r) {
		path, err := os.Executable()
		if opt.AgentFile != "" {
			path, err = filepath.Abs(opt.AgentFile)
		}
		if err != nil {
			return Deployed{}, fmt.Errorf("%s: find the running program: %w; try: --agent FILE", r, err)
		}
		return existing(path, "agent")
	}
	sys, err := querySystem(ctx, r)
	if err != nil {
		return Deployed{}, err
	}
	p, err := findProgram(ctx, sys, opt)
	if err != nil {
		return Deployed{}, fmt.Errorf("%s: %w", r, err)
	}
	if connect.MaySeeFiles(r) {
		path, same, err := sameProgram(ctx, r, p)
		if err != nil {
			return Deployed{}, err
		}
		if same {
			return existing(path, "agent")
		}
	}
	if sys.goos == "windows" {
		return deployWindows(ctx, r, p)
	}
	return deployUnix(ctx, r, p)
}

// seenProgram ends with 0 when the host can start the file $1, whose SHA-256 is $2. A host without a program that
// computes a hash gets the agent, and reports what is missing then. On a file system mounted noexec test -x is false.
const seenProgram = `[ -f "$1" ] && [ -x "$1" ] || exit 1
if command -v sha256sum >/dev/null; then h=$(sha256sum <"$1")
elif command -v shasum >/dev/null; then h=$(shasum -a 256 <"$1")
elif command -v openssl >/dev/null; then h=$(openssl dgst -sha256 -r <"$1")
else exit 1; fi
case $h in "$2"*) ;; *) exit 1;; esac`

// sameProgram reports whether a host sees the program under the path that it has here: then nothing is sent. The host
// computes the hash, because its own drive may have another version under the same path.
func sameProgram(ctx context.Context, r connect.Connection, p program) (path string, same bool, err error) {
	if path, err = filepath.Abs(p.path); err != nil {
		return "", false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, queryTimeout, fmt.Errorf("no answer within %v", queryTimeout))
	defer cancel()
	out, err := connect.Run(ctx, r, nil, "sh", "-c", seenProgram, "sh", path, p.sha256)
	return path, err == nil && out.Exit == 0, err
}

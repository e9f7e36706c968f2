package connect

import (
	"context"
	"fmt"
)

// Open opens a connection. For ssh, tcp, srun and kubectl it connects or requests the node, so that an unreachable host
// is reported immediately and not in the middle of a run. The others contact nothing. Errors are of type *Error.
func Open(ctx context.Context, s Spec) (Connection, error) {
	refuse := func(cause error, try string) (Connection, error) {
		return nil, &Error{Connection: s.String(), Exit: -1, Cause: cause, Try: try}
	}
	switch s.Kind {
	case Local:
		return local{}, nil
	case Netns, Loop:
		return openNetns(s)
	case SSH:
		return openSSH(ctx, s)
	case Lab:
		return openLab(ctx, s)
	case Snapshots:
		return refuse(fmt.Errorf("a folder of snapshots is %w", ErrNotLive), "give it to facts or check by --snapshots "+
			""+s.Name)
	case Srun:
		return openSrun(ctx, s)
	case Kubectl:
		return openKubectl(ctx, s)
	case TCP:
		return openTCP(ctx, s)
	}
	return refuse(fmt.Errorf("the kind %q is unknown", s.Kind), "local, netns NAME, ssh [USER@]HOST or lab [ID/]HOST")
}

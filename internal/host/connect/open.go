package connect

import (
	"context"
	"fmt"
)

// Open opens a reach. For ssh, tcp, srun and kubectl it makes a connection or asks for the node, so that an unreachable host
// is told here and not in the middle of a run; the others contact nothing. Errors are of type *Error.
func Open(ctx context.Context, s Spec) (Reach, error) {
	refuse := func(cause error, try string) (Reach, error) {
		return nil, &Error{Reach: s.String(), Exit: -1, Cause: cause, Try: try}
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
	case Captures:
		return refuse(fmt.Errorf("a folder of captures is %w", ErrNotLive), "give it to facts or check by --captures "+s.Name)
	case Srun:
		return openSrun(ctx, s)
	case Kubectl:
		return openKubectl(ctx, s)
	case TCP:
		return openTCP(ctx, s)
	}
	return refuse(fmt.Errorf("the kind %q is unknown", s.Kind), "local, netns NAME, ssh [USER@]HOST or lab [ID/]HOST")
}

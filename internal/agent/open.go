package agent

import (
	"context"

	"linerate/internal/host/connect"
)

// OpenOptions say how a host gets its agent. All may be empty.
type OpenOptions struct {
	Host      string // its name in messages; empty: the reach
	Version   string // of this program; empty: Version()
	AgentFile string // a program to send, whatever else there is
}

// Open reaches a host, puts the agent there and starts it. Close of the client gives the reach back, too. Errors are of
// type *Error or *reach.Error, or wrap ErrNoAgent.
func Open(ctx context.Context, spec connect.Spec, opt OpenOptions) (*Client, error) {
	if opt.Version == "" {
		opt.Version = Version()
	}
	r, err := connect.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	if opt.Host == "" {
		opt.Host = r.String()
	}
	d, err := Deploy(ctx, r, DeployOptions{AgentFile: opt.AgentFile, Version: opt.Version})
	if err != nil {
		r.Close()
		return nil, err
	}
	if d.Held {
		return dial(ctx, opt.Host, opt.Version, r, d.Argv, &deployedReach{r, d.Cleanup})
	}
	defer d.Cleanup()
	return dial(ctx, opt.Host, opt.Version, r, d.Argv, r)
}

// deployedReach removes what was sent before the reach is given back.
type deployedReach struct {
	connect.Reach
	cleanup func()
}

func (r *deployedReach) Close() error {
	r.cleanup()
	return r.Reach.Close()
}

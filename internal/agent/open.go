package agent

import (
	"context"

	"linerate/internal/agent/deploy"
	"linerate/internal/host/connect"
)

// OpenOptions say how a host gets its agent. All may be empty.
type OpenOptions struct {
	Host      string // its name in messages; empty: the connection
	Version   string // of this program; empty: Version()
	AgentFile string // a program to send; empty: linerate finds one
}

// Open connects to a host, deploys the agent and starts it. Close of the client closes the connection, too. Errors are
// of type *Error or *connect.Error, or wrap deploy.ErrNoAgent.
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
	d, err := deploy.Deploy(ctx, r, deploy.Options{AgentFile: opt.AgentFile, Version: opt.Version})
	if err != nil {
		r.Close()
		return nil, err
	}
	if d.Held {
		return dial(ctx, opt.Host, opt.Version, r, d.Argv, &deployedConnection{r, d.Cleanup})
	}
	defer d.Cleanup()
	return dial(ctx, opt.Host, opt.Version, r, d.Argv, r)
}

// deployedConnection removes what was sent before it closes.
type deployedConnection struct {
	connect.Connection
	cleanup func()
}

func (r *deployedConnection) Close() error {
	r.cleanup()
	return r.Connection.Close()
}

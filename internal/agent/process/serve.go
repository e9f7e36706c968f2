package process

import (
	"context"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
)

// serveLimit is how long a server may take until it listens.
const serveLimit = 15 * time.Second

// Start starts a command in the folder.
func (f *Folder) Start(ctx context.Context, argv, env []string, stdout, stderr *Output) (connect.Process, error) {
	local, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		return nil, err
	}
	p, err := local.Start(ctx, connect.Command{Argv: argv, Env: f.Env(env...), Dir: f.Dir, Stdout: stdout, Stderr: stderr})
	if err != nil {
		return nil, StartError(argv[0], err)
	}
	return p, nil
}

// Serve starts a server in the folder and waits until it listens. end ends the server with all that it has started, and
// removes the folder, as Serve does after an error; where this process cannot, the keeper does.
func (f *Folder) Serve(ctx context.Context, at netip.AddrPort, argv ...string) (end func(), err error) {
	name := filepath.Base(argv[0])
	out := NewOutput(MostErrors)
	p, err := f.Start(context.WithoutCancel(ctx), argv, nil, out, out)
	if err != nil {
		f.Remove()
		return nil, err
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = p.Wait()
	}()
	end = func() {
		f.Kill() // the server and what it has started, such as one process a connection
		_ = p.Kill()
		<-over
		f.Remove()
	}
	defer func() {
		if err != nil {
			end()
		}
	}()
	for began := time.Now(); ; time.Sleep(30 * time.Millisecond) {
		if c, err := net.DialTimeout("tcp", at.String(), time.Second); err == nil {
			c.Close()
			return end, nil
		}
		select {
		case <-over:
			return nil, failure.Errorf(failure.CodeInternal, name, "it ended before it was used; its last lines: %s",
				out.LastLines())
		case <-ctx.Done():
			return nil, Stopped()
		default:
		}
		if time.Since(began) > serveLimit {
			return nil, failure.Errorf(failure.CodeTimeout, name, "it does not listen on %s within %v; its last lines: %s", at,
				serveLimit, out.LastLines())
		}
	}
}

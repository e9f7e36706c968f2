package agent

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/traffic"
)

// shareReady is how long a server may take to listen.
const shareReady = 15 * time.Second

// serve starts a server in its folder and waits until it listens. end ends it with all that it started, and removes the folder; where this process cannot, its keeper does. After an
// error that is done.
func (f *appFolder) serve(ctx context.Context, at netip.AddrPort, argv ...string) (end func(), err error) {
	name := filepath.Base(argv[0])
	fail := func(code, text string) (func(), error) {
		return nil, &traffic.Error{Code: code, Subject: name, Text: text}
	}
	self, err := connect.Open(ctx, connect.Spec{Kind: connect.Local})
	if err != nil {
		f.remove()
		return fail(traffic.CodeInternal, err.Error())
	}
	out := &keeper{most: mostStderr, told: make(chan struct{}, 1)}
	p, err := self.Start(context.WithoutCancel(ctx), connect.Command{Argv: argv, Env: f.env(nil), Dir: f.dir, Stdout: out, Stderr: out})
	if err != nil {
		f.remove()
		return fail(traffic.CodeInternal, err.Error())
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = p.Wait()
	}()
	end = func() {
		f.kill() // it and what it started, such as one process a connection
		_ = p.Kill()
		<-over
		f.remove()
	}
	for began := time.Now(); ; time.Sleep(30 * time.Millisecond) {
		c, err := net.DialTimeout("tcp", at.String(), time.Second)
		if err == nil {
			c.Close()
			return end, nil
		}
		select {
		case <-over:
			end()
			return fail(traffic.CodeInternal, "it ended before it was used; its last lines: "+LastLines(out.kept().Text))
		case <-ctx.Done():
			end()
			return nil, stopped(ctx)
		default:
		}
		if time.Since(began) > shareReady {
			end()
			return fail(traffic.CodeTimeout, fmt.Sprintf("it does not listen on %s within %v; its last lines: %s", at, shareReady, LastLines(out.kept().Text)))
		}
	}
}

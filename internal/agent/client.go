package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
)

const (
	closeWait = 2 * time.Second // for an agent to end by itself
	killWait  = time.Second     // for it to end after being killed
)

// Client is the controller's end of one agent. Its methods may be called from several goroutines.
type Client struct {
	host   string
	link   *link
	hello  Hello
	stdin  io.WriteCloser
	stdout io.Closer
	stderr process.Tail
	proc   connect.Process
	owned  io.Closer          // closed with the client; may be nil
	kill   context.CancelFunc // of the connection's command
	ctx    context.Context    // ends with the agent
	cancel context.CancelCauseFunc
	exited chan struct{}
	exit   error

	mu          sync.Mutex
	next        uint64
	pending     map[uint64]chan frame
	warnings    []Warning
	offset      Offset
	closedPaths map[string]string
	verbs       bool // linerate-verbs was sent
	closing     sync.Once
	detach      func() bool // from the context of Dial
}

// Dial starts an agent (argv) on the host of r, sends hello and compares clocks. The agent ends with Close, with ctx,
// or when this process ends. Errors are of type *Error or *connect.Error.
func Dial(ctx context.Context, r connect.Connection, argv []string) (*Client, error) {
	return dial(ctx, r.String(), Version(), r, argv, nil)
}

// dial is Dial for a host with a name. owned, if not nil, is closed with the client, or after an error.
func dial(ctx context.Context, host, version string, r connect.Connection, argv []string, owned io.Closer) (*Client,
	error) {
	// Close first asks the agent to stop and kills it later, so the connection does not get ctx itself.
	connecting, kill := context.WithCancel(context.WithoutCancel(ctx))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &Client{host: host, stdin: inW, stdout: outR, kill: kill, owned: owned, exited: make(chan struct{}),
		pending: map[uint64]chan frame{}, closedPaths: map[string]string{}}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	// Then the output is not read any more, and a connection that cannot write it does not see the end of the process.
	context.AfterFunc(c.ctx, func() { outR.Close() })
	proc, err := r.Start(connecting, connect.Command{Argv: argv, Stdin: inR, Stdout: outW, Stderr: &c.stderr})
	if err != nil {
		kill()
		if owned != nil {
			owned.Close()
		}
		return nil, err
	}
	c.proc = proc
	go func() {
		code, err := proc.Wait()
		if c.exit = err; err == nil {
			c.exit = fmt.Errorf("the agent ended with exit code %d", code)
		}
		close(c.exited)
		outW.CloseWithError(io.EOF)
		inR.CloseWithError(errors.New("the agent has ended"))
	}()
	c.link = newLink(outR, inW)
	c.hello, err = c.link.handshake(ctx, hello(version))
	if err == nil && c.hello.Protocol != Protocol {
		err = fmt.Errorf("the agent speaks protocol %d, this program %d; use the same version of linerate on both",
			c.hello.Protocol, Protocol)
	}
	if err != nil {
		c.cancel(err)
		err = c.failed("start the agent", c.because(err))
		c.Close()
		return nil, err
	}
	if c.hello.Version != version {
		c.warnings = append(c.warnings, Warning{Subject: host,
			Text: fmt.Sprintf("its agent is version %s, this program %s", process.Printable(c.hello.Version), version)})
	}
	go c.link.watch(c.ctx, c.cancel)
	go c.receive()
	c.detach = context.AfterFunc(ctx, func() { c.Close() })
	if err := c.Sync(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// Host is the host's name as messages use it.
func (c *Client) Host() string { return c.host }

// Hello is the agent's hello.
func (c *Client) Hello() Hello { return c.hello }

// Warnings are the agent's warnings so far.
func (c *Client) Warnings() []Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.warnings)
}

// Gone is closed when the agent is gone.
func (c *Client) Gone() <-chan struct{} { return c.ctx.Done() }

// Closed is why a path to this host's data ports was found closed; empty: it was not. The caller names the path.
func (c *Client) Closed(path string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closedPaths[path]
}

// SetClosed keeps why a path is closed; empty: it is open.
func (c *Client) SetClosed(path, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closedPaths[path] = why
}

// Err is why the agent is gone; nil while it runs.
func (c *Client) Err() error {
	if c.ctx.Err() == nil {
		return nil
	}
	return c.failed("talk to the agent", c.because(context.Cause(c.ctx)))
}

// failed is an error with the last lines of the agent, where the agent itself has not sent the cause.
func (c *Client) failed(asked string, cause error) error {
	e := &Error{Host: c.host, Asked: asked, Cause: cause}
	var sent *failure.Error
	if !errors.As(cause, &sent) {
		e.Output = c.stderr.String()
	}
	return e
}

// because is the end of the agent's process in place of the end of its channel, if the process ends, too.
func (c *Client) because(err error) error {
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.ErrClosedPipe) {
		return err
	}
	select {
	case <-c.exited:
		return c.exit
	case <-time.After(100 * time.Millisecond):
		return errors.New("the agent closed its channel")
	}
}

// receive passes answers on to the requests.
func (c *Client) receive() {
	for {
		f, err := c.link.receive()
		if err != nil {
			c.cancel(err)
			return
		}
		switch {
		case f.Kind == kindBeat:
			continue
		case f.Kind == kindWarning:
			var w Warning
			if decode(f.Body, &w) == nil {
				c.mu.Lock()
				if len(c.warnings) < 1000 {
					c.warnings = append(c.warnings, Warning{Subject: process.Printable(w.Subject), Text: process.Printable(w.Text)})
				}
				c.mu.Unlock()
			}
			continue
		case f.Kind == kindError && f.ID == 0:
			c.cancel(remoteError(f))
			return
		}
		c.mu.Lock()
		answers := c.pending[f.ID]
		c.mu.Unlock()
		if answers == nil {
			continue // the request has ended
		}
		select {
		case answers <- f:
		case <-c.ctx.Done():
			return
		}
	}
}

// ask sends a request and calls each with every answer, until each returns true, an error comes or the agent is gone.
func (c *Client) ask(ctx context.Context, asked, kind string, body any, each func(frame) (done bool, err error)) error {
	answers := make(chan frame, 64)
	c.mu.Lock()
	c.next++
	id := c.next
	c.pending[id] = answers
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		for { // receive may be about to send one more
			select {
			case <-answers:
			default:
				return
			}
		}
	}()
	if err := c.link.send(c.ctx, id, kind, body); err != nil {
		return c.failed(asked, c.because(err))
	}
	for {
		select {
		case f := <-answers:
			if f.Kind == kindError {
				return c.failed(asked, remoteError(f))
			}
			done, err := each(f)
			if err != nil {
				return c.failed(asked, err)
			}
			if done {
				return nil
			}
		case <-ctx.Done():
			if c.ctx.Err() != nil { // the caller may have ended ctx because the agent is gone
				return c.failed(asked, c.because(context.Cause(c.ctx)))
			}
			return c.failed(asked, context.Cause(ctx))
		case <-c.ctx.Done():
			return c.failed(asked, c.because(context.Cause(c.ctx)))
		}
	}
}

// do sends a request whose answer has no body.
func (c *Client) do(ctx context.Context, asked, kind string, body any) error {
	return c.ask(ctx, asked, kind, body, func(frame) (bool, error) { return true, nil })
}

// call sends a request with one answer, of kindReady.
func call[T any](ctx context.Context, c *Client, asked, kind string, body any) (out T, err error) {
	err = c.ask(ctx, asked, kind, body, func(f frame) (bool, error) { return true, want(f, kindReady, &out) })
	return out, err
}

// Close ends the agent: it sends bye, then closes the agent's standard input, then kills the agent. It takes at most
// three seconds and may be called more than once.
func (c *Client) Close() error {
	var closed error
	c.closing.Do(func() {
		if c.detach != nil {
			c.detach()
		}
		if c.ctx.Err() == nil {
			_ = c.link.send(c.ctx, 0, kindBye, nil)
		}
		c.link.end(100 * time.Millisecond)
		c.stdin.Close()
		wait := closeWait
		if errors.Is(context.Cause(c.ctx), errGone) {
			wait /= 10
		}
		select {
		case <-c.exited:
		case <-time.After(wait):
			_ = c.proc.Kill()
			c.kill()
		}
		select {
		case <-c.exited:
		case <-time.After(killWait):
		}
		c.cancel(errors.New("closed"))
		c.kill()
		c.stdout.Close()
		if c.owned != nil {
			closed = c.owned.Close()
		}
	})
	return closed
}

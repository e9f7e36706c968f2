package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"linerate/internal/host/connect"
	"linerate/internal/traffic"
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
	stderr tail
	proc   connect.Process
	owned  io.Closer          // closed with the client; may be nil
	kill   context.CancelFunc // of the reach's command
	ctx    context.Context    // ends with the agent
	cancel context.CancelCauseFunc
	exited chan struct{}
	exit   error

	mu         sync.Mutex
	next       uint64
	pending    map[uint64]chan frame
	warnings   []Warning
	offset     Offset
	closedWays map[string]string
	verbs      bool // linerate-verbs was sent
	closing    sync.Once
	detach     func() bool // from the context of Dial
}

// Dial starts an agent (argv) on the host of r, says hello and compares clocks. The agent ends with Close, with ctx, or
// when this process ends. Errors are of type *Error or *reach.Error.
func Dial(ctx context.Context, r connect.Reach, argv []string) (*Client, error) {
	return dial(ctx, r.String(), Version(), r, argv, nil)
}

// dial is Dial for a host with a name; owned, if not nil, is closed with the client, and here if there will be none.
func dial(ctx context.Context, host, version string, r connect.Reach, argv []string, owned io.Closer) (*Client, error) {
	// The agent is asked to stop first and killed afterwards, so the reach does not get ctx itself.
	reachCtx, kill := context.WithCancel(context.WithoutCancel(ctx))
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &Client{host: host, stdin: inW, stdout: outR, kill: kill, owned: owned, exited: make(chan struct{}), pending: map[uint64]chan frame{}}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	// Nobody reads any more then, and a reach that cannot get its output written does not see the end of the process.
	context.AfterFunc(c.ctx, func() { outR.Close() })
	proc, err := r.Start(reachCtx, connect.Command{Argv: argv, Stdin: inR, Stdout: outW, Stderr: &c.stderr})
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
		switch {
		case err != nil:
			c.exit = err
		default:
			c.exit = fmt.Errorf("the agent ended with exit code %d", code)
		}
		close(c.exited)
		outW.CloseWithError(io.EOF)
		inR.CloseWithError(errors.New("the agent has ended"))
	}()
	c.link = newLink(outR, inW)
	c.hello, err = c.link.handshake(ctx, hello(version))
	if err == nil && c.hello.Protocol != Protocol {
		err = fmt.Errorf("the agent speaks protocol %d, this program %d; use the same version of linerate on both", c.hello.Protocol, Protocol)
	}
	if err != nil {
		c.cancel(err)
		err = c.failed("start the agent", c.because(err))
		c.Close()
		return nil, err
	}
	if c.hello.Version != version {
		c.warnings = append(c.warnings, Warning{Subject: host, Text: fmt.Sprintf("its agent is version %s, this program %s", printable(c.hello.Version), version)})
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

// Hello is what the agent said of itself.
func (c *Client) Hello() Hello { return c.hello }

// Warnings is what the agent wanted to be known so far.
func (c *Client) Warnings() []Warning {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]Warning(nil), c.warnings...)
}

// Gone is closed when the agent is gone.
func (c *Client) Gone() <-chan struct{} { return c.ctx.Done() }

// Err says why the agent is gone; nil while it is there.
func (c *Client) Err() error {
	if c.ctx.Err() == nil {
		return nil
	}
	return c.failed("talk to the agent", c.because(context.Cause(c.ctx)))
}

// failed is an error with everything that helps to find its cause.
func (c *Client) failed(asked string, cause error) error {
	e := &Error{Host: c.host, Asked: asked, Cause: cause}
	var said *traffic.Error
	if !errors.As(cause, &said) {
		e.Output = c.stderr.String()
	}
	return e
}

// because prefers the end of the agent's process over the end of its channel, if the process ends too.
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

// receive hands answers to who waits for them.
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
					c.warnings = append(c.warnings, Warning{Subject: printable(w.Subject), Text: printable(w.Text)})
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
			continue // nobody waits any more
		}
		select {
		case answers <- f:
		case <-c.ctx.Done():
			return
		}
	}
}

// ask sends a request and gives every answer to each, until that returns true, an error comes or the agent is gone.
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
		for { // receive may be about to hand over one more
			select {
			case <-answers:
				continue
			default:
			}
			break
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
			if c.ctx.Err() != nil { // who gives up because the agent is gone wants to know that
				return c.failed(asked, c.because(context.Cause(c.ctx)))
			}
			return c.failed(asked, context.Cause(ctx))
		case <-c.ctx.Done():
			return c.failed(asked, c.because(context.Cause(c.ctx)))
		}
	}
}

// Close ends the agent: it is asked to end, then its standard input is closed, then it is killed. It takes at most
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

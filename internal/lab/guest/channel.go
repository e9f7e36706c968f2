package guest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// Channel is the lab's end of the channel to one guest.
type Channel struct {
	w     writer
	hello chan struct{}
	done  chan struct{}
	left  chan struct{}
	heard atomic.Int64 // time of the last frame, since start
	start time.Time

	mu      sync.Mutex
	next    uint32
	streams map[uint32]*stream
	err     error
	greeted bool
	leaves  bool
}

type stream struct {
	flows   [3]*flow
	answers chan Answer
}

// BeatEvery is the interval of the sign of life from a guest's init.
const BeatEvery = time.Second

// NewChannel returns a channel to the guest at the other end of rw.
func NewChannel(rw io.ReadWriter) *Channel {
	c := &Channel{w: writer{w: rw}, hello: make(chan struct{}), done: make(chan struct{}),
		left: make(chan struct{}), start: time.Now(), streams: map[uint32]*stream{}}
	go c.read(rw)
	return c
}

// Hello is closed when the guest's init has answered.
func (c *Channel) Hello() <-chan struct{} { return c.hello }

// Done is closed when the channel has ended; Err returns the reason.
func (c *Channel) Done() <-chan struct{} { return c.done }

// Left is closed when the guest has reported its shutdown.
func (c *Channel) Left() <-chan struct{} { return c.left }

// Err returns the reason why the channel has ended; nil while it has not.
func (c *Channel) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Silent returns the time since the last frame from the guest.
func (c *Channel) Silent() time.Duration { return time.Since(c.start) - time.Duration(c.heard.Load()) }

func (c *Channel) read(r io.Reader) {
	for {
		f, err := readFrame(r)
		if err == nil {
			c.heard.Store(int64(time.Since(c.start)))
			err = c.take(f)
		}
		if err != nil {
			c.End(err)
			return
		}
	}
}

// End ends the channel and everything on it; Err returns err from then on.
func (c *Channel) End(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	if errors.Is(err, io.EOF) {
		err = errors.New("the machine has ended")
	}
	c.err = err
	close(c.done)
	for _, s := range c.streams {
		for _, f := range s.flows {
			f.end()
		}
	}
}

func (c *Channel) take(f frame) error {
	c.mu.Lock()
	s := c.streams[f.stream]
	if f.kind == kindHello && !c.greeted {
		c.greeted = true
		close(c.hello)
	}
	if f.kind == kindLeave && !c.leaves {
		c.leaves = true
		close(c.left)
	}
	c.mu.Unlock()
	switch f.kind {
	case kindHello, kindBeat, kindLeave:
		return nil
	case kindRequest, kindKill:
		return fmt.Errorf("the guest sent a frame of kind %q, which is the lab's", f.kind)
	}
	if s == nil {
		return nil // its end has crossed this frame
	}
	switch f.kind {
	case kindAnswer:
		var a Answer
		if err := json.Unmarshal(f.body, &a); err != nil {
			return fmt.Errorf("an answer of the guest: %w", err)
		}
		select {
		case s.answers <- a:
			return nil
		default:
			return errors.New("the guest answered a request more than twice")
		}
	case kindData:
		return s.flows[f.file].came(f.body)
	case kindEnd:
		s.flows[f.file].end()
	case kindCredit:
		s.flows[f.file].more(f.body)
	}
	return nil
}

// open begins a stream with a request.
func (c *Channel) open(op string, body any) (uint32, *stream, error) {
	b, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return 0, nil, c.err
	}
	c.next++
	id := c.next
	s := &stream{answers: make(chan Answer, 2)}
	for i := range s.flows {
		s.flows[i] = newFlow(&c.w, id, byte(i))
	}
	c.streams[id] = s
	c.mu.Unlock()
	if err := c.w.sendJSON(kindRequest, id, Request{Op: op, Body: b}); err != nil {
		c.drop(id)
		c.End(err)
		return 0, nil, err
	}
	return id, s, nil
}

func (c *Channel) drop(id uint32) {
	c.mu.Lock()
	delete(c.streams, id)
	c.mu.Unlock()
}

// answer waits for the next answer of a stream.
func (c *Channel) answer(ctx context.Context, s *stream) (Answer, error) {
	select {
	case a := <-s.answers:
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	case <-c.done:
		select {
		case a := <-s.answers:
			return a, nil
		default:
			return Answer{}, c.Err()
		}
	}
}

// Call sends the guest a request with one answer, and decodes the answer into out if it is not nil.
func (c *Channel) Call(ctx context.Context, op string, in, out any) error {
	id, s, err := c.open(op, in)
	if err != nil {
		return err
	}
	defer c.drop(id)
	a, err := c.answer(ctx, s)
	if err != nil {
		return err
	}
	if a.Error != "" {
		return errors.New(a.Error)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(a.Body, out)
}

// Running is a command in a guest.
type Running struct {
	c  *Channel
	id uint32
	s  *stream
	io sync.WaitGroup
}

// Start starts a command with the three standard streams and returns when the guest has reported that it runs, or that
// it does not, in the answer's Error. The streams are copied to their ends. done is called at the end of both outputs.
// in must end its reads once over returns true, and is closed if it is a Closer.
func (c *Channel) Start(ctx context.Context, q Command, in func(over func() bool) io.Reader, out, err io.Writer,
	done func()) (*Running, Answer, error) {
	id, s, fault := c.open(OpExec, q)
	if fault != nil {
		return nil, Answer{}, fault
	}
	r := &Running{c: c, id: id, s: s}
	a, fault := c.answer(ctx, s)
	if fault != nil || a.Error != "" {
		r.Kill()
		c.drop(id)
		return nil, a, fault
	}
	r.io.Add(2)
	go func() { defer r.io.Done(); s.flows[1].copyOut(out) }()
	go func() { defer r.io.Done(); s.flows[2].copyOut(err) }()
	go func() {
		from := in(s.flows[0].over)
		s.flows[0].copyIn(from)
		if c, ok := from.(io.Closer); ok {
			c.Close()
		}
	}()
	go func() {
		r.io.Wait()
		done()
	}()
	return r, a, nil
}

// Wait waits for the command's end. Output may still be in transit.
func (r *Running) Wait() (Answer, error) {
	a, err := r.c.answer(context.Background(), r.s)
	r.s.flows[0].end()
	go func() {
		r.io.Wait()
		r.c.drop(r.id)
	}()
	return a, err
}

// Kill kills the command and its children.
func (r *Running) Kill() { r.c.w.send(kindKill, 0, r.id, nil) }

package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

const (
	beatEvery        = time.Second
	goneAfter        = 10 * time.Second // without a whole frame
	handshakeTimeout = 10 * time.Second // however slowly bytes come
	queueLength      = 256              // frames
)

// errGone is the error of an end that was silent for too long.
var errGone = fmt.Errorf("silent for %v", goneAfter)

// link is one end of the channel. Frames are sent through a queue, so that a slow channel never delays a measurement;
// of the frames that come it keeps the time.
type link struct {
	in      io.Reader
	out     io.Writer
	queue   chan []byte
	flushed chan struct{} // closed when the writer has ended
	start   time.Time
	heard   atomic.Int64 // since start, of the last whole frame
	dropped atomic.Int64 // frames of samples that found the queue full
	closing sync.Once
	ending  chan struct{}
}

func newLink(in io.Reader, out io.Writer) *link {
	l := &link{in: in, out: out, queue: make(chan []byte, queueLength), flushed: make(chan struct{}),
		start: time.Now(), ending: make(chan struct{})}
	go l.write()
	return l
}

// write sends what is queued, in order, until the link ends and the queue is empty or the channel fails.
func (l *link) write() {
	defer close(l.flushed)
	for {
		var b []byte
		select {
		case b = <-l.queue:
		case <-l.ending:
			select {
			case b = <-l.queue:
			default:
				return
			}
		}
		if _, err := l.out.Write(b); err != nil {
			return
		}
	}
}

// end lets the writer empty the queue and stop, and waits at most so long for that.
func (l *link) end(wait time.Duration) {
	l.closing.Do(func() { close(l.ending) })
	select {
	case <-l.flushed:
	case <-time.After(wait):
	}
}

// send queues a frame. It waits while the queue is full, at most goneAfter.
func (l *link) send(ctx context.Context, id uint64, kind string, body any) error {
	b, err := encodeFrame(id, kind, body)
	if err != nil {
		return err
	}
	select {
	case l.queue <- b:
		return nil
	default:
	}
	t := time.NewTimer(goneAfter)
	defer t.Stop()
	select {
	case l.queue <- b:
		return nil
	case <-l.flushed:
		return errors.New("the channel to the other end is closed")
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return errGone
	}
}

// offer queues a frame if the queue is not full.
func (l *link) offer(id uint64, kind string, body any) {
	b, err := encodeFrame(id, kind, body)
	if err != nil {
		l.dropped.Add(1)
		return
	}
	select {
	case l.queue <- b:
	default:
		l.dropped.Add(1)
	}
}

// receive reads one frame and keeps the time.
func (l *link) receive() (frame, error) {
	f, err := readFrame(l.in)
	if err == nil {
		l.heard.Store(int64(time.Since(l.start)))
	}
	return f, err
}

// watch sends beats, and calls gone when the other end is silent. It ends with ctx.
func (l *link) watch(ctx context.Context, gone func(error)) {
	t := time.NewTicker(beatEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		l.offer(0, kindBeat, nil)
		if time.Since(l.start)-time.Duration(l.heard.Load()) > goneAfter {
			gone(errGone)
			return
		}
	}
}

// handshake sends hello and waits for the other end's.
func (l *link) handshake(ctx context.Context, mine Hello) (Hello, error) {
	if err := l.send(ctx, 0, kindHello, mine); err != nil {
		return Hello{}, err
	}
	type got struct {
		hello Hello
		err   error
	}
	c := make(chan got, 1)
	go func() {
		var g got
		f, err := l.receive()
		switch {
		case err != nil:
			g.err = err
		case f.Kind == kindError:
			g.err = remoteError(f)
		case f.Kind != kindHello:
			g.err = fmt.Errorf("the first frame is %q, not hello", f.Kind)
		default:
			g.err = decode(f.Body, &g.hello)
		}
		c <- g
	}()
	t := time.NewTimer(handshakeTimeout)
	defer t.Stop()
	select {
	case g := <-c:
		return g.hello, g.err
	case <-t.C:
		return Hello{}, fmt.Errorf("no hello within %v", handshakeTimeout)
	case <-ctx.Done():
		return Hello{}, context.Cause(ctx)
	}
}

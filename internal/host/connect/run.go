package connect

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
)

// OutputLimit bounds the output that Run keeps of each stream, in bytes.
const OutputLimit = 64 << 20

// Output is what a command wrote and how it ended.
type Output struct {
	Stdout, Stderr []byte
	Exit           int // 128+N for a command that died by signal N
}

// Run runs one command to its end and keeps its output. The error is an *Error and means that the connection failed,
// ctx ended or the output passed OutputLimit; a command's own exit code is not an error.
func Run(ctx context.Context, r Connection, stdin []byte, argv ...string) (Output, error) {
	c := Command{Argv: argv}
	if stdin != nil {
		c.Stdin = bytes.NewReader(stdin)
	}
	return RunCommand(ctx, r, c)
}

// RunCommand is Run for a command with an environment or a streaming input; its output writers are replaced.
func RunCommand(ctx context.Context, r Connection, c Command) (Output, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	tooMuch := func() {
		cancel(fmt.Errorf("wrote more than %d MiB", OutputLimit>>20))
	}
	stdout, stderr := &bounded{full: tooMuch}, &bounded{full: tooMuch}
	c.Stdout, c.Stderr = stdout, stderr
	p, err := r.Start(ctx, c)
	if err != nil {
		return Output{Exit: -1}, err
	}
	exit, err := p.Wait()
	return Output{Stdout: stdout.bytes(), Stderr: stderr.bytes(), Exit: exit}, err
}

// bounded keeps up to OutputLimit bytes, then calls full once and drops the rest.
type bounded struct {
	full func()
	mu   sync.Mutex
	buf  bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if room := OutputLimit - b.buf.Len(); len(p) > room {
		b.buf.Write(p[:room])
		if !b.over {
			b.over = true
			b.full()
		}
		return len(p), nil
	}
	return b.buf.Write(p)
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

// tail keeps the last bytes of a stream, for messages.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, p...)
	t.buf = slices.Delete(t.buf, 0, max(0, len(t.buf)-tailSize))
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}

// tee writes to w, which may be nil, and to the tail.
func tee(w io.Writer, t io.Writer) io.Writer {
	if w == nil {
		return t
	}
	return io.MultiWriter(w, t)
}

package rdma

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"linerate/internal/base/failure"
)

// Program is the name of the program with the hot loops of verbs.
const Program = "linerate-verbs"

// ProgramFile is its name for another system, next to that of the agent.
func ProgramFile(os, arch string) string { return fmt.Sprintf("%s-%s-%s", Program, os, arch) }

// AnswerLimit is how long a command of linerate-verbs may take, apart from the time that it waits by order.
const AnswerLimit = 10 * time.Second

// Process is linerate-verbs while it runs. It ends with its standard input.
type Process struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan string // closed at the end of its output
	cut   error       // a line was too long, and the program was killed; set before lines is closed
	said  *tailBuffer // standard error
	once  sync.Once
}

// mostVerbsLine is the longest line: the slices of a long interval.
const mostVerbsLine = 1 << 20

// StartProgram starts the program: what the controller sent, else what is next to this program or on the PATH.
func StartProgram(sent []byte) (*Process, error) {
	path, keep, err := programPath(sent)
	if err != nil {
		return nil, err
	}
	p := &Process{cmd: exec.Command(path), lines: make(chan string, 64), said: &tailBuffer{}}
	p.cmd.Env = []string{"PATH=/usr/bin:/bin", "LANG=C"}
	if v := os.Getenv("LD_LIBRARY_PATH"); v != "" {
		p.cmd.Env = append(p.cmd.Env, "LD_LIBRARY_PATH="+v)
	}
	p.cmd.Stderr = p.said
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err == nil {
		var out io.ReadCloser
		if out, err = p.cmd.StdoutPipe(); err == nil {
			p.in = in
			err = p.cmd.Start()
			if err == nil {
				go p.read(out)
			}
		}
	}
	if keep != nil {
		keep.Close()
	}
	if err != nil {
		return nil, verbsStartError(err)
	}
	return p, nil
}

// verbsStartError explains why the program did not start.
func verbsStartError(err error) error {
	text := err.Error()
	if errors.Is(err, os.ErrNotExist) {
		text += "; it needs glibc and its loader, which this system does not have (musl?)"
	}
	return &failure.Error{Code: failure.CodeUnsupported, Subject: Program, Text: text}
}

// programPath returns the path of the program. What was sent is never a file: it is in memory as long as it is open.
func programPath(sent []byte) (path string, keep io.Closer, err error) {
	if runtime.GOOS != "linux" {
		return "", nil, &failure.Error{Code: failure.CodeUnsupported, Subject: "rdma",
			Text: fmt.Sprintf("RDMA is measured on Linux alone in this version, and this host runs %s; measure it with SMB "+
				"Direct or the system's own tools", runtime.GOOS)}
	}
	if len(sent) > 0 {
		return MemoryFile(Program, sent)
	}
	var places []string
	if self, err := os.Executable(); err == nil {
		dir := filepath.Dir(self)
		places = append(places, filepath.Join(dir, Program), filepath.Join(dir, ProgramFile(runtime.GOOS, runtime.GOARCH)))
	}
	for _, place := range places {
		if st, err := os.Stat(place); err == nil && st.Mode().IsRegular() {
			return place, nil, nil
		}
	}
	if found, err := exec.LookPath(Program); err == nil {
		return found, nil, nil
	}
	return "", nil, &failure.Error{Code: failure.CodeUnsupported, Subject: Program,
		Text: fmt.Sprintf("it is not on this host (%s, PATH) and the controller sent none; build it with make verbs in "+
			"linerate's source, which needs gcc, libibverbs-dev and librdmacm-dev, and put it next to linerate",
			strings.Join(places, ", "))}
}

func (p *Process) read(out io.Reader) {
	s := bufio.NewScanner(out)
	s.Buffer(make([]byte, 4096), mostVerbsLine)
	for s.Scan() {
		p.lines <- s.Text()
	}
	// A program that still writes would wait for ever for a reader, and End with it. Any other error is of a pipe that
	// End has closed.
	if err := s.Err(); errors.Is(err, bufio.ErrTooLong) {
		p.cut = err
		_ = p.cmd.Process.Kill()
	}
	close(p.lines)
}

// Send sends the program a command.
func (p *Process) Send(format string, args ...any) error {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return p.gone()
	}
	return nil
}

// Next returns the next line of the program. A line "error .." is an error.
func (p *Process) Next(ctx context.Context, limit time.Duration) (Line, error) {
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case text, ok := <-p.lines:
		if !ok {
			if p.cut != nil {
				p.End()
				return Line{}, &failure.Error{Code: failure.CodeInternal, Subject: Program,
					Text: "its output cannot be read: " + p.cut.Error()}
			}
			return Line{}, p.gone()
		}
		return ParseLine(text)
	case <-t.C:
		return Line{}, &failure.Error{Code: failure.CodeTimeout, Subject: Program,
			Text: fmt.Sprintf("no answer within %v: the kernel's RDMA driver does not come back from a call; look at the "+
				"kernel's log (dmesg)", limit)}
	case <-ctx.Done():
		return Line{}, context.Cause(ctx)
	}
}

// gone is the error of a program that ended by itself.
func (p *Process) gone() error {
	p.End()
	text := "it ended without an answer"
	if p.cmd.ProcessState != nil {
		text = "it ended: " + p.cmd.ProcessState.String()
	}
	if said := strings.TrimSpace(p.said.String()); said != "" {
		text += ": " + said
	}
	return &failure.Error{Code: failure.CodeInternal, Subject: Program, Text: text}
}

// pid is the number of its process.
func (p *Process) pid() int { return p.cmd.Process.Pid }

// End ends it and waits; it may be called more than once.
func (p *Process) End() {
	p.once.Do(func() {
		p.in.Close()
		done := make(chan struct{})
		go func() {
			for range p.lines { // it must not hang at a pipe without a reader
			}
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(time.Second):
			_ = p.cmd.Process.Kill()
		}
		_ = p.cmd.Wait()
	})
}

// tailBuffer keeps the last 2 KiB of what is written to it.
type tailBuffer struct {
	mu sync.Mutex
	b  []byte
}

func (t *tailBuffer) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, b...)
	if n := len(t.b) - 2048; n > 0 {
		t.b = t.b[n:]
	}
	return len(b), nil
}

func (t *tailBuffer) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.b)
}

package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// labTimeout bounds every answer of a lab's init that does not depend on a command.
const labTimeout = 10 * time.Second

// labConnection is a host of a lab on this machine.
type labConnection struct {
	spec  Spec // with the lab's id
	dir   string
	state LabState
}

func openLab(ctx context.Context, s Spec) (Connection, error) {
	try := "" // an error of the lab's name has its own next step
	fail := func(err error) (Connection, error) {
		return nil, &Error{Connection: s.String(), Exit: -1, Cause: err, Try: try}
	}
	dir, state, err := FindLab(s.Lab)
	if err != nil {
		return fail(err)
	}
	s.Lab, try = state.ID, "linerate lab list"
	r := &labConnection{spec: s, dir: dir, state: state}
	conn, err := r.dial(ctx)
	if err != nil {
		return fail(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(labTimeout))
	answer, err := askLab(conn, LabRequest{Token: state.Token, Op: "status"})
	if err != nil {
		return fail(err)
	}
	if !slices.Contains(answer.Hosts, s.Name) && !slices.Contains(answer.Switches, s.Name) {
		switches := ""
		if len(answer.Switches) > 0 {
			switches = ", its switches " + strings.Join(answer.Switches, ", ")
		}
		return fail(fmt.Errorf("lab %s has no host %q; its hosts are %s%s", state.ID, s.Name,
			strings.Join(answer.Hosts, ", "), switches))
	}
	return r, nil
}

func (r *labConnection) String() string    { return r.spec.String() }
func (r *labConnection) Close() error      { return nil }
func (r *labConnection) SameMachine() bool { return !r.guest() }

// guest reports whether the host is a guest with its own kernel.
func (r *labConnection) guest() bool { return slices.Contains(r.state.Guests, r.spec.Name) }

// AgentProgram returns the agent of a guest: its init is the linerate that built the lab.
func (r *labConnection) AgentProgram() []string {
	if r.guest() {
		return []string{"/init", "agent"}
	}
	return nil
}

func (r *labConnection) dial(ctx context.Context) (*net.UnixConn, error) {
	d := net.Dialer{Timeout: labTimeout}
	conn, err := d.DialContext(ctx, "unix", filepath.Join(r.dir, LabSocketFile))
	if err != nil {
		return nil, fmt.Errorf("the init of lab %s does not answer: %w", r.state.ID, err)
	}
	return conn.(*net.UnixConn), nil
}

func askLab(conn *net.UnixConn, q LabRequest) (LabAnswer, error) {
	if err := WriteLabFrame(conn, q); err != nil {
		return LabAnswer{}, fmt.Errorf("the lab's init took no request: %w", err)
	}
	return labAnswer(conn)
}

// labAnswer reads an answer. As long as the init reports that the answer takes time, the deadline moves.
func labAnswer(conn *net.UnixConn) (LabAnswer, error) {
	var a LabAnswer
	for {
		a = LabAnswer{}
		if err := ReadLabFrame(conn, &a); err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.ErrUnexpectedEOF) {
				err = errors.New("the lab has ended: its init is gone")
			}
			return a, err
		}
		if a.Waiting == "" {
			break
		}
		conn.SetDeadline(time.Now().Add(labTimeout))
	}
	if a.Error != "" && a.Code == LabNoProgram {
		return a, fmt.Errorf("%w: %s", ErrNoProgram, clean(a.Error))
	}
	if a.Error != "" {
		return a, errors.New(clean(a.Error))
	}
	return a, nil
}

func (r *labConnection) Start(ctx context.Context, c Command) (Process, error) {
	fail := func(cause error) (Process, error) {
		e := &Error{Connection: r.String(), Command: c.Argv, Exit: -1, Cause: cause}
		if errors.Is(cause, ErrNoProgram) {
			e.Try = "install it, or add its folder to PATH"
		}
		return nil, e
	}
	if err := checkCommand(c); err != nil {
		return fail(err)
	}
	if ctx.Err() != nil {
		return fail(context.Cause(ctx))
	}
	conn, err := r.dial(ctx)
	if err != nil {
		return fail(err)
	}
	q := LabRequest{Token: r.state.Token, Op: "exec", Host: r.spec.Name, Argv: asBytes(c.Argv)}
	if r.guest() { // this process's folder and environment are another machine's
		q.Env = asBytes(c.Env)
	} else {
		dir, _ := os.Getwd()
		q.Env, q.Dir = asBytes(append(os.Environ(), c.Env...)), []byte(dir)
	}
	frame, err := labFrame(q)
	if err != nil {
		conn.Close()
		return fail(err)
	}
	p := &labProcess{connection: r, argv: c.Argv, ctx: ctx, conn: conn}
	files, err := p.streams(c)
	if err == nil {
		conn.SetDeadline(time.Now().Add(labTimeout))
		err = sendWithFiles(conn, frame, files)
	}
	closeAll(p.far)
	if err == nil {
		_, err = labAnswer(conn)
	}
	if err != nil {
		closeAll(p.near)
		conn.Close()
		return fail(err)
	}
	conn.SetDeadline(time.Time{})
	p.run(c)
	return p, nil
}

func asBytes(words []string) [][]byte {
	out := make([][]byte, len(words))
	for i, w := range words {
		out[i] = []byte(w)
	}
	return out
}

// sendWithFiles writes a frame whose first byte transports the files.
func sendWithFiles(conn *net.UnixConn, frame []byte, files []*os.File) error {
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	n, _, err := conn.WriteMsgUnix(frame[:4], syscall.UnixRights(fds...), nil)
	if err == nil && n != 4 {
		err = io.ErrShortWrite
	}
	if err == nil {
		_, err = conn.Write(frame[4:])
	}
	if err != nil {
		return fmt.Errorf("the lab's init took no request: %w", err)
	}
	return nil
}

// labProcess is a command in a lab: the lab's init runs the process, and this process has the ends of its streams.
type labProcess struct {
	connection *labConnection
	argv       []string
	ctx        context.Context
	conn       *net.UnixConn

	far, near []*os.File // ends of pipes: of the command, of this process
	in, out   *os.File
	err       *os.File
	copies    sync.WaitGroup
	done      chan struct{}

	mu     sync.Mutex
	killed bool
	answer LabAnswer
	fault  error
}

// streams returns the three files that the command gets. Files of the caller are passed on as they are.
func (p *labProcess) streams(c Command) ([]*os.File, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	p.far = append(p.far, null)
	files := []*os.File{null, null, null}
	pipe := func(write bool) (far, near *os.File, err error) {
		r, w, err := os.Pipe()
		if err != nil {
			return nil, nil, err
		}
		far, near = w, r
		if write {
			far, near = r, w
		}
		p.far, p.near = append(p.far, far), append(p.near, near)
		return far, near, nil
	}
	if f, ok := c.Stdin.(*os.File); ok {
		files[0] = f
	} else if c.Stdin != nil {
		if files[0], p.in, err = pipe(true); err != nil {
			return nil, err
		}
	}
	if f, ok := c.Stdout.(*os.File); ok {
		files[1] = f
	} else if c.Stdout != nil {
		if files[1], p.out, err = pipe(false); err != nil {
			return nil, err
		}
	}
	if f, ok := c.Stderr.(*os.File); ok {
		files[2] = f
	} else if c.Stderr != nil && sameWriter(c.Stderr, c.Stdout) {
		files[2] = files[1] // one pipe, so that one goroutine writes, in the order of the command
	} else if c.Stderr != nil {
		if files[2], p.err, err = pipe(false); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// sameWriter reports whether two writers are the same. Their types need not be comparable.
func sameWriter(a, b io.Writer) bool {
	defer func() { recover() }() // comparing types without equality panics
	return a == b
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// run copies the streams and waits for the end on goroutines of its own.
func (p *labProcess) run(c Command) {
	p.done = make(chan struct{})
	if p.in != nil {
		go func() {
			io.Copy(p.in, c.Stdin)
			p.in.Close()
		}()
	}
	copyOut := func(w io.Writer, r *os.File) {
		if r == nil {
			return
		}
		p.copies.Go(func() { io.Copy(w, r) })
	}
	copyOut(c.Stdout, p.out)
	copyOut(c.Stderr, p.err)
	stop := context.AfterFunc(p.ctx, func() { p.send() })
	go func() {
		defer close(p.done)
		defer p.conn.Close()
		answer, err := labAnswer(p.conn)
		stop()
		late := make(chan struct{})
		go func() {
			p.copies.Wait()
			close(late)
		}()
		select {
		case <-late:
		case <-time.After(outputDelay):
			if err == nil {
				err = fmt.Errorf("it ended, but something that it started still held its output %v later", outputDelay)
			}
		}
		closeAll(p.near)
		p.mu.Lock()
		p.answer, p.fault = answer, err
		p.mu.Unlock()
	}()
}

// send asks the init to kill; a closed connection has already killed it.
func (p *labProcess) send() error {
	p.conn.SetWriteDeadline(time.Now().Add(labTimeout))
	return WriteLabFrame(p.conn, LabKill{Kill: true})
}

func (p *labProcess) Kill() error {
	select {
	case <-p.done:
		return nil
	default:
	}
	p.mu.Lock()
	again := p.killed
	p.killed = true
	p.mu.Unlock()
	if !again {
		p.send()
	}
	return nil
}

func (p *labProcess) Wait() (int, error) {
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	fail := func(err error) (int, error) {
		return -1, &Error{Connection: p.connection.String(), Command: p.argv, Exit: -1, Cause: err}
	}
	switch {
	case p.killed:
		return 128 + int(syscall.SIGKILL), nil
	case p.ctx.Err() != nil && (p.fault != nil || p.answer.Signal != 0):
		return fail(context.Cause(p.ctx))
	case p.fault != nil:
		return fail(p.fault)
	case p.answer.Signal != 0:
		return 128 + p.answer.Signal, nil
	}
	return p.answer.Exit, nil
}

package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// outputDelay bounds how long Wait waits for output after the program has ended, because its children may hold the
// pipes.
const outputDelay = 5 * time.Second

// process is a child of this process with a process group of its own. It is killed as a group, and by the kernel when
// this process dies, where the system supports that.
type process struct {
	connection string
	argv       []string
	ctx        context.Context
	cmd        *exec.Cmd
	done       chan struct{} // closed when waitErr is set

	gentle bool // see how

	mu      sync.Mutex
	ended   bool
	killed  bool      // by Kill
	ctxOver bool      // killed because ctx ended
	job     io.Closer // Windows: the job object
	waitErr error
}

// how describes the start of a process on this machine. All fields may be empty.
type how struct {
	// enter runs on the thread that forks and changes its namespaces; the thread is not used again.
	enter func() error
	// gentle ends only the process itself, by SIGTERM, also when this process dies; others are killed with their group. It
	// is for a program that cleans up elsewhere. It is killed outputDelay later.
	gentle bool
	// env replaces this process's environment.
	env []string
	// dir is the folder that it starts in; empty: this process's.
	dir string
}

// startProcess starts argv on this machine.
func startProcess(ctx context.Context, connection string, c Command, enter func() error) (*process, error) {
	return startProcessAs(ctx, connection, c, how{enter: enter})
}

func startProcessAs(ctx context.Context, connection string, c Command, how how) (*process, error) {
	enter := how.enter
	fail := func(cause error, try string) (*process, error) {
		return nil, &Error{Connection: connection, Command: c.Argv, Exit: -1, Cause: cause, Try: try}
	}
	if err := checkCommand(c); err != nil {
		return fail(err, "")
	}
	if err := ctx.Err(); err != nil {
		return fail(context.Cause(ctx), "")
	}
	path, err := lookPath(c.Argv[0])
	if err != nil {
		return fail(fmt.Errorf("%w: %s", ErrNoProgram, c.Argv[0]), "install it, or add its folder to PATH")
	}
	cmd := exec.CommandContext(ctx, path)
	cmd.Args = c.Argv
	cmd.Env, cmd.Dir = how.env, how.dir
	if len(c.Env) > 0 {
		cmd.Env = append(os.Environ(), c.Env...)
	}
	cmd.Stdout, cmd.Stderr = c.Stdout, c.Stderr
	cmd.WaitDelay = outputDelay
	setAttributes(cmd, how.gentle)
	p := &process{connection: connection, argv: c.Argv, ctx: ctx, cmd: cmd, gentle: how.gentle, done: make(chan struct{})}
	cmd.Cancel = p.cancel
	var stdin io.WriteCloser
	if file, ok := c.Stdin.(*os.File); ok {
		cmd.Stdin = file
	} else if c.Stdin != nil {
		// Not cmd.Stdin: Wait would wait for a reader that blocks although the program has ended.
		if stdin, err = cmd.StdinPipe(); err != nil {
			return fail(err, "")
		}
	}
	started := make(chan error)
	go onOwnThread(enter != nil, func() {
		if enter != nil {
			if err := enter(); err != nil {
				started <- err
				return
			}
		}
		err := cmd.Start()
		if err == nil {
			p.job, err = adopt(cmd.Process)
			if err != nil {
				p.kill()
				cmd.Wait()
			}
		}
		started <- err
		if err != nil {
			return
		}
		// The kernel's "kill the child when its parent dies" means the thread that forked, so that thread stays.
		err = cmd.Wait()
		p.finish(err)
	})
	if err := <-started; err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Command = c.Argv
			return nil, e
		}
		if errors.Is(err, os.ErrNotExist) {
			return fail(fmt.Errorf("%w: %w", ErrNoProgram, err), "install it, or look at its first line (#!)")
		}
		return fail(err, "")
	}
	if stdin != nil {
		go func() {
			io.Copy(stdin, c.Stdin)
			stdin.Close()
		}()
	}
	return p, nil
}

// onOwnThread runs f on a locked thread. With dirty the thread ends with f, because f changed it. It is then never the
// process's main thread, whose namespaces /proc/self shows and which cannot end.
func onOwnThread(dirty bool, f func()) {
	runtime.LockOSThread()
	if !dirty {
		defer runtime.UnlockOSThread()
		f()
		return
	}
	if isMainThread() {
		locked := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(locked)
			f()
		}()
		<-locked // the other goroutine now has a thread, and not this one
		runtime.UnlockOSThread()
		return
	}
	f()
}

func (p *process) finish(err error) {
	p.mu.Lock()
	p.ended = true
	p.waitErr = err
	job := p.job
	p.mu.Unlock()
	if job != nil {
		job.Close()
	}
	close(p.done)
}

func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || p.cmd.Process == nil {
		return os.ErrProcessDone
	}
	if p.gentle {
		time.AfterFunc(outputDelay, func() { _ = p.cmd.Process.Kill() })
		return askToEnd(p.cmd.Process)
	}
	return killTree(p.cmd.Process)
}

// cancel kills the process at the end of ctx.
func (p *process) cancel() error {
	p.mu.Lock()
	p.ctxOver = true
	p.mu.Unlock()
	return p.kill()
}

func (p *process) Kill() error {
	p.mu.Lock()
	if !p.ended {
		p.killed = true
	}
	p.mu.Unlock()
	if err := p.kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return &Error{Connection: p.connection, Command: p.argv, Exit: -1, Cause: err}
	}
	return nil
}

func (p *process) Wait() (int, error) {
	exit, signalled, err := p.wait()
	if signalled && err == nil {
		exit += 128
	}
	return exit, err
}

// wait is Wait with the signal's number as it is.
func (p *process) wait() (code int, signalled bool, err error) {
	<-p.done
	p.mu.Lock()
	killed, ctxOver, waitErr := p.killed, p.ctxOver, p.waitErr
	p.mu.Unlock()
	if killed {
		return int(syscall.SIGKILL), true, nil
	}
	if waitErr != nil && ctxOver {
		return -1, false, &Error{Connection: p.connection, Command: p.argv, Exit: -1, Cause: context.Cause(p.ctx)}
	}
	var exit *exec.ExitError
	switch {
	case waitErr == nil:
		return 0, false, nil
	case errors.As(waitErr, &exit):
		if n, ok := signalOf(exit.ProcessState); ok {
			return n, true, nil
		}
		return exit.ExitCode(), false, nil
	case errors.Is(waitErr, exec.ErrWaitDelay):
		waitErr = fmt.Errorf("it ended, but something that it started still held its output %v later", outputDelay)
	}
	return -1, false, &Error{Connection: p.connection, Command: p.argv, Exit: -1, Cause: waitErr}
}

func (p *process) wasKilled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/xslices"
	"linerate/internal/design/plan"
	"linerate/internal/host/connect"
	"linerate/internal/lab/layout"
)

// upTimeout bounds Up as a whole.
const upTimeout = 60 * time.Second

// initProcess is the init of a lab that this process started.
type initProcess struct {
	cmd    *exec.Cmd
	orders *os.File      // the init's standard input, the lifeline: its end ends the lab
	done   chan struct{} // closed when the init has been waited for
}

// Up builds the plan's lab and returns when every link carries traffic. If it fails, nothing is left. The program must
// call InitMain for "lab-init".
func Up(ctx context.Context, p *plan.Plan, opt Options) (*Lab, error) {
	if len(p.Hosts) == 0 {
		return nil, errors.New("the plan has no hosts: there is nothing to build")
	}
	if opt.Scale < 0 || opt.Scale > 1 {
		return nil, fmt.Errorf("scale %g: a lab's scale is more than 0 and at most 1", opt.Scale)
	}
	built := layout.New(p)
	parts, missing, err := prepareGuests(ctx, p, opt, built)
	if err != nil {
		return nil, err
	}
	limit := upTimeout
	if parts != nil {
		limit += 2 * bootTimeout // from the start to the settings
		if parts.System != nil {
			limit += systemTimeout
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the lab was not up after %v", limit))
	defer cancel()
	step := &stepper{role: "controller"}
	id, dir, err := makeFolder()
	if err != nil {
		return nil, err
	}
	step.at()
	rootless := os.Geteuid() != 0 || opt.UserNamespace
	state := connect.LabState{Schema: connect.LabSchema, ID: id, Fabric: p.Name, Token: randomHex(16), Boot: bootID(),
		Created: time.Now().UTC(), Detached: opt.Detach, Controller: thisProcess()}
	state.Hosts = xslices.Map(p.Hosts, func(h *plan.Host) string { return h.Name })
	for _, n := range built.Hosts {
		if n.Guest {
			state.Guests = append(state.Guests, n.Name)
		}
	}
	l := &Lab{id: id, dir: dir}
	fail := func(err error) (*Lab, error) {
		l.kill()
		_ = removeFolder(dir)
		return nil, fmt.Errorf("lab %s: %w", id, err)
	}
	if err := writeState(dir, state); err != nil {
		return fail(err)
	}
	step.at()
	reports, err := l.start(rootless)
	if errors.Is(err, syscall.EPERM) && !rootless { // root of a container may still have user namespaces
		rootless = true
		reports, err = l.start(rootless)
	}
	if err != nil {
		return fail(namespaceError(err, rootless))
	}
	defer reports.Close()
	step.at()
	pid := l.init.cmd.Process.Pid
	state.Init = connect.LabProcess{PID: pid, Start: processStart(pid)}
	if err := writeState(dir, state); err != nil {
		return fail(err)
	}
	step.at()
	stop := context.AfterFunc(ctx, func() { l.init.cmd.Process.Kill() })
	defer stop()
	o := order{ID: id, Dir: dir, Token: state.Token, Layout: built, Scale: opt.Scale,
		Busy: opt.Busy, Rootless: rootless, Guests: parts}
	if parts != nil {
		o.Share = opt.Share
	}
	// If the init has already died, its log has the reason, not the error of the write.
	json.NewEncoder(l.init.orders).Encode(o)
	info, err := l.follow(reports, opt.Progress)
	if ctx.Err() != nil {
		return fail(context.Cause(ctx))
	}
	if err != nil {
		return fail(err)
	}
	step.at()
	l.Info, state.Ready, l.Missing = *info, true, missing
	if state.Info, err = json.Marshal(info); err != nil {
		return fail(err)
	}
	if err := writeState(dir, state); err != nil {
		return fail(err)
	}
	step.at()
	if opt.Detach {
		if _, err := io.WriteString(l.init.orders, stay+"\n"); err != nil {
			return fail(fmt.Errorf("the init has died: %w%s", err, l.log()))
		}
		l.init.orders.Close()
	}
	step.at()
	return l, nil
}

// start starts this program again as the lab's init, in new namespaces.
func (l *Lab) start(rootless bool) (reports *os.File, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(self); err != nil {
		self = "/proc/self/exe" // the file has been removed since the start
	}
	log, err := os.OpenFile(filepath.Join(l.dir, "log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	theirs, orders, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	reports, far, err := os.Pipe()
	if err != nil {
		orders.Close()
		return nil, err
	}
	defer far.Close()
	cmd := &exec.Cmd{Path: self, Args: []string{"linerate", InitCommand, l.id}, Dir: "/",
		Stdin: theirs, Stdout: far, Stderr: log}
	attr := &syscall.SysProcAttr{Setsid: true,
		Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWUTS |
			syscall.CLONE_NEWIPC}
	if rootless {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
	// A lab may stay when its caller ends, so it must not hold inherited files (a lock, a pipe whose reader waits for its
	// end).
	_ = unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC) // 5.11; ours are marked already
	p := &initProcess{cmd: cmd, orders: orders, done: make(chan struct{})}
	if err := cmd.Start(); err != nil {
		orders.Close()
		reports.Close()
		return nil, err
	}
	l.init = p
	go func() {
		cmd.Wait()
		close(p.done)
	}()
	return reports, nil
}

// follow reads the init's reports until the lab is up.
func (l *Lab) follow(reports io.Reader, progress func(string)) (*Info, error) {
	in := bufio.NewScanner(reports)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var r report
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("what its init says is not understood: %w", err)
		}
		switch {
		case r.Error != "":
			return nil, errors.New(r.Error)
		case r.Info != nil:
			return r.Info, nil
		case progress != nil:
			progress(r.Step)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("what its init says cannot be read: %w", err)
	}
	select {
	case <-l.init.done:
	case <-time.After(time.Second):
	}
	return nil, fmt.Errorf("its init has ended (%v)%s", l.init.cmd.ProcessState, l.log())
}

// log returns the first line of the init's log, as the end of a sentence.
func (l *Lab) log() string {
	b, _ := os.ReadFile(filepath.Join(l.dir, "log"))
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if line == "" {
		return ""
	}
	return ": " + line
}

// kill ends the init, and with it everything in the lab, and waits until it is gone.
func (l *Lab) kill() {
	if l.init == nil {
		return
	}
	l.init.cmd.Process.Kill()
	l.init.orders.Close()
	<-l.init.done
	runtime.KeepAlive(l.init.orders)
}

// Down ends the lab; it is idempotent.
func (l *Lab) Down() error {
	err := downFolder(l.dir)
	if l.init != nil {
		l.kill()
		sweepQuotas(filepath.Base(l.dir))
	}
	return err
}

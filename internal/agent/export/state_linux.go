package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/agent/process"
	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// ways is the table. The first way of a protocol is tried first.
func ways() []way {
	return []way{iscsiKernel().way(), nvmeKernel().way(), nfsKernel().way(), smbKernel().way(), iscsiUser(), nbdUser()}
}

const (
	// Kept is the keeper's argument before the path of a folder of this package.
	Kept = "storage"
	// folderPrefix is the beginning of such a folder's name.
	folderPrefix = "linerate-storage-"
	// undoPrefix is the beginning of the names of the files that undo a step.
	undoPrefix = "undo."
	// undoLimit is how long the undoing of one step may take.
	undoLimit = 20 * time.Second
	// programLimit is how long a program may take that does one thing and ends, or until it serves.
	programLimit = 15 * time.Second
)

// State is what an agent has exported and attached. All of it ends with the agent.
type State struct {
	mu       sync.Mutex // held for a whole export or attachment
	dir      string
	keeper   *process.Keeper
	undone   int // steps that the folder's keeper knows
	ids      int // that the kernel's ways have used
	children []*child
	tgt      *tgtServer
	qemu     *qemuDaemon
}

// folder is where sockets, mount points and the files that undo steps are. A keeper removes it, also where this process
// is killed.
func (s *State) folder() (string, error) {
	if s.dir != "" {
		return s.dir, nil
	}
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", failure.Errorf(failure.CodeInternal, "the folder of storage", "%v", err)
	}
	if s.keeper, err = process.StartKeeper(Kept, dir); err != nil {
		_ = os.Remove(dir)
		return "", failure.Errorf(failure.CodeInternal, "the keeper of storage", "%v", err)
	}
	s.dir = dir
	return dir, nil
}

// undo has the keeper run the lines of a shell at the end, before those of earlier calls. It is called before the step
// that the lines undo.
func (s *State) undo(script string) error {
	dir, err := s.folder()
	if err != nil {
		return err
	}
	s.undone++
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%04d", undoPrefix, s.undone)), []byte(script), 0o600)
}

// End ends everything: first the programs, then what the keeper undoes and removes.
func (s *State) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range slices.Backward(s.children) { // the client before the server
		c.kill()
	}
	if s.keeper != nil {
		s.keeper.End()
	}
	s.children, s.keeper, s.dir, s.tgt, s.qemu = nil, nil, "", nil, nil
}

// IsFolder reports whether a path is that of a folder of this package.
func IsFolder(path string) bool { return strings.HasPrefix(filepath.Base(path), folderPrefix) }

// RemoveFolder undoes the steps that are recorded in a folder, unmounts what is mounted in it and removes it. It
// returns an exit code.
func RemoveFolder(dir string) int {
	info, err := os.Lstat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 ||
		int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return 2
	}
	steps, _ := filepath.Glob(filepath.Join(dir, undoPrefix+"*"))
	slices.Sort(steps)
	code := 0
	for _, step := range slices.Backward(steps) {
		ctx, cancel := context.WithTimeout(context.Background(), undoLimit)
		if exec.CommandContext(ctx, "sh", step).Run() != nil {
			code = 1
		}
		cancel()
	}
	for _, at := range slices.Backward(mountsBelow(dir)) {
		if unix.Unmount(at, unix.MNT_DETACH) != nil &&
			exec.Command("fusermount3", "-u", "-z", at).Run() != nil { // a user's own, without root
			return 1 // what is mounted there must not be removed with the folder
		}
	}
	if os.RemoveAll(dir) != nil {
		return 1
	}
	return code
}

// mountsBelow are the mount points in a folder, in the order in which they were made.
func mountsBelow(dir string) (out []string) {
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if fields := strings.Fields(s.Text()); len(fields) > 4 && strings.HasPrefix(fields[4], dir+"/") {
			out = append(out, fields[4])
		}
	}
	return out
}

// child is a program that exports or attaches storage. The kernel ends it when this process ends, however that ends.
type child struct {
	name string
	cmd  *exec.Cmd
	said process.Tail
	over chan struct{} // closed when it has ended
}

// start starts a program in the folder. prepare may add to the command before it starts; nil: nothing.
func (s *State) start(env []string, prepare func(*exec.Cmd) error, argv ...string) (*child, error) {
	dir, err := s.folder()
	if err != nil {
		return nil, err
	}
	path, err := process.Look(argv[0])
	if err != nil {
		return nil, process.Missing(argv[0])
	}
	c := &child{name: argv[0], cmd: exec.Command(path, argv[1:]...), over: make(chan struct{})}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = dir, append(os.Environ(), env...), &c.said
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if prepare != nil {
		if err := prepare(c.cmd); err != nil {
			return nil, err
		}
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the kernel sends the signal when the thread ends that has started the program
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait()
			close(c.over)
		}
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return nil, failure.Errorf(failure.CodeInternal, c.name, "%v", err)
	}
	s.children = append(s.children, c)
	return c, nil
}

// kill ends the program with all that it has started. Some servers take no other signal.
func (c *child) kill() {
	if !c.ended() {
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
		<-c.over
	}
}

func (c *child) ended() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// await calls done until it returns nil. Where the program ends before that, or takes longer than programLimit, the
// program is killed.
func (c *child) await(ctx context.Context, every time.Duration, done func() error) error {
	for end := time.Now().Add(programLimit); ; time.Sleep(every) {
		err := done()
		if err == nil {
			return nil
		}
		if c.ended() || time.Now().After(end) || ctx.Err() != nil {
			c.kill()
			return err
		}
	}
}

// failed is an error of a program, with its last lines.
func (c *child) failed(format string, a ...any) error {
	text := fmt.Sprintf(format, a...)
	if last := strings.ReplaceAll(c.said.String(), "\n", " | "); last != "" {
		text += "; its last lines: " + last
	}
	return &failure.Error{Code: failure.CodeInternal, Subject: c.name, Text: text}
}

// output runs a program that does one thing and ends.
func output(ctx context.Context, env []string, argv ...string) (string, error) {
	path, err := process.Look(argv[0])
	if err != nil {
		return "", process.Missing(argv[0])
	}
	ctx, cancel := context.WithTimeout(ctx, programLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", programLimit)
	}
	if err != nil {
		text := err.Error()
		if last := process.LastLines(b); last != "" {
			text += "; its last lines: " + last
		}
		return string(b), &failure.Error{Code: failure.CodeInternal, Subject: argv[0], Text: text}
	}
	return strings.TrimSpace(string(b)), nil
}

func freePort(at netip.Addr) (netip.AddrPort, error) {
	port, err := process.FreePort(at)
	if err != nil {
		err = failure.Errorf(failure.CodeAddress, at.String(), "%v", err)
	}
	return port, err
}

// checkSize refuses a unit that is smaller than what was exported.
func (e Export) checkSize(has unit.Bytes) error {
	if has >= e.Size {
		return nil
	}
	return failure.Errorf(failure.CodeInput, e.Name,
		"the unit has %v, and %v of it are to be used; lower span, or give a larger one out", has, e.Size)
}

// onFUSE refuses the plain file at a path where FUSE should have mounted the storage: the file would be measured in
// place of the storage.
func onFUSE(path string) error {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return failure.Errorf(failure.CodeInternal, path, "%v", err)
	}
	if s.Type != unix.FUSE_SUPER_MAGIC {
		return failure.Errorf(failure.CodeInternal, path,
			"nothing is mounted there (its file system is %#x and not FUSE), so that it is not measured", s.Type)
	}
	return nil
}

// canFUSE is why no program can mount a file system on this host; empty: it can.
func canFUSE() string {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return fmt.Sprintf("/dev/fuse: %v (FUSE: modprobe fuse, or give this container the device)", errors.Unwrap(err))
	}
	_ = f.Close()
	return mayMount(os.Geteuid(), exec.LookPath)
}

// mayMount is why this user cannot mount a file system of FUSE; empty: the user can. The kernel allows it to root; for
// other users fusermount3 mounts it, which is setuid.
func mayMount(user int, look func(program string) (string, error)) string {
	if user == 0 {
		return ""
	}
	if _, err := look("fusermount3"); err != nil {
		return "the program fusermount3, by which others than root use FUSE (Debian: fuse3), is not there"
	}
	return ""
}

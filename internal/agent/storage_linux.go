package agent

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
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

	"linerate/internal/traffic"
)

// storageWays is the table, of each protocol the way that is to be tried first in front.
func storageWays() []storageWay {
	var all []storageWay
	for _, k := range kernelProtocols() {
		all = append(all, k.way())
	}
	return append(all, iscsiUser(), nbdUser())
}

// storageState is what this agent has under way for storage that it gives out or attached: all of it ends with the agent.
type storageState struct {
	mu       sync.Mutex // one thing at a time
	dir      string
	keeper   *keeperProcess
	undone   int // steps that the folder's keeper knows
	ids      int // that the kernel's ways have used
	children []*child
	tgt      *tgtServer
	qemu     *qemuStorage
}

// folder is where sockets, mount points and the steps back of this agent lie. It is put away by a process of its own, also where this one is killed.
func (t *storageState) folder() (string, error) {
	if t.dir != "" {
		return t.dir, nil
	}
	dir, err := os.MkdirTemp("", storagePrefix)
	if err != nil {
		return "", &traffic.Error{Code: traffic.CodeInternal, Subject: "the folder of storage", Text: err.Error()}
	}
	if t.keeper, err = startKeeperOf(keptStorage, dir); err != nil {
		_ = os.Remove(dir)
		return "", &traffic.Error{Code: traffic.CodeInternal, Subject: "the keeper of storage", Text: err.Error()}
	}
	t.dir = dir
	return dir, nil
}

// undoPrefix is what the names of the steps back begin with.
const undoPrefix = "undo."

// undo has a line of a shell run at the end, before those that were told earlier. It is told before what it takes back is done.
func (t *storageState) undo(script string) error {
	dir, err := t.folder()
	if err != nil {
		return err
	}
	t.undone++
	return os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%04d", undoPrefix, t.undone)), []byte(script), 0o600)
}

// endStorage ends everything: programs first, then what the keeper takes away.
func (s *server) endStorage() {
	t := &s.stores
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range slices.Backward(t.children) { // the client before the server
		c.kill()
	}
	if t.keeper != nil {
		t.keeper.end()
	}
	t.children, t.keeper, t.dir, t.tgt, t.qemu = nil, nil, "", nil, nil
}

// undoTime is how long one step back may take.
const undoTime = 20 * time.Second

// putStorageAway runs the steps back, takes the mounts in the folder away and removes it. It returns an exit code.
func putStorageAway(dir string) int {
	info, err := os.Lstat(dir)
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return 2
	}
	steps, _ := filepath.Glob(filepath.Join(dir, undoPrefix+"*"))
	slices.Sort(steps)
	code := 0
	for _, step := range slices.Backward(steps) {
		ctx, cancel := context.WithTimeout(context.Background(), undoTime)
		if exec.CommandContext(ctx, "sh", step).Run() != nil {
			code = 1
		}
		cancel()
	}
	for _, at := range slices.Backward(mountsBelow(dir)) {
		if unix.Unmount(at, unix.MNT_DETACH) != nil && exec.Command("fusermount3", "-u", "-z", at).Run() != nil { // a user's own, without root
			return 1 // what is mounted there is not to be removed with the folder
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

// child is a program that serves or attaches storage. The kernel ends it with this process, however that ends.
type child struct {
	name string
	cmd  *exec.Cmd
	said tail
	over chan struct{} // closed when it has ended
}

// start starts a program in the folder. Prepare may add to the command before it starts; nil: nothing.
func (t *storageState) start(env []string, prepare func(*exec.Cmd) error, argv ...string) (*child, error) {
	dir, err := t.folder()
	if err != nil {
		return nil, err
	}
	path, err := lookProgram(argv[0])
	if err != nil {
		return nil, lacking(argv[0])
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
		runtime.LockOSThread() // the kernel's signal comes at the end of the thread that started it
		err := c.cmd.Start()
		started <- err
		if err == nil {
			_ = c.cmd.Wait()
			close(c.over)
		}
		runtime.UnlockOSThread()
	}()
	if err := <-started; err != nil {
		return nil, &traffic.Error{Code: traffic.CodeInternal, Subject: c.name, Text: err.Error()}
	}
	t.children = append(t.children, c)
	return c, nil
}

// kill ends it with all that it started. Some servers take no other signal.
func (c *child) kill() {
	select {
	case <-c.over:
	default:
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

// failed is an error of a program, with what it said last.
func (c *child) failed(format string, a ...any) error {
	text := fmt.Sprintf(format, a...)
	if last := strings.ReplaceAll(c.said.String(), "\n", " | "); last != "" {
		text += "; its last lines: " + last
	}
	return &traffic.Error{Code: traffic.CodeInternal, Subject: c.name, Text: text}
}

// programMoment is how long a program may take that does one thing and ends, or until it serves.
const programMoment = 15 * time.Second

// output runs a program that does one thing and ends.
func output(ctx context.Context, env []string, argv ...string) (string, error) {
	path, err := lookProgram(argv[0])
	if err != nil {
		return "", lacking(argv[0])
	}
	ctx, cancel := context.WithTimeout(ctx, programMoment)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	b, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("no answer within %v", programMoment)
	}
	if err != nil {
		text := err.Error()
		if last := LastLines(b); last != "" {
			text += "; its last lines: " + last
		}
		return string(b), &traffic.Error{Code: traffic.CodeInternal, Subject: argv[0], Text: text}
	}
	return strings.TrimSpace(string(b)), nil
}

// freePort is a TCP port that nothing listens at now.
func freePort(at netip.Addr) (netip.AddrPort, error) {
	fail := func(err error) (netip.AddrPort, error) {
		return netip.AddrPort{}, &traffic.Error{Code: traffic.CodeAddress, Subject: at.String(), Text: err.Error()}
	}
	ln, err := net.Listen("tcp", netip.AddrPortFrom(at, 0).String())
	if err != nil {
		return fail(err)
	}
	defer ln.Close()
	port, err := netip.ParseAddrPort(ln.Addr().String())
	if err != nil {
		return fail(err)
	}
	return netip.AddrPortFrom(at, port.Port()), nil
}

// onFUSE refuses a path that is the plain file under a mount that did not come about: it would be measured in place of the storage.
func onFUSE(path string) error {
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return &traffic.Error{Code: traffic.CodeInternal, Subject: path, Text: err.Error()}
	}
	if s.Type != unix.FUSE_SUPER_MAGIC {
		return &traffic.Error{Code: traffic.CodeInternal, Subject: path, Text: fmt.Sprintf("nothing is mounted there (its file system is %#x and not FUSE), so that it is not measured", s.Type)}
	}
	return nil
}

// canFUSE says why no file system can be made by a program here.
func canFUSE() string {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return fmt.Sprintf("/dev/fuse: %v (FUSE: modprobe fuse, or give this container the device)", errors.Unwrap(err))
	}
	_ = f.Close()
	return mayMount(os.Geteuid(), exec.LookPath)
}

// mayMount says why this user cannot make a file system of FUSE: the kernel takes it from root alone, for others fusermount3 does it, which is setuid.
func mayMount(user int, look func(program string) (string, error)) string {
	if user == 0 {
		return ""
	}
	if _, err := look("fusermount3"); err != nil {
		return "the program fusermount3, by which others than root use FUSE (Debian: fuse3), is not there"
	}
	return ""
}

package lab

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"linerate/internal/base/xslices"
	"linerate/internal/host/connect"
)

// spawner starts processes in hosts and reaps all children of the init: those it started, and orphans that the kernel
// hands to process 1. It waits for all of them itself, because os/exec would compete for its own.
type spawner struct {
	mu      sync.Mutex
	started *sync.Cond
	ends    map[int]chan syscall.WaitStatus
}

func newSpawner() *spawner {
	s := &spawner{ends: map[int]chan syscall.WaitStatus{}}
	s.started = sync.NewCond(&s.mu)
	go s.reap()
	return s
}

func (s *spawner) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		s.mu.Lock()
		if err != nil { // no children: an orphan needs a running one first
			for len(s.ends) == 0 {
				s.started.Wait()
			}
			s.mu.Unlock()
			continue
		}
		if end, ok := s.ends[pid]; ok {
			delete(s.ends, pid)
			end <- status
		}
		s.mu.Unlock()
	}
}

// running is a process in a host.
type running struct {
	s   *spawner
	pid int
	end chan syscall.WaitStatus
}

// start starts a command in a host, with the three files as its standard streams, as the leader of a session.
func (s *spawner) start(h *host, q connect.LabRequest, files []*os.File) (*running, error) {
	r := &running{s: s, end: make(chan syscall.WaitStatus, 1)}
	return r, h.do(func() error {
		argv, env, dir := asStrings(q.Argv), asStrings(q.Env), string(q.Dir)
		path, err := lookPath(argv[0], env, dir)
		if err != nil {
			return err
		}
		if fi, err := os.Stat(dir); err != nil || !fi.IsDir() {
			dir = "/"
		}
		if h.state != "" {
			// All hosts of a lab share the machine's /run.
			env = append(env, "LINERATE_STATE="+h.state, "LINERATE_SOURCES="+h.sources())
		}
		attr := &syscall.ProcAttr{Dir: dir, Env: env, Sys: &syscall.SysProcAttr{Setsid: true}}
		attr.Files = xslices.Map(files, (*os.File).Fd)
		return s.fork(r, path, argv, attr)
	})
}

// fork starts a process on the calling thread.
func (s *spawner) fork(r *running, path string, argv []string, attr *syscall.ProcAttr) (err error) {
	// The lock ensures that the reaper does not reap a process that is not in the table yet.
	s.mu.Lock()
	defer s.mu.Unlock()
	r.pid, err = syscall.ForkExec(path, argv, attr)
	if err != nil {
		return &os.PathError{Op: "start", Path: path, Err: err}
	}
	s.ends[r.pid] = r.end
	s.started.Signal()
	return nil
}

func asStrings(words [][]byte) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}

// kill ends the process and its group. Once it has been reaped, its process id may be reused, so nothing is done.
func (r *running) kill() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if _, ok := r.s.ends[r.pid]; ok {
		unix.Kill(-r.pid, unix.SIGKILL)
	}
}

// lookPath finds a program as a shell with that environment would, and then in the folders of administration programs.
func lookPath(name string, env []string, dir string) (string, error) {
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		return name, executable(name)
	}
	path := "/usr/local/bin:/usr/bin:/bin"
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			path = v
		}
	}
	for _, d := range append(filepath.SplitList(path), "/usr/local/sbin", "/usr/sbin", "/sbin") {
		if !filepath.IsAbs(d) {
			continue // the current folder is not searched, as in os/exec
		}
		if file := filepath.Join(d, name); executable(file) == nil {
			return file, nil
		}
	}
	return "", &os.PathError{Op: "find", Path: name, Err: os.ErrNotExist}
}

func executable(file string) error {
	fi, err := os.Stat(file)
	switch {
	case err != nil:
		return err
	case fi.IsDir():
		return &os.PathError{Op: "start", Path: file, Err: syscall.EISDIR}
	case fi.Mode().Perm()&0o111 == 0:
		return &os.PathError{Op: "start", Path: file, Err: syscall.EACCES}
	}
	return nil
}

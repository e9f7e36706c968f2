package connect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// netnsFolder is where ip-netns(8) keeps its namespaces.
const netnsFolder = "/run/netns"

// netns is a network namespace of this machine.
type netns struct {
	spec Spec
	path string
}

func (n netns) String() string  { return n.spec.String() }
func (netns) Close() error      { return nil }
func (netns) SameMachine() bool { return true }

func openNetns(s Spec) (Connection, error) {
	n := netns{s, s.File}
	if s.Kind == Netns {
		n.path = filepath.Join(netnsFolder, s.Name)
	}
	if _, err := os.Stat(n.path); err != nil {
		return nil, n.error(err)
	}
	return n, nil
}

// Start forks from a thread that has moved into the namespace. The child has its own mount namespace with a fresh
// /sys, because /sys/class/net shows the namespace of the process that mounted it, as ip netns exec does.
func (n netns) Start(ctx context.Context, c Command) (Process, error) {
	file, err := os.Open(n.path)
	if err != nil {
		return nil, n.error(err)
	}
	defer file.Close()
	p, err := startProcess(ctx, n.String(), c, func() error { return n.enter(int(file.Fd())) })
	if err != nil {
		return nil, err
	}
	return p, nil
}

// enter moves the calling thread, which must not be used afterwards.
func (n netns) enter(fd int) error {
	if err := unix.Setns(fd, unix.CLONE_NEWNET); err != nil {
		return n.error(fmt.Errorf("setns: %w", err))
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return n.error(fmt.Errorf("unshare the mounts: %w", err))
	}
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return n.error(fmt.Errorf("make the mounts private: %w", err))
	}
	// Without a /sys of its own, the child would read the interfaces of another namespace as its own.
	if err := unix.Mount("sysfs", "/sys", "sysfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return n.error(fmt.Errorf("mount /sys: %w", err))
	}
	return nil
}

func (n netns) error(err error) error {
	name, e := n.spec.Name, &Error{Connection: n.String(), Exit: -1, Cause: err}
	switch {
	case n.spec.Kind == Loop && errors.Is(err, fs.ErrNotExist):
		e.Cause = fmt.Errorf("the process that held the network namespace of %s has ended: %w", name, err)
		e.Try = "the measurement again"
	case errors.Is(err, fs.ErrNotExist):
		e.Cause = fmt.Errorf("there is no network namespace of this name: %w", err)
		e.Try = "ip netns add " + name
		if names := netnsNames(); len(names) > 0 {
			e.Try += "; there are " + strings.Join(names, ", ")
		}
	case errors.Is(err, unix.EPERM), errors.Is(err, fs.ErrPermission):
		e.Try = "run linerate as root (sudo); entering a network namespace needs CAP_SYS_ADMIN"
	case errors.Is(err, unix.EINVAL):
		e.Try = "ip netns delete " + name + " and add it again; the file is not a network namespace"
	}
	return e
}

func netnsNames() []string {
	entries, _ := os.ReadDir(netnsFolder)
	var names []string
	for _, e := range entries {
		if len(names) == 20 {
			return append(names, "..")
		}
		names = append(names, e.Name())
	}
	return names
}

// isMainThread reports whether this is the main thread, which cannot end.
func isMainThread() bool { return unix.Gettid() == unix.Getpid() }

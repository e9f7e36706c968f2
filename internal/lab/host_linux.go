package lab

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/lab/layout"
)

// host is a host of the lab: a thread of the init that lives in namespaces of its own (net, mount, UTS). Nothing else
// holds them. Everything in the host runs on that thread, so a process forked there is in the host.
type host struct {
	name  string
	netns *os.File
	nl    *netlink.Handle // used on the thread alone
	// folder where configuration scripts save the previous state; empty: their default
	state    string
	degraded []string // settings that the kernel refused, as sentences without the host's name
	work     chan func()
}

// newHost makes a host without interfaces but lo.
func newHost(n layout.Node, dir string) (*host, error) {
	return newThread(n.Name, func(h *host) error { return h.enter(n, dir) })
}

// newThread makes a thread that first runs enter, and then the functions passed to do. The thread and what it holds end
// with close.
func newThread(name string, enter func(*host) error) (*host, error) {
	h := &host{name: name, work: make(chan func())}
	ready := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is the host, and ends with this goroutine
		err := enter(h)
		ready <- err
		if err != nil {
			return
		}
		for f := range h.work {
			f()
		}
	}()
	return h, <-ready
}

// sources returns the folder of substitutes for hardware that a namespace cannot have. It need not exist.
func (h *host) sources() string {
	return filepath.Join(filepath.Dir(filepath.Dir(h.state)), "sources", h.name)
}

// close ends the thread and with it the namespaces.
func (h *host) close() {
	close(h.work)
	h.nl.Close()
	h.netns.Close()
}

// do runs f on the host's thread.
func (h *host) do(f func() error) error {
	done := make(chan error)
	h.work <- func() { done <- f() }
	return <-done
}

// unshare gives the thread namespaces of its own, including a network namespace, with lo up.
func (h *host) unshare(flags int) (err error) {
	if err := unix.Unshare(flags | unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("namespaces: %w", err)
	}
	if h.netns, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	if h.nl, err = netlink.NewHandle(unix.NETLINK_ROUTE); err != nil {
		return fmt.Errorf("netlink: %w", err)
	}
	if err := loopbackUp(h.nl); err != nil {
		return fmt.Errorf("bring up lo: %w", err)
	}
	return nil
}

// enter turns the calling thread into the host. dir is the lab's folder; empty for a switch.
func (h *host) enter(n layout.Node, dir string) error {
	if err := h.unshare(unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_FS); err != nil {
		return err
	}
	if err := unix.Sethostname([]byte(n.Name)); err != nil {
		return fmt.Errorf("host name: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mount namespace: %w", err)
	}
	h.mountSys()
	if dir == "" {
		return nil // a switch needs no names and no configuration
	}
	h.mountHosts(n, dir)
	h.mountMemory()
	h.state = filepath.Join(dir, "config", n.Name)
	return nil
}

// mountSys mounts a sysfs over /sys: it shows the interfaces of the network namespace in which it was mounted.
func (h *host) mountSys() {
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	// A new sysfs hides the control groups below the old one, which have the resource use of processes.
	groups, groupsErr := unix.OpenTree(unix.AT_FDCWD, "/sys/fs/cgroup",
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	err := unix.Mount("sysfs", "/sys", "sysfs", flags, "")
	if errors.Is(err, unix.EPERM) {
		err = unix.Mount("sysfs", "/sys", "sysfs", flags|unix.MS_RDONLY, "")
	}
	if err != nil {
		h.degraded = append(h.degraded,
			fmt.Sprintf("/sys shows the machine's interfaces: the kernel refused a /sys of the host's own (%v)", err))
	}
	if groupsErr != nil {
		if err == nil && !errors.Is(groupsErr, os.ErrNotExist) {
			h.degraded = append(h.degraded, fmt.Sprintf("/sys/fs/cgroup is hidden (%v)", groupsErr))
		}
		return
	}
	if err == nil {
		if err := unix.MoveMount(groups, "", unix.AT_FDCWD, "/sys/fs/cgroup", unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
			h.degraded = append(h.degraded, fmt.Sprintf("/sys/fs/cgroup is empty (%v)", err))
		}
	}
	unix.Close(groups)
}

// mountMemory gives the host shared memory of its own: programs of two hosts must not share it, and its content ends
// with the host.
func (h *host) mountMemory() {
	const place = "/dev/shm"
	if _, err := os.Stat(place); err != nil {
		return
	}
	if err := unix.Mount("tmpfs", place, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=1777"); err != nil {
		h.degraded = append(h.degraded, fmt.Sprintf("%s is the machine's, shared by all hosts (%v)", place, err))
	}
}

// mountHosts mounts the plan's names over /etc/hosts.
func (h *host) mountHosts(n layout.Node, dir string) {
	file, err := writeHosts(n, dir)
	if err == nil {
		err = unix.Mount(file, "/etc/hosts", "", unix.MS_BIND, "")
	}
	if err != nil {
		h.degraded = append(h.degraded, fmt.Sprintf("/etc/hosts is the machine's, without the plan's names (%v)", err))
	}
}

// writeHosts writes a host's hosts file into the lab's folder, readable by any user of the host's programs.
func writeHosts(n layout.Node, dir string) (string, error) {
	f, err := os.CreateTemp(dir, "hosts.*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(hostsFile(n))
	return f.Name(), cmp.Or(err, f.Chmod(0o644), f.Close())
}

// hostsFile returns the text of a host's /etc/hosts.
func hostsFile(n layout.Node) []byte {
	var b bytes.Buffer
	b.WriteString("127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 " + n.Name + "\n")
	for _, l := range n.Names {
		fmt.Fprintf(&b, "%s %s\n", l.Address, strings.Join(l.Names, " "))
	}
	return b.Bytes()
}

func loopbackUp(nl *netlink.Handle) error {
	lo, err := nl.LinkByName("lo")
	if err != nil {
		return err
	}
	return nl.LinkSetUp(lo)
}

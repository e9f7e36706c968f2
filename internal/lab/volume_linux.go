package lab

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/host/connect"
)

const (
	// volumeTimeout bounds the making of a volume, volumeReady the wait for each of its processes.
	volumeTimeout, volumeReady = 90 * time.Second, 20 * time.Second
	// fuseMagic is FUSE_SUPER_MAGIC of statfs(2).
	fuseMagic = 0x65735546
	// quorumMet is what a mount writes into its log when all copies of a set are available.
	quorumMet = "Client-quorum is met"
)

var volumeName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

// MakeVolume makes a GlusterFS volume in a lab, unless it exists, and returns its path on the hosts. It ends with the
// lab.
func MakeVolume(id string, v connect.LabVolume) (path string, err error) {
	dir, state, err := connect.FindLab(id)
	if err != nil {
		return "", err
	}
	if err := ask(dir, connect.LabRequest{Token: state.Token, Op: "volume", Volume: &v}, volumeTimeout); err != nil {
		return "", err
	}
	return volumePath(dir, v.Name), nil
}

func volumePath(dir, name string) string { return filepath.Join(dir, "volumes", name) }

// volume is MakeVolume in the lab's init. The bricks are in a memory file system of each node, which ends with the
// node.
func (l *labInit) volume(v connect.LabVolume) error {
	l.volumes.Lock()
	defer l.volumes.Unlock()
	if slices.Contains(l.made, v.Name) {
		return nil
	}
	if !volumeName.MatchString(v.Name) || strings.Trim(v.Name, ".") == "" {
		return fmt.Errorf("volume %.40q: a lab makes those whose names are letters, digits, points, hyphens and underlines",
			v.Name)
	}
	if l.order.Rootless {
		return fmt.Errorf(
			"volume %s: GlusterFS keeps attributes (trusted.*) that only root of the whole machine may set; run it as root",
			v.Name)
	}
	if strings.ContainsAny(l.order.Dir, " \t\n\"#") {
		return fmt.Errorf(
			"volume %s: the lab's folder %s has characters that no volume file takes; set XDG_RUNTIME_DIR to another", v.Name,
			l.order.Dir)
	}
	var nodes []*host
	for _, n := range v.Nodes {
		h := l.byName[n.Host]
		if h == nil {
			return fmt.Errorf(
				"volume %s: %s is not a namespace of this lab, and its bricks are in namespaces; leave --guests "+
					"out", v.Name, n.Host)
		}
		nodes = append(nodes, h)
	}
	programs := map[string]string{}
	for _, name := range []string{"glusterfsd", "glusterfs"} {
		path, err := lookPath(name, os.Environ(), "/")
		if err != nil {
			return fmt.Errorf("volume %s: a lab makes it of GlusterFS, and %s is not installed: %s", v.Name, name, volumeCommand)
		}
		programs[name] = path
	}
	if _, err := os.Stat("/dev/fuse"); err != nil {
		return fmt.Errorf("volume %s: it is mounted by FUSE, and this kernel has none (%v)", v.Name, err)
	}
	folder, path := filepath.Join(l.order.Dir, "bricks"), volumePath(l.order.Dir, v.Name)
	for _, dir := range []string{folder, path} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	l.made = append(l.made, v.Name) // also if it fails later: it is not made again
	for i, h := range nodes {
		if err := l.bricks(h, v, i, folder, programs["glusterfsd"]); err != nil {
			return fmt.Errorf("volume %s on %s: %w", v.Name, h.name, err)
		}
	}
	text := clientFile(v)
	for _, h := range nodes {
		if err := l.mountVolume(h, v, folder, path, programs["glusterfs"], text); err != nil {
			return fmt.Errorf("volume %s on %s: %w", v.Name, h.name, err)
		}
	}
	for name, on := range v.NextTo {
		if vm, node := l.byName[name], l.byName[on]; vm != nil && node != nil {
			if err := showMount(node, vm, path); err != nil {
				return fmt.Errorf("volume %s: %s does not see the mount of %s: %w", v.Name, name, on, err)
			}
		}
	}
	return nil
}

// bricks starts the process that has a node's bricks.
func (l *labInit) bricks(h *host, v connect.LabVolume, node int, folder, program string) error {
	text, names := brickFile(v, node, folder)
	err := h.do(func() error {
		if err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC,
			fmt.Sprintf("mode=0700,size=%d", v.Room)); err != nil {
			return fmt.Errorf("memory for its bricks: %w", err)
		}
		const own = "/run/gluster" // where GlusterFS has sockets and dumps; all hosts of a lab share the machine's /run
		if _, err := os.Stat(own); err == nil {
			if err := unix.Mount("tmpfs", own, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755"); err != nil {
				return err
			}
		}
		for _, name := range names {
			if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
				return err
			}
		}
		return os.WriteFile(filepath.Join(folder, "bricks.vol"), []byte(text), 0o600)
	})
	if err != nil {
		return err
	}
	_, err = l.daemon(h, program,
		[]string{"glusterfsd", "-N", "-f", filepath.Join(folder, "bricks.vol"), "-l", filepath.Join(folder, "bricks.log")})
	return err
}

// daemon starts a process on a host that ends with the lab.
func (l *labInit) daemon(h *host, program string, argv []string) (*running, error) {
	none, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer none.Close()
	r := &running{s: l.spawner, end: make(chan syscall.WaitStatus, 1)}
	return r, h.do(func() error {
		return l.spawner.fork(r, program, argv,
			&syscall.ProcAttr{Dir: "/", Env: os.Environ(), Files: []uintptr{none.Fd(), none.Fd(), none.Fd()},
				Sys: &syscall.SysProcAttr{Setsid: true}})
	})
}

// mountVolume mounts the volume in a node, and returns when all of its copies are available.
func (l *labInit) mountVolume(h *host, v connect.LabVolume, folder, path, program, text string) error {
	file, log := filepath.Join(folder, "mount.vol"), filepath.Join(folder, "mount.log")
	if err := h.do(func() error { return os.WriteFile(file, []byte(text), 0o600) }); err != nil {
		return err
	}
	client, err := l.daemon(h, program, []string{"glusterfs", "-N", "-f", file, "-l", log, "--process-name", "fuse", path})
	if err != nil {
		return err
	}
	over := false
	sets := len(volumeSets(len(v.Nodes)))
	var said string
	for end := time.Now().Add(volumeReady); ; time.Sleep(20 * time.Millisecond) {
		met := false
		err := h.do(func() error {
			b, err := os.ReadFile(log)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			said = string(b)
			var fs unix.Statfs_t
			if err := unix.Statfs(path, &fs); err == unix.ENOTCONN {
				return nil // it is mounted, and no copy is available yet
			} else if err != nil {
				return err
			}
			met = int64(fs.Type) == fuseMagic && strings.Count(said, quorumMet) >= sets
			return nil
		})
		if met || err != nil {
			return err
		}
		if over {
			return fmt.Errorf("glusterfs has ended%s", firstError(said))
		}
		if time.Now().After(end) {
			return fmt.Errorf("not mounted with all copies after %v%s", volumeReady, firstError(said))
		}
		select {
		case <-client.end:
			over = true // its log is read once more
		default:
		}
	}
}

// showMount makes the mount of a host visible on another one at the same path.
func showMount(from, to *host, path string) error {
	tree := -1
	err := from.do(func() (err error) {
		tree, err = unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		return err
	})
	if err != nil {
		return err
	}
	defer unix.Close(tree)
	return to.do(func() error { return unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH) })
}

package lab

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"linerate/internal/lab/guest"
)

func mayRead(dir string) error { return may(dir, unix.R_OK|unix.X_OK) }

func mayWrite(dir string) error { return may(dir, unix.W_OK|unix.X_OK) }

func may(dir string, mode uint32) error {
	return unix.Faccessat(unix.AT_FDCWD, dir, mode, unix.AT_EACCESS)
}

// open opens the folder for QEMU, which gets a file descriptor and not a name: a name with commas would be split, and
// the folder could be replaced meanwhile. Without a share there is no file.
func (s *Share) open() (*os.File, error) {
	if s == nil {
		return nil, nil
	}
	fd, err := unix.Open(s.Folder, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("share %s: %w", s.Folder, err)
	}
	return os.NewFile(uintptr(fd), s.Folder), nil
}

// withoutDevices starts a QEMU that cannot make device nodes, whatever its guest requests: in a lab of root they would
// work on this machine. A capability that the thread drops is also missing in its children.
func withoutDevices(start func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, unix.CAP_MKNOD, 0, 0, 0); err != nil {
			done <- fmt.Errorf("capabilities: %w", err)
			return
		}
		done <- start()
	}()
	return <-done
}

// shareOptions: with readahead the guest's kernel reads a whole file, and again each time a program opens it, and
// passes writes to this machine immediately. Without a cache, kernel 6.12 hangs when it reads a file that was truncated
// meanwhile, and reads at a tenth of the rate. With more cache, writes reach this machine only when the file is closed.
const shareOptions = "trans=virtio,version=9p2000.L,cache=readahead,msize=512000"

// mountShare mounts the shared folder in a guest. Its devices and set-user-ID bits have no effect there.
func (g *guestInit) mountShare(s *Share) error {
	if err := g.command("modprobe", "-a", "9pnet_virtio", "9p"); err != nil {
		return fmt.Errorf("modules 9p and 9pnet_virtio: %w", err)
	}
	if err := os.MkdirAll(ShareAt, 0o755); err != nil {
		return err
	}
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV)
	if !s.Writable {
		flags |= unix.MS_RDONLY
	}
	if err := unix.Mount(guest.ShareTag, ShareAt, "9p", flags, shareOptions); err != nil {
		return fmt.Errorf("mount %s: %w", ShareAt, err)
	}
	return nil
}

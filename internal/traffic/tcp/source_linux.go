package tcp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
)

// openNonblock: a pipe that has taken the file's place must not hang.
const openNonblock = unix.O_NONBLOCK | unix.O_NOCTTY

// fileSystem returns the file system of a file (include/uapi/linux/magic.h); empty: unknown.
func fileSystem(f *os.File) string {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &s); err != nil {
		return ""
	}
	for _, k := range []struct {
		magic int64
		name  string
	}{{unix.EXT4_SUPER_MAGIC, "ext4"}, {unix.XFS_SUPER_MAGIC, "xfs"}, {unix.BTRFS_SUPER_MAGIC, "btrfs"},
		{unix.F2FS_SUPER_MAGIC, "f2fs"},
		{unix.NFS_SUPER_MAGIC, "nfs"}, {unix.TMPFS_MAGIC, "tmpfs"}, {unix.RAMFS_MAGIC, "ramfs"},
		{unix.OVERLAYFS_SUPER_MAGIC, "overlay"},
		{unix.FUSE_SUPER_MAGIC, "fuse"}, {unix.V9FS_MAGIC, "9p"}, {0x2fc12fc1, "zfs"}} {
		if int64(s.Type) == k.magic {
			return k.name
		}
	}
	return fmt.Sprintf("0x%x", s.Type)
}

// blockDevice returns the device of a file's file system, by the kernel's name: sda1, dm-0, loop0. Empty: it has none
// (memory, a server), or several, or that is unknown.
func blockDevice(f *os.File) string {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		return ""
	}
	if name := blockName(s.Dev); name != "" {
		return name
	}
	// btrfs and the like give their files numbers of no device; the mount has its device.
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", f.Fd()))
	if err != nil {
		return ""
	}
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	from := mountedFrom(info, table)
	if err := unix.Stat(from, &s); from == "" || err != nil || s.Mode&unix.S_IFMT != unix.S_IFBLK {
		return ""
	}
	return blockName(s.Rdev)
}

// mountedFrom returns the device file of the mount in which a file is open: fdinfo has its number, mountinfo its
// device. Empty: no device file (proc(5), /proc/PID/fdinfo and /proc/PID/mountinfo).
func mountedFrom(fdinfo, mountinfo []byte) string {
	id := ""
	for line := range bytes.Lines(fdinfo) {
		if v, ok := bytes.CutPrefix(line, []byte("mnt_id:")); ok {
			id = string(bytes.TrimSpace(v))
		}
	}
	for line := range bytes.Lines(mountinfo) {
		front, back, ok := bytes.Cut(line, []byte(" - "))
		own, kind := bytes.Fields(front), bytes.Fields(back)
		if ok && id != "" && len(own) > 0 && string(own[0]) == id && len(kind) > 1 &&
			bytes.HasPrefix(kind[1], []byte("/dev/")) {
			return string(kind[1])
		}
	}
	return ""
}

// blockName returns the kernel's name of a device number; empty: it has no block device.
func blockName(number uint64) string {
	to, err := os.Readlink(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(number), unix.Minor(number)))
	if err != nil {
		return ""
	}
	return filepath.Base(to)
}

// newSourcePath sends pages of the file inside the kernel.
func newSourcePath(t *task) (path, error) {
	return &sourcePath{t: t, at: t.source.begin(t)}, nil
}

type sourcePath struct {
	t  *task
	at int64
}

func (p *sourcePath) push(n int) (int, error) {
	for done := 0; ; {
		got, err := unix.Sendfile(p.t.wire.fd, p.t.source.fd, &p.at, n-done)
		done += max(0, got)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
			continue
		case err != nil:
			return done, failure.Of(p.t.wire.peer, err)
		case done == n:
			return n, nil
		case got == 0 && p.at == 0:
			return done, p.t.source.gone()
		case got == 0:
			p.at = 0
		}
	}
}

func (p *sourcePath) note() string { return "" }
func (p *sourcePath) close()       {}

//go:build !windows

package block

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

func setMark(f *os.File) error { return unix.Fsetxattr(int(f.Fd()), markName, []byte(markWord), 0) }

func hasMark(f *os.File) bool {
	b := make([]byte, 64)
	n, err := unix.Fgetxattr(int(f.Fd()), markName, b)
	return err == nil && string(b[:n]) == markWord
}

// numberOf identifies an existing file: no other has the same value.
func numberOf(_ *os.File, info fs.FileInfo) string {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
}

// onMedium is how many bytes of a file are stored, less than 0: not known.
func onMedium(info fs.FileInfo) int64 {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1
	}
	return int64(s.Blocks) * 512
}

// isDisk reports whether it is a block device. On FreeBSD and macOS these are character devices, too.
func isDisk(info fs.FileInfo) bool {
	if info.Mode()&fs.ModeDevice == 0 {
		return false
	}
	return info.Mode()&fs.ModeCharDevice == 0 || rawDisks
}

// roomFor returns an error if the file system has less than need bytes of free space.
func roomFor(f *os.File, path string, need unit.Bytes) error {
	var s unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &s) != nil {
		return nil // a full file system shows while laying out
	}
	if free := int64(s.Bavail) * int64(s.Bsize); free >= 0 && free < int64(need) {
		return noRoom(path, need, free)
	}
	return nil
}

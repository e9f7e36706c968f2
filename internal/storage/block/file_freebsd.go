package block

import (
	"errors"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

const rawDisks = true

// Requests of disk(4), of sys/disk.h.
const (
	diocGSectorSize = 0x40046480
	diocGMediaSize  = 0x40086481
)

// openDirect opens a file, bypassing the cache if a asks for it and the file system allows it; else why is the reason.
func openDirect(path string, a access) (f *os.File, why string, err error) {
	flags := a.flags()
	if a.direct {
		f, err = os.OpenFile(path, flags|unix.O_DIRECT, 0)
		if !errors.Is(err, syscall.EINVAL) {
			return f, "", err
		}
		why = "this file system does not take O_DIRECT"
	}
	f, err = os.OpenFile(path, flags, 0)
	return f, why, err
}

func reserve(*os.File, int64) error { return nil } // ZFS cannot reserve; a full file system shows while laying out

// mediumOf is the size and the sector of a disk.
func mediumOf(f *os.File) (size, sector unit.Bytes, err error) {
	var n int64
	var s uint32
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), diocGMediaSize, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return 0, 0, errno
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), diocGSectorSize, uintptr(unsafe.Pointer(&s))); errno != 0 {
		return 0, 0, errno
	}
	return unit.Bytes(n), unit.Bytes(s), nil
}

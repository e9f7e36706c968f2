package block

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

const rawDisks = true

// Requests of sys/disk.h.
const (
	dkiocGetBlockSize  = 0x40046418
	dkiocGetBlockCount = 0x40086419
)

// openDirect opens a file, without caching (F_NOCACHE) if a asks for it; where that fails, why is the reason.
func openDirect(path string, a access) (f *os.File, why string, err error) {
	f, err = os.OpenFile(path, a.flags(), 0)
	if err == nil && a.direct {
		if _, e := unix.FcntlInt(f.Fd(), unix.F_NOCACHE, 1); e != nil {
			why = "F_NOCACHE: " + e.Error()
		}
	}
	return f, why, err
}

func reserve(*os.File, int64) error { return nil } // laying out reports

// mediumOf is the size and the sector of a disk.
func mediumOf(f *os.File) (size, sector unit.Bytes, err error) {
	var s uint32
	var n uint64
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), dkiocGetBlockSize, uintptr(unsafe.Pointer(&s))); errno != 0 {
		return 0, 0, errno
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), dkiocGetBlockCount, uintptr(unsafe.Pointer(&n))); errno != 0 {
		return 0, 0, errno
	}
	return unit.Bytes(n) * unit.Bytes(s), unit.Bytes(s), nil
}

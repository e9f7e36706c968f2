//go:build freebsd || darwin

package block

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
)

func (a access) flags() int {
	f := os.O_RDONLY
	if a.write {
		f = os.O_RDWR
	}
	if a.sync {
		f |= unix.O_SYNC // O_DSYNC is younger than some of the systems
	}
	return f
}

// buffers allocates memory that begins at a page.
func buffers(n int) ([]byte, func(), error) {
	b, err := unix.Mmap(-1, 0, max(n, 1), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, fmt.Errorf("%v of memory for buffers: %w; lower depth, threads or the block", unit.Bytes(n), err)
	}
	return b[:n], func() { _ = unix.Munmap(b) }, nil
}

// where fills in what the kernel reports about the location of an open file.
func where(f *os.File, r *Ready) {
	var s unix.Statfs_t
	if r.Kind == KindDevice || unix.Fstatfs(int(f.Fd()), &s) != nil {
		return
	}
	r.FileSystem, r.Mount, r.Source = unix.ByteSliceToString(
		s.Fstypename[:],
	), unix.ByteSliceToString(s.Mntonname[:]), unix.ByteSliceToString(s.Mntfromname[:])
}

// sectorOf is the alignment of direct requests, 0: not known.
func sectorOf(*os.File, Ready) unit.Bytes { return 0 }

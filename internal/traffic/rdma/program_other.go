//go:build !linux

package rdma

import (
	"io"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// MemoryFile needs Linux.
func MemoryFile(name string, b []byte) (path string, keep io.Closer, err error) {
	return "", nil, &failure.Error{Code: failure.CodeUnsupported, Subject: name,
		Text: "a program of linerate's is kept in memory on Linux alone, which RDMA and exchanges over MPI need"}
}

// monotonic is used on Linux alone.
func monotonic() int64 { return traffic.Now() }

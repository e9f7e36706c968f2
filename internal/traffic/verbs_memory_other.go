//go:build !linux

package traffic

import "io"

// MemoryFile makes a program of bytes that is in no folder.
func MemoryFile(name string, b []byte) (path string, keep io.Closer, err error) {
	return "", nil, &Error{Code: CodeUnsupported, Subject: name, Text: "a program of linerate's is kept in memory on Linux alone, which RDMA and exchanges over MPI need"}
}

// monotonic is of use on Linux alone.
func monotonic() int64 { return Now() }

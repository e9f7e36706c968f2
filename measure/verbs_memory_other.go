//go:build !linux

package measure

import "io"

func memoryFile(name string, b []byte) (path string, keep io.Closer, err error) {
	return "", nil, &Error{Code: CodeUnsupported, Subject: name, Text: "RDMA is measured on Linux alone"}
}

// monotonic is of use on Linux alone.
func monotonic() int64 { return Now() }

//go:build !linux

package traffic

import (
	"os"
	"runtime"
)

const openNonblock = 0

func fileSystem(*os.File) string { return "" }

func blockDevice(*os.File) string { return "" }

func driveReads() *int64 { return nil }

func newSourcePath(*task) (path, error) {
	return nil, &Error{Code: CodeUnsupported, Subject: "source", Text: "handing a file over without copies is not supported on " + runtime.GOOS + "; measure with copies at both ends"}
}

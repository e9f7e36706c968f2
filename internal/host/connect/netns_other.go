//go:build !linux

package connect

import (
	"fmt"
	"runtime"
)

func openNetns(s Spec) (Connection, error) {
	return nil, &Error{Connection: s.String(), Exit: -1, Try: "a Linux host",
		Cause: fmt.Errorf("network namespaces are not supported on %s", runtime.GOOS)}
}

func isMainThread() bool { return false }

//go:build !linux

package connect

import (
	"fmt"
	"runtime"
)

func openNetns(s Spec) (Reach, error) {
	return nil, &Error{Reach: s.String(), Exit: -1, Try: "a Linux host",
		Cause: fmt.Errorf("network namespaces are not supported on %s", runtime.GOOS)}
}

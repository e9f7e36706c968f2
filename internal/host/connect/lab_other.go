//go:build !linux

package connect

import (
	"context"
	"errors"
	"runtime"
)

// openLab says that a lab needs Linux.
func openLab(_ context.Context, s Spec) (Reach, error) {
	return nil, &Error{Reach: s.String(), Exit: -1,
		Cause: errors.New("the lab needs Linux; this is " + runtime.GOOS), Try: "run linerate on a Linux machine, or in a virtual machine"}
}

//go:build !linux

package connect

import (
	"context"
	"errors"
	"runtime"
)

func openLab(_ context.Context, s Spec) (Connection, error) {
	return nil, &Error{Connection: s.String(), Exit: -1, Cause: errors.New("the lab needs Linux; this is " + runtime.GOOS),
		Try: "run linerate on a Linux machine, or in a virtual machine"}
}

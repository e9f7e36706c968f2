//go:build !linux

package wire

import (
	"context"
	"errors"
	"runtime"
)

// Run says that the link needs Linux.
func (l Link) Run(context.Context) (Totals, error) {
	return Totals{}, errors.New(
		"the lab's link needs Linux; this is " + runtime.GOOS + ": run linerate on a Linux machine, or in a virtual machine",
	)
}

//go:build !linux

package loopback

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Loop is two ports in their namespaces.
type Loop struct {
	Ports [2]Port
	Files [2]string
	Gone  <-chan struct{}
}

// Look returns an error, because this system has no network namespaces.
func Look([2]string) ([2]Port, error) {
	return [2]Port{}, fmt.Errorf(
		"%s would carry the traffic between two of its own ports inside of the machine, because it has no network "+
			"namespaces; cable the port to another machine and name that (linerate measure acceptance HOST), or start this "+
			"machine with a live Linux for the time of the test", runtime.GOOS)
}

// Open cannot be called: Look fails.
func Open(context.Context, [2]Port, func(string)) (*Loop, error) {
	return nil, errors.New("there are no network namespaces on " + runtime.GOOS)
}

// Close does nothing.
func (*Loop) Close() error { return nil }

// OwnerMain is never started on this system.
func OwnerMain() int { return 2 }

//go:build !linux

package facts

import "context"

// Probe tries what no file says. Only Linux is written.
func Probe(_ context.Context, targets []ProbeTarget) []byte {
	return NotProbed(targets, "linerate probes from hosts with Linux alone")
}

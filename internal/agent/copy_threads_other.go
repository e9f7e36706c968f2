//go:build !linux

package agent

// toolThreads are not looked at on this system.
func toolThreads() []CopyThread { return nil }

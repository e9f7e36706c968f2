//go:build !linux

package agent

// handlesRefused is asked on Linux alone.
func handlesRefused(string) string { return "are Linux's" }

//go:build !linux

package agent

// BootID is not known here.
func BootID() string { return "" }

// memoryLimit is a quarter of this host's memory in bytes; 0: unknown.
func memoryLimit() int64 { return 0 }

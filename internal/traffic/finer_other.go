//go:build !linux

package traffic

// finer makes timers of the calling thread finer, which is Linux's alone here.
func finer() bool { return false }

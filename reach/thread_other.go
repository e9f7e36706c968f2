//go:build !linux

package reach

func isMainThread() bool { return false }

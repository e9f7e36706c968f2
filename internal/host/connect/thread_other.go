//go:build !linux

package connect

func isMainThread() bool { return false }

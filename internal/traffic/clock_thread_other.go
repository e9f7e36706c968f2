//go:build !linux

package traffic

func threadClock() int64 { return Now() }

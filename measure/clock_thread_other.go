//go:build !linux

package measure

func threadClock() int64 { return Now() }

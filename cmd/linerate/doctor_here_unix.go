//go:build !windows

package main

import "golang.org/x/sys/unix"

// mayWrite says whether this user may write into a folder, without trying it.
func mayWrite(folder string) bool { return unix.Access(folder, unix.W_OK|unix.X_OK) == nil }

package connect

import "golang.org/x/sys/unix"

func isMainThread() bool { return unix.Gettid() == unix.Getpid() }

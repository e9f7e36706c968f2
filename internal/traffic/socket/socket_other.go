//go:build !linux

package socket

import (
	"runtime"
	"syscall"

	"linerate/internal/base/failure"
)

// BindDevice returns a control function that binds a socket to an interface.
func BindDevice(name string) func(string, string, syscall.RawConn) error {
	if name == "" {
		return nil
	}
	return func(string, string, syscall.RawConn) error {
		return &failure.Error{Code: failure.CodeUnsupported, Subject: "device " + name,
			Text: "binding to an interface is not supported on " + runtime.GOOS + "; leave it out"}
	}
}

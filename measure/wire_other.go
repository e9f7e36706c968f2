//go:build !linux

package measure

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

// held is not known here.
func (w *wire) held() int64 { return -1 }

func (w *wire) reading() (*reading, error) {
	return nil, errors.New("the kernel's view of a socket is not read on " + runtime.GOOS)
}

// reserve has nothing to do: sockets that wait hold no thread.
func reserve(int) {}

// bindDevice is what a socket's control function does to bind it to an interface.
func bindDevice(name string) func(string, string, syscall.RawConn) error {
	if name == "" {
		return nil
	}
	return func(string, string, syscall.RawConn) error {
		return &Error{Code: CodeUnsupported, Subject: "device " + name, Text: "binding to an interface is not supported on " + runtime.GOOS + "; leave it out"}
	}
}

// endOf keeps the end of a stream as it is and explains every other error.
func endOf(subject string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return connectError(subject, err)
}

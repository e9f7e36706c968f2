package process

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"

	"linerate/internal/base/failure"
	"linerate/internal/host/connect"
)

// programPath is the path from which others can start this program, whose file may be removed.
func programPath() (string, error) {
	if runtime.GOOS == "linux" {
		return fmt.Sprintf("/proc/%d/exe", os.Getpid()), nil
	}
	return os.Executable()
}

// Look finds a program also in an administrator's folders, which are not on every user's PATH.
func Look(name string) (string, error) {
	path, err := exec.LookPath(name)
	for _, dir := range []string{"/usr/local/sbin/", "/usr/sbin/", "/sbin/"} {
		if err == nil {
			break
		}
		path, err = exec.LookPath(dir + name)
	}
	return path, err
}

// Missing is the error of a host that does not have a program.
func Missing(name string) error {
	return failure.Errorf(failure.CodeUnsupported, name, "it is not on this host's PATH")
}

// StartError is the error of a command that did not start.
func StartError(name string, err error) error {
	if errors.Is(err, connect.ErrNoProgram) {
		return Missing(name)
	}
	return failure.Errorf(failure.CodeInternal, name, "%v", err)
}

// Stopped is the error of a request that was stopped.
func Stopped() error { return &failure.Error{Code: failure.CodeStopped, Text: "stopped"} }

// FreePort is a TCP port of an address at which nothing listens now.
func FreePort(at netip.Addr) (netip.AddrPort, error) {
	ln, err := net.Listen("tcp", netip.AddrPortFrom(at, 0).String())
	if err != nil {
		return netip.AddrPort{}, err
	}
	defer ln.Close()
	return netip.AddrPortFrom(at, ln.Addr().(*net.TCPAddr).AddrPort().Port()), nil
}

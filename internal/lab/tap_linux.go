package lab

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"linerate/internal/lab/guest"
	"linerate/internal/lab/layout"
)

const tunDevice = "/dev/net/tun"

// tunMissing returns a guest.MissingError if this user cannot make a tap.
func tunMissing(device string) error {
	fd, err := unix.Open(device, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	switch {
	case err == nil:
		return unix.Close(fd)
	case errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM):
		return &guest.MissingError{
			What: fmt.Sprintf("this user may not open %s, and a guest is connected to a namespace by a tap", device),
			Try:  "chmod 0666 " + device + " (as root; the kernel allows taps in the user's own namespaces alone)",
		}
	default:
		return &guest.MissingError{
			What: fmt.Sprintf("%s does not open (%v), and a guest is connected to a namespace by a tap", device, err),
			Try:  "modprobe tun (as root)",
		}
	}
}

// makeTap makes a tap in the network namespace of the calling thread. It ends when its last file is closed.
func makeTap(name string) (*os.File, error) {
	fd, err := unix.Open(tunDevice, unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tunDevice, err)
	}
	req, err := unix.NewIfreq(name)
	if err == nil {
		// With a header of virtio, large packets and partial checksums pass unchanged.
		req.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "tap"), nil
}

// tapEnd sets up a tap as wire sets up an end of a pair: with a readable name, its bridge, and up if it is at a bridge.
func (l *labInit) tapEnd(e layout.WireEnd) error {
	err := l.inEnd(e, func(nl *netlink.Handle) error {
		link, err := nl.LinkByName(e.Interface)
		if err != nil {
			return err
		}
		nl.LinkSetAlias(link, e.Alias)
		if err := nl.LinkSetMTU(link, e.MTU); err != nil {
			return err
		}
		if e.Bridge == "" {
			return nil // it follows the plan's settings
		}
		br, err := nl.LinkByName(e.Bridge)
		if err != nil {
			return err
		}
		if err := nl.LinkSetMaster(link, br); err != nil {
			return err
		}
		return nl.LinkSetUp(link)
	})
	if err != nil {
		return fmt.Errorf("tap %s: %w", e.Interface, err)
	}
	return nil
}

// fileReader reads a command's standard input and stops when over reports the end of the command, so that a terminal's
// next line is left for the next reader.
type fileReader struct {
	file *os.File
	over func() bool
}

const readInterval = 100 // ms between checks of over

func (r *fileReader) Read(b []byte) (int, error) {
	fd := int(r.file.Fd())
	for {
		if r.over() {
			return 0, io.EOF
		}
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, readInterval)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return 0, err
		}
		if n > 0 {
			break
		}
	}
	return r.file.Read(b)
}

func (r *fileReader) Close() error { return r.file.Close() }

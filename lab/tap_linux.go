package lab

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

// makeTap makes a tap in the network namespace of the calling thread. It goes when its last file is closed.
func makeTap(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	req, err := unix.NewIfreq(name)
	if err == nil {
		// With a header of virtio, large packets and unfinished checksums go through as they are.
		req.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI | unix.IFF_VNET_HDR)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), "tap"), nil
}

// tapEnd gives a tap what wire gives the end of a pair: a name for people, its bridge, and up if it is beside the bridges.
func (l *labInit) tapEnd(e wireEnd) error {
	err := l.inEnd(e, func(nl *netlink.Handle) error {
		link, err := nl.LinkByName(e.Interface)
		if err != nil {
			return err
		}
		nl.LinkSetAlias(link, e.Alias)
		if err := nl.LinkSetMTU(link, e.MTU); err != nil {
			return err
		}
		if e.Host != "" {
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

// fileReader reads a command's standard input and stops when over says that nobody wants it: a terminal's next line is then
// not taken from whoever reads it afterwards.
type fileReader struct {
	file *os.File
	over func() bool
}

const readInterval = 100 // ms between looks at over

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

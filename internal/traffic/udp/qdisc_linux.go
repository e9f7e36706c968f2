package udp

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

// qdisc is one queueing discipline of an interface.
type qdisc struct {
	kind           string
	index          int32
	handle, parent uint32
}

const (
	tcRoot     = 0xffffffff // TC_H_ROOT
	tcIngress  = 0xfffffff1 // TC_H_INGRESS, and clsact's
	tcaKind    = 1
	tcmsgSize  = 20 // struct tcmsg, include/uapi/linux/rtnetlink.h
	ethernet   = 14
	spreadRoom = 1.05
)

// evenly makes the kernel space the datagrams of one call, a little faster than their mean rate. Only fq does so, and
// it counts the headers of every frame. The error names the queueing discipline in place of fq.
func (w *wire) evenly(s options) (by string, err error) {
	index, name, err := interfaceOf(s.Setup)
	if err != nil {
		return "", err
	}
	all, err := qdiscs()
	if err != nil {
		return "", fmt.Errorf("the queueing discipline of %s is not known: %w", name, err)
	}
	kinds := spacing(all, index)
	if len(kinds) != 1 || kinds[0] != "fq" {
		have := cmp.Or(strings.Join(kinds, ", "), "none")
		return "", fmt.Errorf("the kernel spaces datagrams with the queueing discipline fq only; %s has %s", name, have)
	}
	frame := float64(s.size) + float64(headers(s.Setup)+ethernet)
	if err := socket.MaxPacing(w.fd, unit.BitRate(float64(s.Pace)*spreadRoom*frame/float64(s.size))); err != nil {
		return "", err
	}
	return "fq of " + name, nil
}

// interfaceOf returns the interface of this end's address, by which its datagrams leave if the routing is the usual
// one.
func interfaceOf(s traffic.Setup) (index int32, name string, err error) {
	all, err := net.Interfaces()
	if err != nil {
		return 0, "", err
	}
	for _, i := range all {
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		has := slices.ContainsFunc(addresses, func(a net.Addr) bool {
			p, err := netip.ParsePrefix(a.String())
			return err == nil && p.Addr().Unmap() == s.Local.Unmap().WithZone("")
		})
		if i.Name == s.Device || s.Device == "" && has {
			return int32(i.Index), i.Name, nil
		}
	}
	return 0, "", fmt.Errorf("no interface has the address %s", s.Local)
}

// spacing returns the kinds of the queueing disciplines that packets of an interface pass last, each once: the root's,
// or those of its queues below an mq.
func spacing(all []qdisc, index int32) []string {
	var out []string
	add := func(kind string) {
		out = xslices.AppendNew(out, kind)
	}
	for _, root := range all {
		if root.index != index || root.parent != tcRoot {
			continue
		}
		if root.kind != "mq" {
			add(root.kind)
			continue
		}
		for _, leaf := range all {
			if leaf.index == index && leaf.parent != tcRoot && leaf.parent != tcIngress && leaf.parent>>16 == root.handle>>16 {
				add(leaf.kind)
			}
		}
	}
	return out
}

// qdiscs asks the kernel for all queueing disciplines of this network namespace.
func qdiscs() ([]qdisc, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 2}); err != nil {
		return nil, err
	}
	const length = unix.SizeofNlMsghdr + tcmsgSize
	q := make([]byte, length)
	binary.NativeEndian.PutUint32(q, length)
	binary.NativeEndian.PutUint16(q[4:], unix.RTM_GETQDISC)
	binary.NativeEndian.PutUint16(q[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	if err := unix.Sendto(fd, q, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var out []qdisc
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if err != nil {
			return nil, err
		}
		more, done, err := parseQdiscs(buf[:n])
		if err != nil {
			return nil, err
		}
		if out = append(out, more...); done {
			return out, nil
		}
	}
}

// parseQdiscs reads one answer of the kernel (struct nlmsghdr, struct tcmsg, attributes).
func parseQdiscs(b []byte) (out []qdisc, done bool, err error) {
	for len(b) >= unix.SizeofNlMsghdr {
		n := int(binary.NativeEndian.Uint32(b))
		if n < unix.SizeofNlMsghdr || n > len(b) {
			return nil, false, fmt.Errorf("a message of %d bytes in %d", n, len(b))
		}
		body := b[unix.SizeofNlMsghdr:n]
		switch binary.NativeEndian.Uint16(b[4:]) {
		case unix.NLMSG_DONE:
			return out, true, nil
		case unix.NLMSG_ERROR:
			if len(body) >= 4 {
				err = unix.Errno(-int32(binary.NativeEndian.Uint32(body)))
			}
			return nil, false, fmt.Errorf("the kernel refused: %w", err)
		case unix.RTM_NEWQDISC:
			if len(body) < tcmsgSize {
				return nil, false, fmt.Errorf("a queueing discipline of %d bytes", len(body))
			}
			x := qdisc{index: int32(binary.NativeEndian.Uint32(body[4:])), handle: binary.NativeEndian.Uint32(body[8:]),
				parent: binary.NativeEndian.Uint32(body[12:])}
			x.kind = kindOf(body[tcmsgSize:])
			out = append(out, x)
		}
		b = b[min(len(b), (n+3)&^3):]
	}
	return out, false, nil
}

// kindOf returns the attribute TCA_KIND; empty: there is none.
func kindOf(b []byte) string {
	for len(b) >= 4 {
		n := int(binary.NativeEndian.Uint16(b))
		if n < 4 || n > len(b) {
			return ""
		}
		if binary.NativeEndian.Uint16(b[2:]) == tcaKind {
			return strings.TrimRight(string(b[4:n]), "\x00")
		}
		b = b[min(len(b), (n+3)&^3):]
	}
	return ""
}

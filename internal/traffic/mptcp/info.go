package mptcp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"linerate/internal/traffic"
)

// Options of the level SOL_MPTCP, and the layout of what they fill in.
// Format: include/uapi/linux/mptcp.h; struct mptcp_subflow_data and struct mptcp_subflow_addrs since Linux 5.16.
const (
	solMPTCP        = 284
	optInfo         = 1
	optTCPInfo      = 2
	optSubflowAddrs = 3

	flagsAt      = 8 // mptcpi_flags of struct mptcp_info
	flagFallback = 1 << 0

	headerSize  = 16  // struct mptcp_subflow_data
	addressSize = 128 // struct __kernel_sockaddr_storage
	addrsSize   = 2 * addressSize
	tcpInfoSize = 256 // at most, of one subflow
	maxSubflows = 32

	familyIPv4 = 2
	familyIPv6 = 10
)

// path is one subflow: its two addresses.
type path struct{ local, remote netip.AddrPort }

// request is a buffer for an option that fills an array with an element of size bytes for each subflow.
func request(size int) []byte {
	b := make([]byte, headerSize+maxSubflows*size)
	binary.NativeEndian.PutUint32(b, headerSize)
	binary.NativeEndian.PutUint32(b[12:], uint32(size))
	return b
}

// elements cuts what the kernel filled into its elements. The kernel writes as much of each as both sides know, in
// steps of the size that was asked for.
func elements(b []byte, size int) ([][]byte, error) {
	if len(b) < headerSize {
		return nil, fmt.Errorf("%d bytes of subflows are less than their header", len(b))
	}
	n := int(binary.NativeEndian.Uint32(b[4:]))
	kernel := int(binary.NativeEndian.Uint32(b[8:]))
	if n > maxSubflows || headerSize+n*size > cap(b) {
		return nil, fmt.Errorf("%d subflows are more than %d", n, maxSubflows)
	}
	b = b[:cap(b)]
	var out [][]byte
	for i := range n {
		at := headerSize + i*size
		out = append(out, b[at:at+min(size, kernel)])
	}
	return out, nil
}

// parsePaths reads the answer to MPTCP_SUBFLOW_ADDRS.
func parsePaths(b []byte) ([]path, error) {
	list, err := elements(b, addrsSize)
	if err != nil {
		return nil, err
	}
	var out []path
	for _, e := range list {
		if len(e) < addrsSize {
			return nil, errors.New("the kernel has shorter addresses of subflows than is known")
		}
		local, err := parseAddress(e[:addressSize])
		if err != nil {
			return nil, err
		}
		remote, err := parseAddress(e[addressSize:])
		if err != nil {
			return nil, err
		}
		out = append(out, path{local, remote})
	}
	return out, nil
}

// parseAddress reads a struct sockaddr_in or sockaddr_in6.
func parseAddress(b []byte) (netip.AddrPort, error) {
	port := binary.BigEndian.Uint16(b[2:])
	switch family := binary.NativeEndian.Uint16(b); family {
	case familyIPv4:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), port), nil
	case familyIPv6:
		return netip.AddrPortFrom(netip.AddrFrom16([16]byte(b[8:24])).Unmap(), port), nil
	default:
		return netip.AddrPort{}, fmt.Errorf("a subflow has an address of family %d", family)
	}
}

// reading is what the kernel reported of a connection at one moment: counters of each path.
type reading map[path]traffic.TCPInfo

// parseReading puts the answers to MPTCP_SUBFLOW_ADDRS and MPTCP_TCPINFO together. Both list the subflows in one order.
func parseReading(addrs, infos []byte) (reading, []path, error) {
	paths, err := parsePaths(addrs)
	if err != nil {
		return nil, nil, err
	}
	list, err := elements(infos, tcpInfoSize)
	if err != nil {
		return nil, nil, err
	}
	if len(list) != len(paths) {
		return nil, nil, errors.New("a subflow came or went while they were read")
	}
	out := reading{}
	for i, p := range paths {
		out[p] = traffic.TCPInfo(list[i])
	}
	return out, paths, nil
}

// between is what the paths carried from one reading to another. All of what a path carried that came after the first
// reading counts; one that went before the second has no counts.
func between(before, after reading, order []path) []traffic.Subflow {
	var out []traffic.Subflow
	for _, p := range order {
		f := traffic.Subflow{Local: p.local, Remote: p.remote}
		if b, still := after[p]; still {
			a, known := before[p]
			if !known {
				a = make(traffic.TCPInfo, len(b))
			}
			f.Sent = traffic.Count64(a, b, traffic.TcpiBytesAcked)
			f.Received = traffic.Count64(a, b, traffic.TcpiBytesReceived)
			f.Retrans = traffic.Count32(a, b, traffic.TcpiTotalRetrans)
		}
		out = append(out, f)
	}
	return out
}

// fellBack reports whether struct mptcp_info says that the connection is plain TCP by now.
func fellBack(info []byte) bool {
	return len(info) >= flagsAt+4 && binary.NativeEndian.Uint32(info[flagsAt:])&flagFallback != 0
}

package export

import (
	"encoding/binary"
	"encoding/hex"
	"maps"
	"net/netip"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// connection is a TCP connection of this network namespace.
type connection struct{ local, remote netip.AddrPort }

// connections are those that programs of this host have to servers. To print its lists the kernel goes through a table
// with hundreds of thousands of places, which takes milliseconds even without a connection. So the lists are read only
// after a change, and each known connection is queried by itself.
type connections struct {
	known []connection
	lists bool // this kernel does not answer queries for one connection
	reads int  // of the lists
}

// missing reports whether there are fewer connections than there have to be, by address and port of the server.
func (l *connections) missing(need map[netip.AddrPort]int) (bool, error) {
	asked := !l.lists && enough(l.known, need)
	if asked && !slices.ContainsFunc(l.known, func(c connection) bool { return !established(c) }) {
		return false, nil
	}
	l.reads++
	found, err := readConnections(need)
	if err != nil {
		return false, err
	}
	// All of them existed, and the query did not find them.
	l.lists = l.lists || asked && len(found) > 0 && slices.Equal(l.known, found)
	l.known = found
	return !enough(found, need), nil
}

// enough reports whether there are as many connections as there have to be.
func enough(have []connection, need map[netip.AddrPort]int) bool {
	need = maps.Clone(need)
	for _, c := range have {
		need[c.remote]--
	}
	for _, n := range need {
		if n > 0 {
			return false
		}
	}
	return true
}

// readConnections are the established connections to some addresses and ports, in order.
func readConnections(to map[netip.AddrPort]int) (out []connection, err error) {
	v6 := false
	count := 0
	for at, n := range to {
		v6, count = v6 || at.Addr().Is6(), count+n
	}
	for i, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		if i == 1 && !v6 && len(out) >= count {
			break
		}
		text, err := os.ReadFile(file)
		if err != nil && i == 0 {
			return nil, err
		}
		out = append(out, connectionsIn(string(text), to)...)
	}
	slices.SortFunc(out, func(a, b connection) int { return a.local.Compare(b.local) })
	return out, nil
}

// connectionsIn parses a text of the form of /proc/net/tcp (proc_pid_net(5)): addresses are hexadecimal, each 32 bits
// of them in the CPU's byte order, which is taken to be little-endian; state 01 is established. An IPv4 address in an
// IPv6 socket becomes an IPv4 address.
func connectionsIn(text string, to map[netip.AddrPort]int) (out []connection) {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < 4 || f[3] != "01" {
			continue
		}
		local, ok1 := procAddress(f[1])
		remote, ok2 := procAddress(f[2])
		if _, asked := to[remote]; ok1 && ok2 && asked {
			out = append(out, connection{local, remote})
		}
	}
	return out
}

func procAddress(text string) (at netip.AddrPort, ok bool) {
	host, port, _ := strings.Cut(text, ":")
	a, err := hex.DecodeString(host)
	if err != nil || len(a)%4 != 0 {
		return at, false
	}
	for word := range slices.Chunk(a, 4) {
		slices.Reverse(word)
	}
	p, err := hex.DecodeString(port)
	addr, ok := netip.AddrFromSlice(a)
	if err != nil || len(p) != 2 || !ok {
		return at, false
	}
	return netip.AddrPortFrom(addr.Unmap(), binary.BigEndian.Uint16(p)), true
}

// Messages of sock_diag(7), and the state of an established connection.
const (
	diagByFamily   = 20
	diagRequest    = 16 + 56
	tcpEstablished = 1
)

// established queries the kernel for one connection by its addresses (sock_diag(7), inet_diag). False: the connection
// does not exist, or the kernel does not answer such queries.
func established(c connection) bool {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	if unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &unix.Timeval{Sec: 1}) != nil ||
		unix.Sendto(fd, diagOf(c), 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}) != nil {
		return false
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	return err == nil && n >= 18 && binary.NativeEndian.Uint16(answer[4:]) == diagByFamily && answer[17] == tcpEstablished
}

// diagOf is the query: a struct nlmsghdr and a struct inet_diag_req_v2.
func diagOf(c connection) []byte {
	b := make([]byte, 16, diagRequest)
	native := binary.NativeEndian
	native.PutUint32(b, diagRequest)
	native.PutUint16(b[4:], diagByFamily)
	native.PutUint16(b[6:], unix.NLM_F_REQUEST)
	family := byte(unix.AF_INET6)
	if c.remote.Addr().Is4() {
		family = unix.AF_INET
	}
	b = append(b, family, unix.IPPROTO_TCP, 0, 0, 0xff, 0xff, 0xff, 0xff) // of all states
	b = binary.BigEndian.AppendUint16(b, c.local.Port())
	b = binary.BigEndian.AppendUint16(b, c.remote.Port())
	for _, a := range []netip.Addr{c.local.Addr(), c.remote.Addr()} {
		b = append(b, a.AsSlice()...)
		b = append(b, make([]byte, 16-len(a.AsSlice()))...)
	}
	b = append(b, 0, 0, 0, 0)                                        // any interface
	return append(b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff) // whatever its cookie
}

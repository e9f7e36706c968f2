package agent

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

// lookout knows the connections that programs of this host hold to servers. The kernel's lists are made by going through all of its table, which has hundreds of thousands
// of places and takes milliseconds even where nobody is connected; so they are read only when something changed, and each connection that is known is asked for by itself.
type lookout struct {
	known []connection
	lists bool // this kernel does not answer questions about one
	reads int  // of the lists
}

// missing says whether there are fewer connections than there have to be, by address and port of the server.
func (l *lookout) missing(need map[netip.AddrPort]int) (bool, error) {
	asked := !l.lists && enough(l.known, need)
	if asked && !slices.ContainsFunc(l.known, func(c connection) bool { return !established(c) }) {
		return false, nil
	}
	l.reads++
	found, err := connections(need)
	if err != nil {
		return false, err
	}
	l.lists = l.lists || asked && len(found) > 0 && slices.Equal(l.known, found) // all of them were there, and it did not say so
	l.known = found
	return !enough(found, need), nil
}

// enough says whether connections are as many as there have to be.
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

// connections are the established ones to some addresses and ports, in order.
func connections(to map[netip.AddrPort]int) (out []connection, err error) {
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

// connectionsIn finds them in a text of the form of /proc/net/tcp (proc_pid_net(5)): addresses are hexadecimal, each 32 bits of them in the order of the
// processor, which is taken to be little-endian; state 01 is established. Addresses of IPv4 in a socket of IPv6 are told as what they are.
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

// Messages of sock_diag(7), and the state of a connection that stands.
const (
	diagByFamily   = 20
	diagRequest    = 16 + 56
	tcpEstablished = 1
)

// established asks the kernel about one connection, which it looks up by its addresses (sock_diag(7), inet_diag). False: there is none, or it does not answer that.
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

// diagOf is the question: a struct nlmsghdr and a struct inet_diag_req_v2.
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

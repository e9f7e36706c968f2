package icmp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

// wire is one ICMP socket that asks one address: of the kind for which users need no privilege, where their group
// may have it (net.ipv4.ping_group_range), else a raw one.
type wire struct {
	fd       int
	peer     string
	six, raw bool
	id       uint16 // of a raw socket; the kernel numbers others
	tag      uint32
	out, in  []byte
	sequence uint16
	mu       sync.Mutex // guards closed against a late interrupt, which must not hit a reused descriptor
	closed   bool
	ended    bool
	refused  string // the last error of the path, under mu
}

// open opens a socket and connects it.
func open(s traffic.Endpoint, index int) (*wire, error) {
	w := &wire{fd: -1, six: s.Remote.Is6(), id: uint16(rand.Uint32()), tag: rand.Uint32(),
		peer: "ICMP to " + s.Remote.String(),
		out:  make([]byte, icmpHeader+traffic.LargestDatagram), in: make([]byte, traffic.LargestDatagram)}
	family, protocol := unix.AF_INET, unix.IPPROTO_ICMP
	if w.six {
		family, protocol = unix.AF_INET6, unix.IPPROTO_ICMPV6
	}
	var err error
	if w.fd, err = unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, protocol); err != nil {
		w.raw = true
		w.fd, err = unix.Socket(family, unix.SOCK_RAW|unix.SOCK_CLOEXEC, protocol)
	}
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil, &failure.Error{Code: failure.CodeRefused, Subject: w.peer,
			Text: "this user may not send ICMP echoes; allow its group to (sysctl -w net.ipv4.ping_group_range=\"0 " +
				"2147483647\"), " +
				"run linerate there as root or with CAP_NET_RAW, or measure over tcp or udp"}
	}
	if err == nil {
		err = w.prepare(s)
	}
	if err != nil {
		if w.fd >= 0 {
			unix.Close(w.fd)
		}
		return nil, failure.Of(w.peer, err)
	}
	return w, nil
}

func (w *wire) prepare(s traffic.Endpoint) error {
	if s.Device != "" {
		if err := unix.BindToDevice(w.fd, s.Device); err != nil {
			return &failure.Error{Code: failure.CodeAddress, Subject: "device " + s.Device,
				Text: fmt.Sprintf("cannot bind to it: %v; look at its name, or leave it out", err)}
		}
	}
	if s.Local.IsValid() {
		if err := unix.Bind(w.fd, sockaddr(s.Local)); err != nil {
			return err
		}
	}
	if err := unix.Connect(w.fd, sockaddr(s.Remote)); err != nil {
		return err
	}
	if err := w.discover(unix.IP_PMTUDISC_DO); err != nil { // the numbers are the same for IPv6
		return err
	}
	_ = unix.SetsockoptInt(w.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 1<<20) // as much as the system allows
	if s.Tuning.Spin {
		return unix.SetNonblock(w.fd, true)
	}
	tv := unix.NsecToTimeval(int64(100 * time.Millisecond))
	return unix.SetsockoptTimeval(w.fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &tv)
}

// discover says what becomes of packets above the path's MTU: IP_PMTUDISC_DO refuses those that the kernel takes to be
// too large, IP_PMTUDISC_PROBE sends them. Neither lets them be cut up.
func (w *wire) discover(mode int) error {
	if w.six {
		return unix.SetsockoptInt(w.fd, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, mode)
	}
	return unix.SetsockoptInt(w.fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, mode)
}

// hear makes the answers of hosts on the path errors of the socket (1) or not (0), which drops those that wait.
func (w *wire) hear(on int) error {
	if w.six {
		return unix.SetsockoptInt(w.fd, unix.IPPROTO_IPV6, unix.IPV6_RECVERR, on)
	}
	return unix.SetsockoptInt(w.fd, unix.IPPROTO_IP, unix.IP_RECVERR, on)
}

// sockaddr is an address with no port.
func sockaddr(a netip.Addr) unix.Sockaddr {
	if a.Is4() {
		return &unix.SockaddrInet4{Addr: a.As4()}
	}
	to := &unix.SockaddrInet6{Addr: a.As16()}
	if zone := a.Zone(); zone != "" {
		if i, err := net.InterfaceByName(zone); err == nil {
			to.ZoneId = uint32(i.Index)
		}
	}
	return to
}

// kind is the socket's for the record.
func (w *wire) kind() string {
	if w.raw {
		return "raw"
	}
	return "datagram"
}

// One sends one echo. What an earlier one met on its way is reported by this call, and does not concern it.
func (w *wire) One(b []byte) (int, error) {
	p := w.out[:icmpHeader+len(b)]
	copy(p[icmpHeader:], b)
	putEcho(p, w.six, w.id, w.sequence)
	w.sequence++
	for try := 0; ; try++ {
		n, err := unix.Write(w.fd, p)
		switch {
		case err == nil:
			return n - icmpHeader, nil
		case err == unix.EINTR || err == unix.ENOBUFS || err == unix.EAGAIN:
		case onPath(err) && try < 4:
			w.note(err)
		case err == unix.EMSGSIZE:
			return 0, &failure.Error{Code: failure.CodeLimit, Subject: "size",
				Text: fmt.Sprintf("an echo with %d bytes does not get through to %s unfragmented; ask for less", len(b), w.peer)}
		default:
			return 0, err
		}
	}
}

// onPath reports whether an error is the answer of a host or router.
func onPath(err error) bool {
	return err == unix.EHOSTUNREACH || err == unix.ENETUNREACH || err == unix.ECONNREFUSED || err == unix.EPROTO ||
		err == unix.EACCES || err == unix.EHOSTDOWN || err == unix.ENOPROTOOPT
}

func (w *wire) note(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refused = err.Error()
}

// refusal is the last thing that the path answered instead of an echo; empty: nothing.
func (w *wire) refusal() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refused == "" {
		return ""
	}
	return fmt.Sprintf("%s: on the way it was answered %q at times", w.peer, w.refused)
}

// Read takes the payload of one reply. It may return errNoAnswer earlier than the time-out.
func (w *wire) Read(b []byte) (int, error) {
	n, err := unix.Read(w.fd, w.in)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return 0, traffic.ErrNoAnswer
	case err != nil && (onPath(err) || err == unix.EMSGSIZE):
		w.note(err)
		return 0, traffic.ErrNoAnswer
	case err != nil:
		return 0, err
	case n == 0 && w.IsEnded():
		return 0, traffic.ErrEnded
	}
	payload, ok := parseEcho(w.in[:n], w.six, w.raw, w.id)
	if !ok {
		return 0, traffic.ErrNoAnswer
	}
	return copy(b, payload), nil
}

// firstEcho waits for the first answer of the other end, and returns its round trip.
func (w *wire) firstEcho(ctx context.Context) (time.Duration, error) {
	b := make([]byte, traffic.StampSize)
	if w.hear(1) == nil {
		defer func() { _ = w.hear(0) }()
	}
	d := traffic.Stamp{Kind: traffic.KindProbe, Tag: w.tag}
	for try := range echoTries {
		d.Number, d.Time = int64(try), traffic.Now()
		d.Put(b)
		if _, err := w.One(b); err != nil {
			return 0, err
		}
		for traffic.Now()-d.Time < int64(echoWait) {
			if ctx.Err() != nil {
				return 0, context.Cause(ctx)
			}
			in := make([]byte, 2*traffic.StampSize)
			n, err := w.Read(in)
			if err == traffic.ErrNoAnswer {
				continue
			}
			if err != nil {
				return 0, err
			}
			if a, ok := traffic.ParseStamp(in[:n]); ok && a.Kind == traffic.KindProbe && a.Tag == d.Tag {
				return time.Duration(traffic.Now() - a.Time), nil
			}
		}
	}
	text := fmt.Sprintf("no answer to %d echoes", echoTries)
	w.mu.Lock()
	if w.refused != "" {
		text += " (on the way: " + w.refused + ")"
	}
	w.mu.Unlock()
	return 0, &failure.Error{Code: failure.CodeTimeout, Subject: w.peer,
		Text: text + ": the address is wrong, the link is down, or a firewall drops ICMP; look at the route (ip route " +
			"get), and try TCP, which says more"}
}

// interrupt makes calls that sleep return, now and later.
func (w *wire) interrupt() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.ended = true
		_ = unix.Shutdown(w.fd, unix.SHUT_RDWR)
	}
}

func (w *wire) IsEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ended
}

func (w *wire) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.closed = true
		unix.Close(w.fd)
	}
}

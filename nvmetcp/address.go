package nvmetcp

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Scheme begins the URL of a subsystem.
const Scheme = "nvme-tcp"

// DefaultPort is the port that IANA assigned to NVMe/TCP.
const DefaultPort = 4420

// DiscoveryNQN is the name of every discovery subsystem (Base, section 4.5 "NVMe Qualified Names").
const DiscoveryNQN = "nqn.2014-08.org.nvmexpress.discovery"

const longestNQN = 223 // bytes (Base, section 4.5)

// Address is one subsystem at one host.
type Address struct {
	Host      string // name or address, without brackets
	Port      uint16
	NQN       string
	Namespace uint32 // 0: the only one
}

// ParseAddress parses "nvme-tcp://HOST[:PORT]/NQN[?nsid=N]"; an IPv6 address is in brackets, the default port is 4420.
func ParseAddress(s string) (Address, error) {
	const form = "write it as nvme-tcp://HOST:PORT/NQN, with an IPv6 address in brackets"
	bad := func(form string, args ...any) (Address, error) {
		return Address{}, &Error{Code: CodeInput, Text: fmt.Sprintf("%s: ", short(s)) + fmt.Sprintf(form, args...)}
	}
	rest, ok := strings.CutPrefix(s, Scheme+"://")
	if !ok {
		return bad("it does not begin with %s://; %s", Scheme, form)
	}
	// url.Parse accepts ":" in the NQN, but its errors say little: the parts are parsed one by one.
	where, path, ok := strings.Cut(rest, "/")
	if !ok || path == "" {
		return bad("it names no subsystem; %s", form)
	}
	a := Address{Port: DefaultPort}
	if strings.Contains(where, "@") {
		return bad("it has a user name, which NVMe/TCP does not know; %s", form)
	}
	host, port := where, ""
	switch {
	case strings.HasPrefix(where, "["):
		inside, after, closed := strings.Cut(where[1:], "]")
		if !closed {
			return bad("the bracket of the address is not closed; %s", form)
		}
		if ip, err := netip.ParseAddr(inside); err != nil || !ip.Is6() {
			return bad("%s in brackets is not an IPv6 address; %s", short(inside), form)
		}
		host = inside
		if after != "" {
			if !strings.HasPrefix(after, ":") {
				return bad("%s follows the bracket, where only :PORT may; %s", short(after), form)
			}
			port = after
		}
	case strings.Count(where, ":") > 1:
		return bad("an IPv6 address is in brackets, as [::1]:4420, unlike in %s; %s", short(where), form)
	default:
		if i := strings.IndexByte(where, ':'); i >= 0 {
			host, port = where[:i], where[i:]
		}
	}
	if host == "" {
		return bad("it names no host; %s", form)
	}
	if strings.ContainsAny(host, " \t\r\n%?#\\") && !strings.HasPrefix(where, "[") {
		return bad("%s is not a host name; %s", short(host), form)
	}
	a.Host = host
	if port != "" {
		n, err := strconv.ParseUint(port[1:], 10, 16)
		if err != nil || n == 0 {
			return bad("port %s is not a number from 1 to 65535; %s", short(port[1:]), form)
		}
		a.Port = uint16(n)
	}
	name, query, _ := strings.Cut(path, "?")
	nqn, err := url.PathUnescape(name)
	if err != nil {
		return bad("%s: %v; %s", short(name), err, form)
	}
	if err := checkNQN(nqn); err != nil {
		return bad("%v", err)
	}
	a.NQN = nqn
	if query != "" {
		id, ok := strings.CutPrefix(query, "nsid=")
		n, err := strconv.ParseUint(id, 10, 32)
		if !ok || err != nil || n == 0 || n == 1<<32-1 {
			return bad("%s behind the name is not nsid=N with the number of a namespace from 1 on", short(query))
		}
		a.Namespace = uint32(n)
	}
	return a, nil
}

// short quotes a user's input in one short line.
func short(s string) string {
	if len(s) > 60 {
		return fmt.Sprintf("%q..", s[:60])
	}
	return fmt.Sprintf("%q", s)
}

func checkNQN(nqn string) error {
	switch {
	case nqn == "":
		return fmt.Errorf("the name is empty")
	case len(nqn) > longestNQN:
		return fmt.Errorf("the name has %d bytes; the specification allows %d", len(nqn), longestNQN)
	}
	for _, r := range nqn {
		if r <= ' ' || r == 0x7f || r == '\uFFFD' || r == '/' {
			return fmt.Errorf("the name, %s, has a character that a name cannot have: %q", short(nqn), r)
		}
	}
	return nil
}

// String is the URL that ParseAddress parses.
func (a Address) String() string {
	s := Scheme + "://" + a.hostPort() + "/" + strings.ReplaceAll(strings.ReplaceAll(a.NQN, "%", "%25"), "?", "%3F")
	if a.Namespace != 0 {
		s += "?nsid=" + strconv.FormatUint(uint64(a.Namespace), 10)
	}
	return s
}

func (a Address) hostPort() string { return net.JoinHostPort(a.Host, strconv.Itoa(int(a.Port))) }

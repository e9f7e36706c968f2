package claims

import (
	"net/netip"
	"strings"

	"linerate/internal/base/lazyregexp"
)

var (
	// endPairs match both addresses of a data connection, in iperf's and iperf3's text and in iperf3's JSON.
	endPairs = []*lazyregexp.Regexp{lazyregexp.New(`local (\S+) port \d+ connected (?:to|with) (\S+) port`),
		lazyregexp.New(`"local_host":\s*"([^"]+)",\s*"local_port":\s*\d+,\s*"remote_host":\s*"([^"]+)"`)}
	// farEnds match the other end alone.
	farEnds = []*lazyregexp.Regexp{lazyregexp.New(`(?m)^Connecting to host (\S+), port`),
		lazyregexp.New(`(?m)^Client connecting to (\S+), (?:TCP|UDP) port`),
		lazyregexp.New(`(?m)^Accepted connection from (\S+), port`),
		lazyregexp.New(`"(?:connecting_to|accepted_connection)":\s*\{\s*"host":\s*"([^"]+)"`)}
	// typedEnd matches the other end in the command of iperf, iperf3 or ntttcp.
	typedEnd = lazyregexp.New(`\b(?:iperf\d?|ntttcp)(?:\.exe)?\s(?:.*\s)?(?:-c|-s|--client)[\s=]*([^\s-]\S*)`)
)

// Loopback returns the address of a measurement in which a machine was connected to itself: loopback, or one address at
// both ends. It is empty if an end is another machine, or if the output has no address.
func Loopback(text string) string {
	first, found := "", false
	for _, form := range endPairs {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if !(isLoopback(m[1]) && isLoopback(m[2]) || isSame(m[1], m[2])) {
				return ""
			}
			if !found {
				first, found = m[2], true
			}
		}
	}
	if found {
		return first
	}
	for _, form := range farEnds {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if !isLoopback(m[1]) {
				return ""
			}
			first = m[1]
		}
	}
	return first
}

// LoopbackTyped returns the loopback address that a tool's command names as the other end; empty: it names none.
func LoopbackTyped(command string) string {
	if m := typedEnd.FindStringSubmatch(command); m != nil && isLoopback(m[1]) {
		return m[1]
	}
	return ""
}

func isLoopback(host string) bool {
	switch strings.ToLower(strings.TrimSuffix(host, ".")) {
	case "localhost", "localhost.localdomain", "localhost6", "ip6-localhost":
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// isSame reports whether two texts are one address, so that the data did not leave the machine.
func isSame(a, b string) bool {
	x, err := netip.ParseAddr(a)
	y, err2 := netip.ParseAddr(b)
	return err == nil && err2 == nil && x.Unmap() == y.Unmap() && !x.IsUnspecified()
}

package parse

import (
	"strconv"
	"strings"

	"linerate/internal/facts/parse"
)

// parseNstat reads "nstat -zas": "#kernel", then "TcpRetransSegs  17  0.0", one counter a line. Its names are those of
// /proc/net/snmp and netstat without the dot; those of IPv6 are the same in both. Without -a the values count from the
// last call, which the output does not show. Format: https://man7.org/linux/man-pages/man8/nstat.8.html
func parseNstat(text []byte) (map[string]uint64, error) {
	counters := map[string]uint64{}
	head, rest, _ := strings.Cut(string(text), "\n")
	if !strings.HasPrefix(strings.TrimSpace(head), "#") {
		return nil, parse.ToolError(text)
	}
	for line := range strings.Lines(rest) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		v, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			continue
		}
		counters[dotted(words[0])] = v
	}
	if len(counters) == 0 {
		return nil, parse.ToolError(text)
	}
	return counters, nil
}

// dotted returns "Tcp.RetransSegs" for "TcpRetransSegs".
func dotted(name string) string {
	for _, group := range []string{"TcpExt", "IpExt", "MPTcpExt", "IcmpMsg", "UdpLite", "Icmp", "Tcp", "Udp", "Ip"} {
		rest, ok := strings.CutPrefix(name, group)
		if ok && rest != "" && !strings.HasPrefix(name, group+"6") && (rest[0] < 'a' || rest[0] > 'z') {
			return group + "." + rest
		}
	}
	return name
}

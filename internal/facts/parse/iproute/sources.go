package iproute

import (
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// Sources are the outputs of iproute2: ip, tc and ss.
func Sources() []parse.Source {
	return []parse.Source{
		parse.Source{Name: "ip address", Read: readIPAddress}.
			KeptAs("", `(?ms)^\d+: [^\s:]+: <[^>\n]*> mtu .*?^ +inet6? [0-9a-f.:]+|^\s*\[\s*\{.*?"addr_info"`),
		parse.Parsed("ip link", parseIPLink, putIPLink).
			KeptAs("", `(?m)^\d+: [^\s:]+: <[A-Z0-9_,-]*> mtu |^\s*\[\s*\{\s*"ifindex":\s*\d+,\s*"(?:link|ifname)":`),
		parse.Parsed("ip route", ParseIPRoute, putIPRoute),
		parse.Parsed("ip route *", ParseIPRoute, putIPRoute),
		parse.Parsed("ip rule", parseIPRule, putIPRule).
			OrElse(func(f *parse.Builder, _ []string, why string) { parse.Missing(&f.Rules, why) }),
		parse.Source{Name: "ip neighbour", Read: readNeighbours}.On("linux").
			KeptAs("ip neigh", `(?m)^\S+ dev \S+ lladdr [0-9a-f:]{17} .*(?:REACHABLE|STALE|DELAY|PROBE|PERMANENT)\s*$`),
		parse.Parsed("tc qdisc", parseTCQdisc, putTCQdisc),
		parse.Parsed("tc qdisc *", parseTCQdisc, putTCQdisc),
		parse.Parsed("tc class *", parseTCClass, putTCClass),
		parse.Parsed("ss", parseSS, func(f *parse.Builder, _ []string, v []facts.Socket) { f.Sockets = v }).
			KeptAs("ss", ""),
	}
}

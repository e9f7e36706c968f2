package iproute

import (
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

var (
	ipHead = lazyregexp.New(`^\d+: ([^\s:@]+)(?:@([^\s:]+))?: <([^>]*)> (.*)$`)
	// Kinds that "ip -d" prints at the start of a line.
	ipKinds = []string{"bridge", "vlan", "veth", "bond", "vxlan", "macvlan", "macvtap", "ipvlan", "tun", "dummy", "vrf",
		"team", "ipip", "gre", "gretap", "geneve", "wireguard", "ifb"}
)

// parseIPLinkText reads the text of "ip link", also with -s, -d and -o:
//
//	2: enp0s25: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc fq_codel state UP mode DEFAULT group default qlen 1000
//	    link/ether 1c:75:08:a5:7e:25 brd ff:ff:ff:ff:ff:ff
//	    RX: bytes  packets  errors  dropped overrun mcast
//	    1112747593 1492476  0       72813   0       7
//
// The headers name the columns, which differ by release. iproute2 is not translated. Values of -h (1.5G) are ignored,
// because they are rounded.
func parseIPLinkText(text []byte) ([]Link, error) {
	var links []Link
	var l *Link
	var columns []string
	side := ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\ ", "\n ")) {
		line = strings.TrimRight(line, "\r\n")
		if m := ipHead.FindStringSubmatch(line); m != nil {
			links = append(links, Link{Name: m[1], Link: m[2], Flags: strings.Split(m[3], ","),
				lines: map[string]string{"carrier": line}})
			l, columns = &links[len(links)-1], nil
			at, _, _ := strings.Cut(line, ":")
			l.Index, _ = strconv.Atoi(at)
			options := parse.Pairs(strings.Fields(m[4]))
			l.MTU, _ = strconv.Atoi(options["mtu"])
			l.Master, l.State, l.Qdisc = options["master"], options["state"], options["qdisc"]
			continue
		}
		words := strings.Fields(line)
		if l == nil || len(words) == 0 {
			continue
		}
		if v, ok := parseFunction(line); ok {
			l.functions, columns = append(l.functions, v), nil
			continue
		}
		switch {
		case len(l.functions) > 0 && (columns != nil || strings.HasPrefix(words[0], "RX") ||
			strings.HasPrefix(words[0], "TX")):
			columns = nil // the functions' counters follow those of the interface
		case columns != nil:
			if l.Stats64 == nil {
				l.Stats64 = &LinkStatistics{Rx: map[string]uint64{}, Tx: map[string]uint64{}}
			}
			into := map[string]map[string]uint64{"rx": l.Stats64.Rx, "tx": l.Stats64.Tx}[side]
			for i := range min(len(columns), len(words)) {
				if v, ok := parse.Number(words[i]); ok {
					into[columns[i]] = v
				}
			}
			if slices.Contains(columns, "packets") {
				l.lines[side] = line
			}
			columns = nil
		case words[0] == "RX:" || words[0] == "TX:" || (words[0] == "RX" || words[0] == "TX") && len(words) > 1 &&
			words[1] == "errors:":
			side = strings.ToLower(words[0][:2])
			columns = ipColumns(words)
		case strings.HasPrefix(words[0], "link/"):
			l.LinkType = strings.TrimPrefix(words[0], "link/")
			if len(words) > 1 && strings.ContainsRune(words[1], ':') {
				l.Address = words[1]
			}
		case words[0] == "bond_slave":
			o := parse.Pairs(words[1:])
			s := &SlaveInfo{State: o["state"], MII: o["mii_status"]}
			s.Failures, _ = parse.Number(o["link_failure_count"])
			l.lines["member"] = line
			l.Info = &LinkInfo{SlaveKind: "bond", Slave: s}
		case slices.Contains(ipKinds, words[0]):
			if l.Info == nil {
				l.Info = &LinkInfo{}
			}
			l.Info.Kind = words[0]
			if words[0] == "vlan" {
				o := parse.Pairs(words[1:])
				l.Info.Data = &LinkData{Protocol: o["protocol"]}
				l.Info.Data.ID, _ = strconv.Atoi(o["id"])
			}
		}
	}
	if len(links) == 0 {
		return nil, parse.ToolError(text)
	}
	return links, nil
}

// ipColumns returns the columns of a header, with the names of the JSON.
func ipColumns(words []string) []string {
	prefix, columns := "", words[1:]
	if words[0] == "RX" || words[0] == "TX" { // "RX errors: length crc frame fifo missed", of -s -s
		prefix, columns = "_errors", words[2:]
	}
	out := []string{}
	for _, c := range columns {
		switch {
		case c == "mcast":
			c = "multicast"
		case c == "collsns":
			c = "collisions"
		case c == "carrier" || c == "overrun" || c == "missed":
			c = map[string]string{"carrier": "carrier_errors", "overrun": "over_errors", "missed": "missed_errors"}[c]
		case c == "transns":
			c = "carrier_changes"
		case prefix != "":
			c += prefix
		}
		out = append(out, c)
	}
	return out
}

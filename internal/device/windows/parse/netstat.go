package parse

import (
	"errors"
	"strconv"
	"strings"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/facts/parse"
)

// windowsCount is a line of "netstat -s" of Windows: words in the system's language, and a count.
var windowsCount = lazyregexp.New(`^\s+(\S.*?)\s*= (\d+)\s*$`)

// The counters of a paragraph in the order of netstat, which no language changes, under Linux' names; empty: ignored.
var (
	windowsTCP = []string{"", "", "Tcp.AttemptFails", "Tcp.EstabResets", "", "Tcp.InSegs", "Tcp.OutSegs",
		"Tcp.RetransSegs"}
	windowsUDP = []string{"Udp.InDatagrams", "Udp.NoPorts", "Udp.InErrors", "Udp.OutDatagrams"}
	windowsIP  = map[string]string{"Packets Received": "InReceives", "Received Packets Discarded": "InDiscards",
		"Discarded Output Packets": "OutDiscards",
		"Output Requests":          "OutRequests", "Reassembly Failures": "ReasmFails", "Reassembly Required": "ReasmReqds"}
)

// ReadNetstatWindows reads "netstat -s" of Windows: one paragraph per protocol. TCP's has eight lines, UDP's four, in
// an order that no language changes. TCP and UDP over IPv4 and IPv6 are added up, as in Linux. The number of IP's lines
// differs by release, so only the English names are known. Format: learn.microsoft.com, netstat, and outputs in other
// projects' tests; no complete snapshot exists.
//
//	TCP Statistics for IPv4
//
//	  Segments Retransmitted              = 24199
func ReadNetstatWindows(f *parse.Builder, _ []string, text []byte) error {
	out := map[string]uint64{}
	head, lines := "", [][2]string(nil)
	flush := func() {
		var names []string
		switch {
		case strings.Contains(head, "TCP") && len(lines) == len(windowsTCP):
			names = windowsTCP
		case strings.Contains(head, "UDP") && len(lines) == len(windowsUDP):
			names = windowsUDP
		case strings.Contains(head, "IPv4") && !strings.Contains(head, "ICMP"):
			for _, l := range lines {
				if name := windowsIP[l[0]]; name != "" {
					add(out, "Ip."+name, l[1])
				}
			}
		}
		for i, name := range names {
			if name != "" {
				add(out, name, lines[i][1])
			}
		}
		lines = nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if m := windowsCount.FindStringSubmatch(line); m != nil {
			lines = append(lines, [2]string{m[1], m[2]})
			continue
		}
		if strings.TrimSpace(line) != "" {
			flush()
			head = line
		}
	}
	flush()
	if len(out) == 0 {
		return errors.New("there is no paragraph of netstat -s with the counters of TCP, UDP or IPv4 in it")
	}
	parse.PutCounters(f, nil, out)
	return nil
}

func add(to map[string]uint64, name, value string) {
	if n, err := strconv.ParseUint(value, 10, 63); err == nil {
		to[name] += n
	}
}

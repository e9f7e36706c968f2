package iproute

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// parseSS reads "ss -tinm", with two lines per socket or one (-O), with or without the column Netid. It ignores sockets
// that are not TCP or not connected. Format: https://man7.org/linux/man-pages/man8/ss.8.html, iproute2's misc/ss.c.
func parseSS(text []byte) ([]facts.Socket, error) {
	sockets := []facts.Socket{}
	var damage error
	recognised, skip := false, true
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if words[0] == "State" || words[0] == "Netid" {
			recognised, skip = true, true
			continue
		}
		if line[0] == ' ' || line[0] == '\t' { // continues the socket above
			if !skip {
				details(&sockets[len(sockets)-1], words)
			}
			continue
		}
		skip = true
		if len(words) > 5 && isLower(words[0]) && words[1] == strings.ToUpper(words[1]) { // Netid
			if words[0] != "tcp" {
				recognised = true
				continue
			}
			words = words[1:]
		}
		if len(words) < 5 {
			damage = parse.Partial{Err: fmt.Errorf("a line of %d columns is not a socket: "+
				"%.60q", len(words), facts.OneLine(line))}
			continue
		}
		if words[0] == "LISTEN" || words[0] == "UNCONN" {
			recognised = true
			continue
		}
		s := facts.Socket{State: words[0], Info: map[string]float64{}, Flags: map[string]bool{}}
		var errs [4]error
		s.RecvQ, errs[0] = strconv.ParseUint(words[1], 10, 64)
		s.SendQ, errs[1] = strconv.ParseUint(words[2], 10, 64)
		s.Local, errs[2] = ssAddress(words[3])
		s.Peer, errs[3] = ssAddress(words[4])
		if errs != [4]error{} {
			damage = parse.Partial{Err: fmt.Errorf("no socket of the form STATE RECV-Q SEND-Q LOCAL PEER (ss -n prints "+
				"numbers): %.60q", facts.OneLine(line))}
			continue
		}
		recognised, skip = true, false
		details(&s, words[5:])
		sockets = append(sockets, s)
	}
	if !recognised {
		return nil, parse.ToolError(text)
	}
	return sockets, damage
}

func isLower(s string) bool { return s == strings.ToLower(s) }

// ssAddress reads "10.0.0.1:80", "[::1]:80" and, with its interface, "[fe80::1]%eth0:80".
func ssAddress(s string) (netip.AddrPort, error) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return netip.AddrPort{}, fmt.Errorf("no port")
	}
	host, zone, _ := strings.Cut(s[:i], "%")
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := strconv.ParseUint(s[i+1:], 10, 16)
	if addr.Is6() && zone != "" {
		addr = addr.WithZone(strings.Trim(zone, "[]"))
	}
	return netip.AddrPortFrom(addr, uint16(port)), err
}

// details reads "skmem:(r0,rb131072) cubic wscale:7,7 rtt:0.057/0.033 send 12.5Mbps ..".
func details(s *facts.Socket, words []string) {
	for i, w := range words {
		key, value, ok := strings.Cut(w, ":")
		switch {
		case key == "skmem" || key == "mem":
			memory(s, value)
		case ok:
			setValue(s, key, value)
		case i+1 < len(words) && (w == "send" || w == "pacing_rate" || w == "delivery_rate"):
			setValue(s, w, words[i+1])
		case strings.HasSuffix(w, "bps"):
		case w == "ts" || w == "sack" || w == "ecn" || w == "ecnseen" || w == "fastopen" || w == "app_limited":
			s.Flags[w] = true
		case s.CongestionControl == "" && w == strings.Trim(w, "()<->0123456789") && isLower(w):
			s.CongestionControl = w
		}
	}
}

func memory(s *facts.Socket, list string) {
	s.Memory = map[string]uint64{}
	for _, item := range strings.Split(strings.Trim(list, "()"), ",") {
		name := strings.TrimRight(item, "0123456789")
		if n, err := strconv.ParseUint(item[len(name):], 10, 64); err == nil && name != "" {
			s.Memory[name] = n
		}
	}
}

// setValue stores one of the values that are numbers, or a pair of them.
func setValue(s *facts.Socket, key, value string) {
	value, _, _ = strings.Cut(value, "(") // rwnd_limited:26ms(98.7%)
	first, second, _ := strings.Cut(strings.Replace(value, ",", "/", 1), "/")
	v, ok := ssNumber(key, first)
	if !ok {
		return
	}
	s.Info[key] = v
	pair, isPair := map[string]string{"rtt": "rttvar", "retrans": "retrans_total", "wscale": "wscale_rcv",
		"pacing_rate": "pacing_rate_max"}[key]
	if v, ok := ssNumber(key, second); ok && isPair {
		s.Info[pair] = v
	}
}

// ssNumber reads a number in ss's unit of a key: milliseconds for times.
func ssNumber(key, s string) (float64, bool) {
	times := 1.0
	switch key {
	case "rto", "rtt", "minrtt", "ato", "rcv_rtt", "lastsnd", "lastrcv", "lastack":
		times = 1e-3
	}
	if digits, ok := strings.CutSuffix(s, "ms"); ok {
		s, times = digits, 1e-3
	} else if digits, ok := strings.CutSuffix(s, "bps"); ok {
		s = digits
		if i := strings.IndexByte("KMGT", (s + " ")[max(len(s)-1, 0)]); i >= 0 {
			s = s[:len(s)-1]
			for range i + 1 {
				times *= 1000
			}
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v < 1e18) {
		return 0, false
	}
	return v * times, true
}

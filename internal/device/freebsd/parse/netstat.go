package parse

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// bsdTraffic has the counters of an interface from a line of netstat, by the names of its columns: "Ipkts", "Ierrs",
// "Idrop".
type bsdTraffic struct {
	name   string
	values map[string]uint64
	line   string
}

// parseNetstatI reads "netstat -i" (-b, -d, -n, -W, -I NAME) of FreeBSD: the lines of interfaces' links, not those of
// addresses. Format: https://man.freebsd.org/netstat(1); snapshot of release 12.
//
//	Name    Mtu Network       Address              Ipkts Ierrs Idrop     Ibytes    Opkts Oerrs     Obytes  Coll
//	em0    1500 <Link#1>      00:0c:29:1a:4e:3b   372717     0     0  372538087   213821     0  198573339     0
func parseNetstatI(text []byte) ([]bsdTraffic, error) {
	var names []string
	var out []bsdTraffic
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 5 && words[0] == "Name" && words[2] == "Network" {
			names = words[4:]
			continue
		}
		if names == nil || len(words) < 3+len(names) || !strings.HasPrefix(words[2], "<Link#") {
			continue
		}
		t := bsdTraffic{strings.TrimSuffix(words[0], "*"), map[string]uint64{}, facts.OneLine(line)}
		for i, w := range words[len(words)-len(names):] {
			if n, err := strconv.ParseUint(w, 10, 64); err == nil {
				t.values[names[i]] = n
			}
		}
		out = append(out, t)
	}
	if names == nil {
		return nil, parse.ToolError(text)
	}
	return out, nil
}

// bsdCounted are the counters with a known meaning. Input drops are packets without a buffer in the adapter or driver:
// if_data(9), ifi_iqdrops, and the drivers. Input errors mix several causes, depending on the driver.
var bsdCounted = []struct {
	column, moved string
	what          facts.Counted
}{
	{"Idrop", "Ipkts", facts.NoBuffer}, {"Ierrs", "Ipkts", facts.ReceiveDrops}, {"Oerrs", "Opkts", facts.SendDrops},
	{"Drop", "Opkts", facts.QueueDrops},
	{"idrops", "packets", facts.NoBuffer}, {"errs", "packets", facts.ReceiveDrops},
	{"oerrs", "opackets", facts.SendDrops}, {"drops", "opackets", facts.QueueDrops},
}

// putTraffic stores counters of interfaces.
func putTraffic(f *parse.Builder, _ []string, list []bsdTraffic) {
	columns := map[string]string{"rx_packets": "Ipkts", "rx_bytes": "Ibytes", "rx_errors": "Ierrs",
		"rx_dropped": "Idrop", "tx_packets": "Opkts", "tx_bytes": "Obytes", "tx_errors": "Oerrs", "tx_dropped": "Drop"}
	for _, t := range list {
		if MadeBySystem(t.name) {
			continue
		}
		for _, c := range bsdCounted {
			if n, ok := t.values[c.column]; ok {
				moved := unit.Unknown[uint64]("netstat did not print it")
				if m, ok := t.values[c.moved]; ok {
					moved = unit.Known(m)
				}
				f.Counted(c.what, t.name, n, moved, t.line)
			}
		}
		if t.name == "" {
			continue
		}
		f.Later(func() {
			n := f.NIC(t.name)
			if n == nil {
				return
			}
			if n.Counters == nil {
				n.Counters = map[string]uint64{}
			}
			for name, column := range columns {
				if v, ok := t.values[column]; ok {
					n.Counters[name] = v
				}
			}
		})
	}
}

// parseNetstatW reads "netstat -w SECONDS" (-I NAME, -h, -d), one line per interval, and returns their sum with the
// first line. Format: as parseNetstatI's; snapshot with -ihw1.
//
//	         input        (Total)           output
//	packets  errs idrops      bytes    packets  errs      bytes colls
//	    14M     0  7.9M       836M       5.8M     0       353M     0
func parseNetstatW(text []byte) ([]bsdTraffic, error) {
	var names []string
	t := bsdTraffic{values: map[string]uint64{}}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 3 && words[0] == "input" && slices.Contains(words, "output"):
			if t.name = words[1]; strings.HasPrefix(t.name, "(") {
				t.name = "" // all of them
			}
		case len(words) > 5 && words[0] == "packets":
			names = slices.Clone(words)
			for i := slices.Index(names[1:], "packets") + 1; i > 0 &&
				i < len(names); i++ { // those of output come after those of input
				if names[i] == "packets" || names[i] == "errs" || names[i] == "bytes" {
					names[i] = "o" + names[i]
				}
			}
		case names != nil && len(words) == len(names):
			values := make([]uint64, len(words))
			ok := true
			for i, w := range words {
				var err error
				values[i], err = humanNumber(w)
				ok = ok && err == nil
			}
			if !ok {
				continue
			}
			if t.line == "" {
				t.line = facts.OneLine(line)
			}
			for i, n := range names {
				t.values[n] += values[i]
			}
		}
	}
	if t.line == "" {
		return nil, parse.ToolError(text)
	}
	return []bsdTraffic{t}, nil
}

// humanNumber reads "7.9M": of humanize_number(3), in powers of 1000.
func humanNumber(s string) (uint64, error) {
	factor := 1.0
	if i := strings.IndexByte("KMGTPE", s[len(s)-1]); i >= 0 {
		factor, s = math.Pow(1000, float64(i+1)), s[:len(s)-1]
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0 && v*factor < 1<<63) {
		return 0, fmt.Errorf("%.20q is not a number", s)
	}
	return uint64(v*factor + 0.5), nil
}

// parseNetstatR reads "netstat -r" (-n, -W) of FreeBSD. It ignores names in place of addresses (without -n), and
// addresses that may be truncated to the width of their column. Format: https://man.freebsd.org/netstat(1); snapshot of
// release 12.
//
//	Destination        Gateway            Flags     Netif Expire
//	192.168.71.0/24    link#1             U           em0
func parseNetstatR(text []byte) ([]facts.Route, error) {
	out := []facts.Route{}
	family, netif, width := "", 0, 0
	var left error
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 1 && strings.HasPrefix(words[0], "Internet") && strings.HasSuffix(words[0], ":"):
			family, netif = strings.TrimSuffix(words[0], ":"), 0
		case len(words) > 3 && words[0] == "Destination":
			netif, width = slices.Index(words, "Netif"), strings.Index(line, "Gateway")-1
		case family != "" && netif > 2 && len(words) > netif:
			r, err := bsdRoute(words[0], words[1], words[2], words[netif], family, width)
			if err != nil {
				left = parse.Partial{Err: err}
				continue
			}
			out = append(out, r)
		}
	}
	if family == "" {
		return nil, parse.ToolError(text)
	}
	if len(out) > 0 {
		left = nil // a line with names is not an error
	}
	return out, left
}

func bsdRoute(to, gateway, flags, nic, family string, width int) (r facts.Route, err error) {
	none := netip.IPv4Unspecified()
	if family != "Internet" {
		none = netip.IPv6Unspecified()
	}
	text, length, prefix := strings.Cut(to, "/")
	text, _, _ = strings.Cut(text, "%")
	switch a, err := netip.ParseAddr(text); {
	case to == "default":
		r.Dst = netip.PrefixFrom(none, 0)
	case err != nil:
		return r, errors.New("its destinations are names; netstat -rn prints addresses")
	case len(to) >= width && a.Is6():
		return r, errors.New("its destinations are cut to the width of the column; netstat -rnW prints them whole")
	case !prefix:
		r.Dst = netip.PrefixFrom(a, a.BitLen())
	default:
		n, err := strconv.Atoi(length)
		if err != nil {
			return r, fmt.Errorf("%.40q is not a destination", to)
		}
		r.Dst = netip.PrefixFrom(a, n).Masked()
	}
	if !r.Dst.IsValid() {
		return r, fmt.Errorf("%.40q is not a destination", to)
	}
	text, _, _ = strings.Cut(gateway, "%")
	if a, err := netip.ParseAddr(text); err == nil && strings.ContainsRune(flags, 'G') {
		r.Gateway = a
	}
	switch {
	case strings.ContainsRune(flags, 'B'):
		r.Kind = "blackhole"
	case strings.ContainsRune(flags, 'R'):
		r.Kind = "unreachable"
	}
	r.Interface = nic
	return r, nil
}

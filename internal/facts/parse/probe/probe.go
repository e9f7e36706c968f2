package probe

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
	"linerate/internal/facts/snapshot"
)

// Some facts of a host are in no file: how large a packet reaches a peer and returns, who answers for an address, and
// through which interface a packet to it leaves. Probe tests these; the results are separate sources of the snapshot.

// ProbeTarget is a peer for a host to test.
type ProbeTarget struct {
	Address netip.Addr `json:"address"`
	MTU     int        `json:"mtu"` // planned MTU of the path
}

// Sources are the sources that Probe writes, and "ip route get".
func Sources() []parse.Source {
	return []parse.Source{
		{Name: "probe mtu *", Read: ReadPathProbe},
		{Name: "probe arp * *", Read: ReadOwnerProbe},
		{Name: BusSource + "*", Read: readUnderLoad},
		parse.Source{Name: "ip route get *", OS: "linux", Read: ReadWay},
	}
}

// NotTried begins the line of a probe that was not made, or was inconclusive.
const NotTried = "not known: "

// NoEcho begins the line of a target that has a route but did not answer.
const NoEcho = "it answers no ICMP echo, of whatever size"

// NotProbed returns the text after a snapshot whose host did not test its peers.
func NotProbed(targets []ProbeTarget, why string) []byte {
	var a snapshot.Archive
	for _, t := range targets {
		a.Files = append(a.Files, snapshot.File{Name: "probe mtu " + t.Address.String(),
			Data: []byte(NotTried + facts.OneLine(why) + "\n")})
	}
	return a.Behind()
}

// ReadPathProbe reads the output of Probe, sizes in bytes of the IP packet:
//
//	rtt 0.000123
//	size 1500 answered
//	size 9000 silent
//	size 9000 too large for the interface
func ReadPathProbe(f *parse.Builder, args []string, text []byte) error {
	to, err := netip.ParseAddr(args[0])
	if err != nil {
		return fmt.Errorf("%.60q is not an address", args[0])
	}
	p := facts.PathProbe{To: to, Through: unit.Unknown[int]("no packet was answered"),
		RTT: unit.Unknown[time.Duration]("no packet was answered")}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if why, ok := strings.CutPrefix(line, NotTried); ok {
			if strings.HasPrefix(why, NoEcho) {
				f.Probes.Silent = append(f.Probes.Silent, to)
			}
			return errors.New(facts.OneLine(why))
		}
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		n, err := strconv.ParseFloat(words[1], 64)
		if err != nil || !(n >= 0 && n < 1e6) {
			continue
		}
		switch words[0] {
		case "rtt":
			p.RTT = unit.Known(time.Duration(n * 1e9))
		case "size":
			size := int(n)
			if size >= p.Asked {
				p.Asked, p.Proof = size, f.Proof(line)
			}
			switch {
			case strings.HasSuffix(line, " answered"):
				p.Through = unit.Known(max(size, p.Through.Or(0)))
			case strings.Contains(line, "too large"):
				p.TooBig = true
			}
		}
	}
	if p.Asked == 0 {
		return parse.ToolError(text)
	}
	f.Probes.Paths = append(f.Probes.Paths, p)
	return nil
}

// ReadOwnerProbe reads "answer 02:00:00:00:00:02", a line for each answer, "own" for the host's own address, and
// "silent".
func ReadOwnerProbe(f *parse.Builder, args []string, text []byte) error {
	address, err := netip.ParseAddr(args[0])
	if err != nil {
		return fmt.Errorf("%.60q is not an address", args[0])
	}
	o := facts.OwnerProbe{Address: address, Interface: args[1]}
	seen := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if why, ok := strings.CutPrefix(line, NotTried); ok {
			return errors.New(facts.OneLine(why))
		}
		switch mac, answer := strings.CutPrefix(line, "answer "); {
		case answer:
			o.Answers, o.Proofs = append(o.Answers, strings.ToLower(mac)), append(o.Proofs, f.Proof(line))
			seen = true
		case line == "own":
			o.Own, seen = true, true
		case line == "silent":
			o.Proofs = append(o.Proofs, f.Proof(line))
			seen = true
		}
	}
	if !seen {
		return parse.ToolError(text)
	}
	f.Probes.Owners = append(f.Probes.Owners, o)
	return nil
}

// ReadWay reads "ip route get ADDRESS": "10.1.0.2 dev e1 src 10.1.0.1 uid 0", with "via GATEWAY" between them; "local"
// before an address of the host. Format: https://man7.org/linux/man-pages/man8/ip-route.8.html. Snapshots: machines of
// linerate's developers.
func ReadWay(f *parse.Builder, args []string, text []byte) error {
	if why, ok := strings.CutPrefix(strings.TrimSpace(string(text)), NotTried); ok {
		return errors.New(facts.OneLine(why))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	words := strings.Fields(first)
	to, err := netip.ParseAddr(args[0])
	if err != nil {
		return fmt.Errorf("%.60q is not an address", args[0])
	}
	w := facts.Way{To: to, Proof: f.Proof(first)}
	for i := 0; i+1 < len(words); i++ {
		switch words[i] {
		case "dev":
			w.Interface = words[i+1]
		case "via":
			w.Gateway, _ = netip.ParseAddr(words[i+1])
		case "src":
			w.From, _ = netip.ParseAddr(words[i+1])
		}
	}
	if w.Interface == "" {
		return parse.ToolError(text)
	}
	f.Probes.Ways = append(f.Probes.Ways, w)
	return nil
}

// Sizes returns the smaller sizes to test if a size has no answer: common MTUs of networks, and those inside tunnels.
func Sizes(asked int, six bool) (sizes []int) {
	for _, s := range []int{576, 1280, 1400, 1450, 1492, 1500, 2044, 4092, 6000, 8000, 8900, 8950, 9000, 9192} {
		if s < asked && (!six || s >= 1280) {
			sizes = append(sizes, s)
		}
	}
	return sizes
}

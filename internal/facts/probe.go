package facts

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// What no file says of a host has to be tried: how large a packet gets to a peer and back, who answers for an address, which
// interface a packet to it leaves through. Probe does that; what came of it stands in the capture as sources of its own.

// ProbeTarget is a peer that a host is to try.
type ProbeTarget struct {
	Address netip.Addr `json:"address"`
	MTU     int        `json:"mtu"` // that the plan has on the way
}

// Probes are what was tried.
type Probes struct {
	Paths  []PathProbe
	Owners []OwnerProbe
	Ways   []Way
	Silent []netip.Addr   // those that answered no ICMP echo, of whatever size
	Bus    []BusUnderLoad // PCI Express, read again under load
}

// PathProbe is how large a packet got to an address and its answer back, unfragmented.
type PathProbe struct {
	To      netip.Addr
	Asked   int                     // the largest that was tried, in bytes of the IP packet
	Through unit.Opt[int]           // the largest that was answered
	TooBig  bool                    // this host's own interface takes less than was asked
	RTT     unit.Opt[time.Duration] // of the smallest packets, the shortest
	Proof                           // the line of the largest
}

// OwnerProbe is who answers for an address on the network of an interface, by ARP.
type OwnerProbe struct {
	Address   netip.Addr
	Interface string
	Own       bool     // it is this host's own address: any answer is another's
	Answers   []string // MAC addresses
	Proofs    []Proof  // of each answer; where nobody answered, of that
}

// Way is what the kernel says when it is asked how a packet to an address leaves.
type Way struct {
	To        netip.Addr
	Interface string
	Gateway   netip.Addr // invalid: none
	From      netip.Addr
	Proof
}

// Way is how a packet to an address leaves, if the kernel was asked.
func (p *Probes) Way(to netip.Addr) (Way, bool) {
	for _, w := range p.Ways {
		if w.To == to {
			return w, true
		}
	}
	return Way{}, false
}

// Path is what was tried towards an address.
func (p *Probes) Path(to netip.Addr) (PathProbe, bool) {
	for _, v := range p.Paths {
		if v.To == to {
			return v, true
		}
	}
	return PathProbe{}, false
}

// probeSources are the sources that Probe writes, and "ip route get".
func probeSources() []source {
	return []source{
		{name: "probe mtu *", read: readPathProbe},
		{name: "probe arp * *", read: readOwnerProbe},
		{name: busProbe + "*", read: readUnderLoad},
		source{name: "ip route get *", os: "linux", read: readWay},
	}
}

// notTried is the line of a probe that was not made, or from which nothing can be told.
const notTried = "not known: "

// noEcho begins the line of a target that the kernel had a way to, and that answered nothing.
const noEcho = "it answers no ICMP echo, of whatever size"

// NotProbed is what stands behind a capture whose host did not try its peers.
func NotProbed(targets []ProbeTarget, why string) []byte {
	var a archive
	for _, t := range targets {
		a.Files = append(a.Files, file{"probe mtu " + t.Address.String(), []byte(notTried + oneLine(why) + "\n")})
	}
	return a.behind()
}

// behind is the archive as it stands behind another one.
func (a *archive) behind() []byte { return bytes.TrimLeft(a.bytes(), "\n") }

// readPathProbe reads what Probe writes, sizes in bytes of the IP packet:
//
//	rtt 0.000123
//	size 1500 answered
//	size 9000 silent
//	size 9000 too large for the interface
func readPathProbe(f *Facts, args []string, text []byte) error {
	to, err := netip.ParseAddr(args[0])
	if err != nil {
		return fmt.Errorf("%.60q is no address", args[0])
	}
	p := PathProbe{To: to, Through: unit.Unknown[int]("no packet was answered"), RTT: unit.Unknown[time.Duration]("no packet was answered")}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if why, ok := strings.CutPrefix(line, notTried); ok {
			if strings.HasPrefix(why, noEcho) {
				f.Probes.Silent = append(f.Probes.Silent, to)
			}
			return errors.New(oneLine(why))
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
			p.RTT = known(time.Duration(n * 1e9))
		case "size":
			size := int(n)
			if size >= p.Asked {
				p.Asked, p.Proof = size, f.proof(line)
			}
			switch {
			case strings.HasSuffix(line, " answered"):
				p.Through = known(max(size, p.Through.Or(0)))
			case strings.Contains(line, "too large"):
				p.TooBig = true
			}
		}
	}
	if p.Asked == 0 {
		return toolError(text)
	}
	f.Probes.Paths = append(f.Probes.Paths, p)
	return nil
}

// readOwnerProbe reads "answer 02:00:00:00:00:02", a line for each who answered, "own" where it is the host's own address, and "silent".
func readOwnerProbe(f *Facts, args []string, text []byte) error {
	address, err := netip.ParseAddr(args[0])
	if err != nil {
		return fmt.Errorf("%.60q is no address", args[0])
	}
	o := OwnerProbe{Address: address, Interface: args[1]}
	seen := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if why, ok := strings.CutPrefix(line, notTried); ok {
			return errors.New(oneLine(why))
		}
		switch mac, answer := strings.CutPrefix(line, "answer "); {
		case answer:
			o.Answers, o.Proofs = append(o.Answers, strings.ToLower(mac)), append(o.Proofs, f.proof(line))
			seen = true
		case line == "own":
			o.Own, seen = true, true
		case line == "silent":
			o.Proofs = append(o.Proofs, f.proof(line))
			seen = true
		}
	}
	if !seen {
		return toolError(text)
	}
	f.Probes.Owners = append(f.Probes.Owners, o)
	return nil
}

// readWay reads "ip route get ADDRESS": "10.1.0.2 dev e1 src 10.1.0.1 uid 0", with "via GATEWAY" between them; "local" before an address of the host.
// Format: https://man7.org/linux/man-pages/man8/ip-route.8.html. The captures behind it are of this program's own machines.
func readWay(f *Facts, args []string, text []byte) error {
	if why, ok := strings.CutPrefix(strings.TrimSpace(string(text)), notTried); ok {
		return errors.New(oneLine(why))
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	words := strings.Fields(first)
	to, err := netip.ParseAddr(args[0])
	if err != nil {
		return fmt.Errorf("%.60q is no address", args[0])
	}
	w := Way{To: to, Proof: f.proof(first)}
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
		return toolError(text)
	}
	f.Probes.Ways = append(f.Probes.Ways, w)
	return nil
}

// probeSizes are the sizes below one that are tried where that one gets no answer: those that networks have, and what is left of them
// inside of tunnels.
func probeSizes(asked int, six bool) (sizes []int) {
	for _, s := range []int{576, 1280, 1400, 1450, 1492, 1500, 2044, 4092, 6000, 8000, 8900, 8950, 9000, 9192} {
		if s < asked && (!six || s >= 1280) {
			sizes = append(sizes, s)
		}
	}
	return sizes
}

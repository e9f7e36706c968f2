package record

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
)

// Subject is what a finding is about: a machine or parts of it, a peer of a machine, a link, or an address. Text and
// JSON have what String makes of it, and ReadSubject alone takes that apart again. A subject that was read back answers
// as the one that was written.
type Subject struct {
	Host  string   // the machine, a host or a switch; empty: Link, or Address
	Parts []string // what of the machine: "eth2", "mlx5_0 port 1", "firewall"; none: all of it
	// Alike reports whether the parts are listed as equals ("e1 and e2"), and not as the ports of one NIC ("e1, e2").
	Alike bool
	// Count is the number of ports where Parts has the first and the last alone; 0: Parts has all.
	Count   int
	Bus     string     // the address on the bus that the part has: "0000:01:00.0"
	Place   string     // where at the part: "link at 0000:01:00.0", "function 2"
	Peer    string     // the host that has Address; empty: not known
	Address netip.Addr // of the machine's peer; without a machine: the address that the finding is about
	Link    string     // "nas.t3.1--pc.a"
}

// PartsOf is the subject of parts of a machine that are listed as equals; without parts it is the whole machine.
func PartsOf(host string, parts ...string) Subject {
	return Subject{Host: host, Parts: parts, Alike: len(parts) > 1}
}

const (
	hostEnd     = ": "
	linkWord    = "link "
	addressWord = "address "
	peerWord    = "to "
	comma       = ", "
	lastPart    = " and "
	upTo        = " to "
	bracket     = " ("
)

// placeWords are the words that a place begins with.
var placeWords = [...]string{"link ", "at ", "function "}

// String is the subject as it is printed: "nas", "nas: eth2", "nas: to pc (10.0.1.2)", "link nas.t3.1--pc.a".
func (s Subject) String() string {
	switch {
	case s.Host == "" && s.Link != "":
		return linkWord + s.Link
	case s.Host == "" && s.Address.IsValid():
		return addressWord + s.Address.String()
	case len(s.Parts) == 0 && !s.Address.IsValid():
		return s.Host
	}
	return s.Host + hostEnd + s.part()
}

// part is what of the machine the subject is, as it is printed.
func (s Subject) part() string {
	var out string
	switch {
	case s.Address.IsValid() && s.Peer == "":
		return peerWord + s.Address.String()
	case s.Address.IsValid():
		return peerWord + s.Peer + bracket + s.Address.String() + ")"
	case s.Count > 0 && len(s.Parts) == 2:
		out = fmt.Sprintf("%s%s%s%s%d ports)", s.Parts[0], upTo, s.Parts[1], bracket, s.Count)
	case s.Alike:
		out = unit.List(s.Parts)
	default:
		out = strings.Join(s.Parts, comma)
	}
	if s.Bus != "" {
		out += bracket + s.Bus + ")"
	}
	if s.Place != "" {
		out += comma + s.Place
	}
	return out
}

// Within is the subject as it is printed where everything is about one machine: "eth2".
func (s Subject) Within(host string) string {
	if s.Host != host || len(s.Parts) == 0 && !s.Address.IsValid() {
		return s.String()
	}
	return s.part()
}

// Has reports whether the subject names a part of a machine, or the address of the machine's peer.
func (s Subject) Has(host, part string) bool {
	if s.Host != host {
		return false
	}
	if s.Address.IsValid() {
		return s.Address.String() == part
	}
	return slices.Contains(s.Parts, part) || len(s.Parts) > 0 && s.part() == part
}

// Is reports whether two subjects are printed the same.
func (s Subject) Is(other Subject) bool { return s.String() == other.String() }

// Renamed is the subject with other names of its parts.
func (s Subject) Renamed(rename func(string) string) Subject {
	s.Parts = slices.Clone(s.Parts)
	for i, p := range s.Parts {
		s.Parts[i] = rename(p)
	}
	return s
}

// MarshalText is String.
func (s Subject) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText is ReadSubject. It takes every text.
func (s *Subject) UnmarshalText(text []byte) error {
	*s = ReadSubject(string(text))
	return nil
}

// ReadSubject takes apart what String made. A text of another form is a machine with one part, so that every text is
// printed as it was read.
func ReadSubject(text string) Subject {
	host, part, parts := strings.Cut(text, hostEnd)
	if parts {
		s := readPart(part)
		if host == "" || s.part() != part {
			s = Subject{Parts: []string{part}}
		}
		s.Host = host
		return s
	}
	for _, s := range []Subject{{Link: strings.TrimPrefix(text, linkWord)},
		{Address: addressOf(strings.TrimPrefix(text, addressWord))}} {
		if s.String() == text {
			return s
		}
	}
	return Subject{Host: text}
}

// readPart reads what is behind the machine's name.
func readPart(text string) (s Subject) {
	if peer, ok := strings.CutPrefix(text, peerWord); ok {
		name, address, named := cutBracket(peer)
		if !named {
			address = peer
		}
		if a := addressOf(address); a.IsValid() {
			return Subject{Peer: unit.If(named, name, ""), Address: a}
		}
	}
	text, s.Place = cutPlace(text)
	if name, address, ok := cutBracket(text); ok && onBus(address) {
		text, s.Bus = name, address
	}
	if ports, n, ok := cutBracket(text); ok {
		first, last, several := strings.Cut(ports, upTo)
		count, err := strconv.Atoi(strings.TrimSuffix(n, " ports"))
		if several && err == nil {
			s.Parts, s.Count = []string{first, last}, count
			return s
		}
	}
	first, _, _ := strings.Cut(text, " ")
	at := strings.LastIndex(text, lastPart)
	switch {
	case onBus(first): // the name of who made the device may have a comma
		s.Parts = []string{text}
	case at >= 0:
		s.Parts, s.Alike = append(strings.Split(text[:at], comma), text[at+len(lastPart):]), true
	default:
		s.Parts = strings.Split(text, comma)
	}
	return s
}

// cutBracket cuts what is in brackets at the end of a text.
func cutBracket(text string) (before, within string, ok bool) {
	at := strings.LastIndex(text, bracket)
	if at < 0 || !strings.HasSuffix(text, ")") {
		return text, "", false
	}
	return text[:at], text[at+len(bracket) : len(text)-1], true
}

// cutPlace cuts the place, the first that there is, from the end of a text.
func cutPlace(text string) (part, place string) {
	from := len(text)
	for _, w := range placeWords {
		if at := strings.Index(text, comma+w); at >= 0 {
			from = min(from, at)
		}
	}
	if from == len(text) {
		return text, ""
	}
	return text[:from], text[from+len(comma):]
}

// onBus reports whether a word has the form of an address of PCI Express: "0000:01:00.0".
func onBus(word string) bool {
	return strings.Contains(word, ":") && strings.Contains(word, ".") &&
		strings.Trim(word, "0123456789abcdefABCDEF:.") == ""
}

// addressOf is the IP address that a text is; not valid: it is none.
func addressOf(text string) netip.Addr {
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return a
}

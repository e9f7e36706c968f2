package traffic

import (
	"fmt"
	"slices"

	"linerate/internal/base/unit"
)

// The transports of stream and ping; empty is TCP.
const (
	TCP = "tcp"
	UDP = "udp"
)

// The ways in which datagrams are handed to the kernel and taken from it.
const (
	UDPGSO   = "gso"   // one call, one large buffer that the kernel or the card cuts up (UDP_SEGMENT)
	UDPGRO   = "gro"   // several datagrams merged into one buffer (UDP_GRO)
	UDPMmsg  = "mmsg"  // several in one call (sendmmsg, recvmmsg)
	UDPPlain = "plain" // one call each
)

// UDPOptions are what only UDP needs to know of an experiment.
type UDPOptions struct {
	MTU      int    `json:"mtu,omitempty"`      // of the path, for the default size and its check; 0: 1500
	Fragment bool   `json:"fragment,omitempty"` // messages above the MTU may be cut into IP fragments
	Send     string `json:"send,omitempty"`     // gso, mmsg or plain; empty: the first of them that works
	Receive  string `json:"receive,omitempty"`  // gro, mmsg or plain; empty: the first of them that works
}

const (
	assumedMTU = 1500
	udpHeader  = 8
	ipv4Header = 20
	ipv6Header = 40
	// mostPayload is what UDP's 16-bit length leaves over IPv4 (RFC 768, RFC 791).
	mostPayload = 65535 - ipv4Header - udpHeader
)

// udpHeaders is what the headers take of the MTU.
func (s Setup) udpHeaders() int {
	if s.Local.Is6() {
		return ipv6Header + udpHeader
	}
	return ipv4Header + udpHeader
}

// udpFits is the largest message that fits into one packet of the path.
func (s Setup) udpFits() int {
	mtu := s.UDP.MTU
	if mtu == 0 {
		mtu = assumedMTU
	}
	return min(mtu-s.udpHeaders(), mostPayload)
}

// udpSize is the size of a message in effect.
func (s Setup) udpSize() unit.Bytes {
	switch {
	case s.Size > 0:
		return s.Size
	case s.Method == "ping":
		return pingSize(1)
	}
	return unit.Bytes(s.udpFits())
}

// checkTransport says what is wrong with what s asks of its transport.
func (s Setup) checkTransport() error {
	bad := func(key string, value any, want string) error {
		return &Error{Code: CodeInput, Subject: key, Text: fmt.Sprintf("%v is not %s", value, want)}
	}
	if s.Transport == ICMP {
		return s.checkICMP()
	}
	if s.Transport == "" || s.Transport == TCP || s.Transport == RDMA {
		if s.UDP != (UDPOptions{}) {
			return bad("udp", "an option of UDP", "for the transport tcp")
		}
		return nil
	}
	least := 1280 // RFC 8200
	if s.Local.Is4() {
		least = 68 // RFC 791
	}
	switch u := s.UDP; {
	case s.Transport != UDP:
		return bad("transport", fmt.Sprintf("%.40q", s.Transport), "tcp, udp, icmp or rdma")
	case u.MTU != 0 && (u.MTU < least || u.MTU > 65536):
		return bad("mtu", u.MTU, fmt.Sprintf("a number from %d to 65536", least))
	case !slices.Contains([]string{"", UDPGSO, UDPMmsg, UDPPlain}, u.Send):
		return bad("udp send", fmt.Sprintf("%.40q", u.Send), "gso, mmsg or plain")
	case !slices.Contains([]string{"", UDPGRO, UDPMmsg, UDPPlain}, u.Receive):
		return bad("udp receive", fmt.Sprintf("%.40q", u.Receive), "gro, mmsg or plain")
	case s.Tuning.Gather > 1 || s.Tuning.label() != "A":
		return bad("copies", "a stream without copies or with gathered messages", "for UDP")
	}
	size := int(s.udpSize())
	switch {
	case size < stampSize:
		return &Error{Code: CodeLimit, Subject: "size",
			Text: fmt.Sprintf("%d bytes is below %d, what stream, number and time of a datagram take; ask for more", size, stampSize)}
	case size > mostPayload:
		return &Error{Code: CodeLimit, Subject: "size",
			Text: fmt.Sprintf("%d bytes is above %d, the most of one UDP datagram (RFC 768); ask for less", size, mostPayload)}
	case size > s.udpFits() && !s.UDP.Fragment:
		return tooLarge(size, s.udpFits(), fmt.Sprintf("the path's MTU of %d", s.udpFits()+s.udpHeaders()))
	}
	return nil
}

// tooLarge is the refusal of a message above a limit of the path.
func tooLarge(size, fits int, whose string) error {
	return &Error{Code: CodeLimit, Subject: "size",
		Text: fmt.Sprintf("a datagram of %d bytes is above %d, what %s leaves; ask for less, or for fragments (fragment: true)", size, fits, whose)}
}

// udpMemory is about what one end takes for one connection.
func (s Setup) udpMemory() unit.Bytes {
	n := unit.Bytes(receiveBatch*largestDatagram + seenDatagrams/8)
	if s.Method == "ping" {
		n = histogramMemory + 2*mostPayload + s.openMemory()
	}
	return n + 2*8*unit.Bytes(newWindow(0, s, 0).slices())
}

const (
	largestDatagram = 1 << 16
	// receiveBatch is how many buffers one call may fill when each may hold merged datagrams, sendBatch how many
	// datagrams one call hands over or takes when each is by itself.
	receiveBatch = 8
	sendBatch    = 32
)

// Datagrams is what one end of a UDP connection counted. A datagram belongs to the window if it was sent in the window
// of its sender, and carries a mark that says so: when it arrives makes no difference.
type Datagrams struct {
	Sent       int64   `json:"sent,omitempty"`       // of the window, handed to the kernel here
	Received   int64   `json:"received,omitempty"`   // of the window, each counted once, until the end of the experiment
	Reordered  int64   `json:"reordered,omitempty"`  // of these, behind one that was sent later
	Duplicated int64   `json:"duplicated,omitempty"` // of the window, once more
	Jitter     float64 `json:"jitter,omitempty"`     // RFC 3550 section 6.4.1, seconds, at the end of the window
	Reads      int64   `json:"reads,omitempty"`      // buffers that the kernel filled with what was received; merged datagrams are one
	Drops      *int64  `json:"drops,omitempty"`      // what the socket had no room for, in such buffers, from the first datagram to the end of the experiment, those that announce the end included; nil: unknown
	Arrived    int64   `json:"arrived,omitempty"`    // datagrams received, in the window or not, and what stood in the socket at the end of the experiment
	Gaps       int64   `json:"gaps,omitempty"`       // how often one or more numbers in a row did not come, in the window or not
	Scatter    float64 `json:"scatter,omitempty"`    // of the numbers from one gap to the next: variance by square of the mean; 0: too few gaps
	Total      int64   `json:"total,omitempty"`      // datagrams sent, in the window or not
	Buffer     int64   `json:"buffer,omitempty"`     // of the receiving socket, as the kernel accounts it; 0: unknown
	Send       string  `json:"send,omitempty"`       // how: gso, mmsg or plain
	Receive    string  `json:"receive,omitempty"`    // how: gro, mmsg or plain
	PerCall    int     `json:"per_call,omitempty"`   // datagrams handed over with one call
}

package udp

import (
	"cmp"
	"fmt"
	"slices"

	"linerate/internal/base/failure"
	"linerate/internal/traffic"
)

const (
	assumedMTU = 1500
	udpHeader  = 8
	// mostPayload is the longest payload of UDP's 16-bit length over IPv4 (RFC 768, RFC 791).
	mostPayload = 65535 - traffic.Ipv4Header - udpHeader
)

// headers returns the bytes of the headers in the MTU.
func headers(s traffic.Setup) int {
	if s.Local.Is6() {
		return traffic.Ipv6Header + udpHeader
	}
	return traffic.Ipv4Header + udpHeader
}

// fits returns the largest message that fits into one packet of the path.
func fits(s traffic.Setup) int {
	mtu := cmp.Or(s.UDP.MTU, assumedMTU)
	return min(mtu-headers(s), mostPayload)
}

// check reports what is wrong with what s asks of UDP, with messages of a size.
func check(s traffic.Setup, size int) error {
	least := 1280 // RFC 8200
	if s.Local.Is4() {
		least = 68 // RFC 791
	}
	switch u := s.UDP; {
	case !s.Listen && (len(s.Ports) != s.Connections() || slices.Contains(s.Ports, 0)):
		return traffic.Invalid("ports", fmt.Sprintf("a list of %d", len(s.Ports)),
			fmt.Sprintf("the other end's %d data ports", s.Connections()))
	case u.MTU != 0 && (u.MTU < least || u.MTU > 65536):
		return traffic.Invalid("mtu", u.MTU, fmt.Sprintf("a number from %d to 65536", least))
	case !slices.Contains([]string{"", traffic.UDPGSO, traffic.UDPMmsg, traffic.UDPPlain}, u.Send):
		return traffic.Invalid("udp send", fmt.Sprintf("%.40q", u.Send), "gso, mmsg or plain")
	case !slices.Contains([]string{"", traffic.UDPGRO, traffic.UDPMmsg, traffic.UDPPlain}, u.Receive):
		return traffic.Invalid("udp receive", fmt.Sprintf("%.40q", u.Receive), "gro, mmsg or plain")
	case s.Tuning.Gather > 1 || s.Tuning.Label() != "A":
		return traffic.Invalid("copies", "a stream without copies or with gathered messages", "for UDP")
	}
	if err := s.CheckToken(); err != nil {
		return err
	}
	switch {
	case size < traffic.StampSize:
		return &failure.Error{Code: failure.CodeLimit, Subject: "size",
			Text: fmt.Sprintf("%d bytes is below %d, what stream, number and time of a datagram take; ask for more", size,
				traffic.StampSize)}
	case size > mostPayload:
		return &failure.Error{Code: failure.CodeLimit, Subject: "size",
			Text: fmt.Sprintf("%d bytes is above %d, the most of one UDP datagram (RFC 768); ask for less", size, mostPayload)}
	case size > fits(s) && !s.UDP.Fragment:
		return tooLarge(size, fits(s), fmt.Sprintf("the path's MTU of %d", fits(s)+headers(s)))
	}
	return nil
}

// tooLarge is the refusal of a message above a limit of the path.
func tooLarge(size, fits int, whose string) error {
	return &failure.Error{Code: failure.CodeLimit, Subject: "size",
		Text: fmt.Sprintf("a datagram of %d bytes is above %d, what %s leaves; ask for less, or for fragments (fragment: "+
			"true)", size, fits, whose)}
}

const (
	// receiveBatch is the number of buffers of one call when each may hold merged datagrams, sendBatch the number of
	// datagrams of one call when each is by itself.
	receiveBatch = 8
	sendBatch    = 32
)

package collect

import (
	"encoding/binary"
)

// parseEchoReply returns the sequence number of an ICMP echo reply, or false. From a raw socket the reply must have the
// number id. A raw socket of IPv4 has the packet's own header before it.
func parseEchoReply(b []byte, six, raw bool, id uint16) (sequence uint16, ok bool) {
	reply := byte(0)
	if six {
		reply = 129
	}
	if raw && !six {
		if len(b) < 20 || len(b) < int(b[0]&15)*4 {
			return 0, false
		}
		b = b[int(b[0]&15)*4:]
	}
	if len(b) < 8 || b[0] != reply || raw && binary.BigEndian.Uint16(b[4:]) != id {
		return 0, false
	}
	return binary.BigEndian.Uint16(b[6:]), true
}

// arpRequest returns an ARP request for an address as a broadcast frame. Without a sender's address it is a probe (RFC
// 5227), which hosts do not treat as an announcement.
func arpRequest(mac [6]byte, sender, target [4]byte) []byte {
	b := []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	b = append(append(b, mac[:]...), 8, 6, 0, 1, 8, 0, 6, 4, 0, 1)
	b = append(append(b, mac[:]...), sender[:]...)
	return append(append(b, 0, 0, 0, 0, 0, 0), target[:]...)
}

// parseARP returns the sender of an Ethernet frame that claims an address: in a reply, a request or an announcement.
func parseARP(b []byte) (mac [6]byte, sender [4]byte, ok bool) {
	if len(b) < 42 || b[12] != 8 || b[13] != 6 || b[16] != 8 || b[17] != 0 || b[18] != 6 || b[19] != 4 {
		return mac, sender, false
	}
	copy(mac[:], b[22:28])
	copy(sender[:], b[28:32])
	return mac, sender, true
}

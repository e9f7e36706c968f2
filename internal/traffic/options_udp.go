package traffic

// The ways in which datagrams are handed to the kernel and taken from it.
const (
	UDPGSO   = "gso"   // one call, one large buffer that the kernel or the NIC divides (UDP_SEGMENT)
	UDPGRO   = "gro"   // several datagrams merged into one buffer (UDP_GRO)
	UDPMmsg  = "mmsg"  // several in one call (sendmmsg, recvmmsg)
	UDPPlain = "plain" // one call each
)

// UDPOptions are the settings of UDP alone.
type UDPOptions struct {
	MTU      int    `json:"mtu,omitempty"`      // of the path, for the default size and its check; 0: 1500
	Fragment bool   `json:"fragment,omitempty"` // messages above the MTU may be cut into IP fragments
	Send     string `json:"send,omitempty"`     // gso, mmsg or plain; empty: the first of them that works
	Receive  string `json:"receive,omitempty"`  // gro, mmsg or plain; empty: the first of them that works
}

// Datagrams is what one end of a UDP connection counted. A datagram belongs to the interval if it was sent in that of
// its sender, and carries a mark for it: the time of its arrival makes no difference.
type Datagrams struct {
	Sent       int64   `json:"sent,omitempty"`       // of the interval, handed to the kernel here
	Received   int64   `json:"received,omitempty"`   // of the interval, each counted once, until the end of the experiment
	Reordered  int64   `json:"reordered,omitempty"`  // of these, behind one that was sent later
	Duplicated int64   `json:"duplicated,omitempty"` // of the interval, once more
	Jitter     float64 `json:"jitter,omitempty"`     // RFC 3550 section 6.4.1, seconds, at the end of the interval
	// buffers that the kernel filled with what was received; merged datagrams are one
	Reads int64 `json:"reads,omitempty"`
	// such buffers that the socket had no room for, from the first datagram to the end of the experiment, those that
	// announce the end included; nil: unknown
	Drops *int64 `json:"drops,omitempty"`
	// datagrams received, in the interval or not, with those in the socket at the end of the experiment
	Arrived int64 `json:"arrived,omitempty"`
	// how often one or more numbers in a row did not come, in the interval or not
	Gaps int64 `json:"gaps,omitempty"`
	// of the numbers from one gap to the next: variance by square of the mean; 0: too few gaps
	Scatter float64 `json:"scatter,omitempty"`
	Total   int64   `json:"total,omitempty"`    // datagrams sent, in the interval or not
	Buffer  int64   `json:"buffer,omitempty"`   // of the receiving socket, as the kernel accounts it; 0: unknown
	Send    string  `json:"send,omitempty"`     // how: gso, mmsg or plain
	Receive string  `json:"receive,omitempty"`  // how: gro, mmsg or plain
	PerCall int     `json:"per_call,omitempty"` // datagrams handed over with one call
}

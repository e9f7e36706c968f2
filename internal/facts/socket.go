package facts

import (
	"net/netip"
)

// Socket is a connected TCP socket of ss.
type Socket struct {
	State string         `json:"state"` // ESTAB, CLOSE-WAIT, ..
	RecvQ uint64         `json:"recv_q"`
	SendQ uint64         `json:"send_q"` // bytes not yet read by the program; not yet acknowledged
	Local netip.AddrPort `json:"local"`
	Peer  netip.AddrPort `json:"peer"`
	// Memory is skmem by ss's letters: r and rb (receive buffer in use and its limit), t, tb and w (send), d (drops). Nil
	// if unknown.
	Memory            map[string]uint64 `json:"memory"`
	CongestionControl string            `json:"congestion_control"` // empty if unknown
	// Info is the kernel's tcp_info by ss's names, in seconds, bits per second, bytes and counts: rtt, minrtt, busy,
	// rwnd_limited, sndbuf_limited, cwnd, mss, unacked, notsent, snd_wnd, pacing_rate, delivery_rate, .. rtt is followed
	// by rttvar, retrans (now) by retrans_total, wscale by wscale_rcv, pacing_rate by pacing_rate_max. A missing value is
	// unknown, or zero if ss omits zeros.
	Info map[string]float64 `json:"info"`
	// Flags are ss's words without a value: ts, sack, ecn, app_limited.
	Flags map[string]bool `json:"flags"`
}

package traffic

import (
	"encoding/binary"

	"linerate/internal/record"
)

// Reading is the kernel's view of one socket at one moment.
type Reading struct {
	Info       []byte   // struct tcp_info as far as this kernel fills it
	Mem        []uint32 // SO_MEMINFO; nil: unknown
	InQ, OutQ  *int64   // bytes not read, bytes not acknowledged
	Congestion string
}

// TCPInfo reads fields of the kernel's struct tcp_info (include/uapi/linux/tcp.h) at their offsets. The struct grows
// with the kernel: a field beyond what this kernel fills is nil, which is not the same as zero.
type TCPInfo []byte

func (t TCPInfo) u8(at int) (byte, bool) {
	if at >= len(t) {
		return 0, false
	}
	return t[at], true
}

// U32 returns the field of 32 bits at an offset; nil: this kernel does not fill it.
func (t TCPInfo) U32(at int) *int64 {
	if at+4 > len(t) {
		return nil
	}
	v := int64(binary.NativeEndian.Uint32(t[at:]))
	return &v
}

// U64 returns the field of 64 bits at an offset; nil: this kernel does not fill it.
func (t TCPInfo) U64(at int) *uint64 {
	if at+8 > len(t) {
		return nil
	}
	v := binary.NativeEndian.Uint64(t[at:])
	return &v
}

// Offsets in struct tcp_info.
const (
	tcpiOptions       = 5 // TCPI_OPT_*
	tcpiScales        = 6 // snd_wscale in the low four bits
	tcpiFlags         = 7 // delivery_rate_app_limited is the lowest bit
	tcpiSndMSS        = 16
	TcpiUnacked       = 24
	tcpiPMTU          = 60
	TcpiRTT           = 68
	TcpiSndCwnd       = 80
	TcpiAdvMSS        = 84
	TcpiRcvRTT        = 92
	TcpiRcvSpace      = 96
	TcpiTotalRetrans  = 100
	TcpiPacingRate    = 104
	tcpiMaxPacingRate = 112
	TcpiBytesAcked    = 120
	TcpiBytesReceived = 128
	tcpiSegsOut       = 136
	tcpiSegsIn        = 140
	TcpiNotSent       = 144
	TcpiMinRTT        = 148
	TcpiDeliveryRate  = 160
	TcpiBusy          = 168
	TcpiRwndLimited   = 176
	TcpiSndbufLimited = 184
	tcpiDSACKDups     = 216
	tcpiReordSeen     = 220
	TcpiSndWnd        = 228
	TcpiRcvWnd        = 232

	optWindowScale = 4          // TCPI_OPT_WSCALE
	never          = 1<<32 - 1  // min_rtt before the first sample
	noPacing       = ^uint64(0) // max_pacing_rate that was never set
)

// Places in SO_MEMINFO (include/uapi/linux/sock_diag.h).
const (
	MemRmemAlloc  = 0
	MemRcvBuf     = 1
	MemWmemAlloc  = 2
	MemSndBuf     = 3
	MemWmemQueued = 5
)

// LittleEndian reports how the compiler of the kernel has laid out the bit fields.
func LittleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// socketRecord makes the record of a socket: counters from before to after, all else as it was at after. Nil if after
// is unknown.
func socketRecord(before, after *Reading) *record.Socket {
	if after == nil {
		return nil
	}
	if before == nil {
		before = &Reading{}
	}
	a, b := TCPInfo(before.Info), TCPInfo(after.Info)
	s := &record.Socket{BusySeconds: chrono(a, b, TcpiBusy), RwndLimited: chrono(a, b, TcpiRwndLimited),
		SndbufLimited: chrono(a, b, TcpiSndbufLimited), RTT: Micros(b.U32(TcpiRTT)), MinRTT: Micros(b.U32(TcpiMinRTT)),
		Cwnd: b.U32(TcpiSndCwnd), MSS: b.U32(tcpiSndMSS), AdvMSS: b.U32(TcpiAdvMSS), PathMTU: b.U32(tcpiPMTU),
		Unacked: b.U32(TcpiUnacked), NotSent: b.U32(TcpiNotSent), SndWnd: b.U32(TcpiSndWnd), RcvSpace: b.U32(TcpiRcvSpace),
		RcvWnd: b.U32(TcpiRcvWnd), Retrans: Count32(a, b, TcpiTotalRetrans), DSACKDups: Count32(a, b, tcpiDSACKDups),
		ReordSeen: Count32(a, b, tcpiReordSeen), SegsOut: Count32(a, b, tcpiSegsOut), SegsIn: Count32(a, b, tcpiSegsIn),
		BytesAcked: Count64(a, b, TcpiBytesAcked), PacingRate: Pacing(b, TcpiPacingRate),
		MaxPacingRate: Pacing(b, tcpiMaxPacingRate), WmemQueued: after.Memory(MemWmemQueued),
		WmemAlloc: after.Memory(MemWmemAlloc), SndBuf: after.Memory(MemSndBuf), RmemAlloc: after.Memory(MemRmemAlloc),
		RcvBuf: after.Memory(MemRcvBuf), RecvQ: after.InQ, SendQ: after.OutQ, Congestion: after.Congestion}
	options, ok := b.u8(tcpiOptions)
	scales, _ := b.u8(tcpiScales)
	flags, okFlags := b.u8(tcpiFlags)
	if ok && LittleEndian() {
		scale := int64(-1)
		if options&optWindowScale != 0 {
			scale = int64(scales & 15)
		}
		s.WindowScale = &scale
	}
	if okFlags && len(b) > TcpiBusy && LittleEndian() {
		limited := flags&1 != 0
		s.AppLimited = &limited
	}
	return s
}

// Socket returns the record of a flow's socket; of one that is not watched in full only what was read at the edges.
func (t *Flow) Socket() *record.Socket {
	s := socketRecord(t.Before, t.After)
	if s == nil || !t.Short {
		return s
	}
	return &record.Socket{BusySeconds: s.BusySeconds, RwndLimited: s.RwndLimited, SndbufLimited: s.SndbufLimited,
		RTT: s.RTT, Cwnd: s.Cwnd, Retrans: s.Retrans}
}

// Memory returns the value at a place of SO_MEMINFO; nil: unknown.
func (r *Reading) Memory(i int) *int64 {
	if i >= len(r.Mem) {
		return nil
	}
	v := int64(r.Mem[i])
	return &v
}

// chrono returns the growth of a clock of the kernel, in seconds.
func chrono(a, b TCPInfo, at int) *float64 {
	x, y := a.U64(at), b.U64(at)
	if x == nil || y == nil || *y < *x {
		return nil
	}
	v := float64(*y-*x) / 1e6
	return &v
}

// Micros returns microseconds as seconds; nil: there are none.
func Micros(v *int64) *float64 {
	if v == nil || *v == 0 || *v == never {
		return nil
	}
	s := float64(*v) / 1e6
	return &s
}

// Count32 returns the growth of a counter of 32 bits from a to b; nil: one of them does not have it.
func Count32(a, b TCPInfo, at int) *int64 {
	x, y := a.U32(at), b.U32(at)
	if x == nil || y == nil {
		return nil
	}
	v := int64(uint32(*y) - uint32(*x)) // the kernel's counter wraps
	return &v
}

// Count64 returns the growth of a counter of 64 bits from a to b; nil: one of them does not have it, or it shrank.
func Count64(a, b TCPInfo, at int) *int64 {
	x, y := a.U64(at), b.U64(at)
	if x == nil || y == nil || *y < *x {
		return nil
	}
	v := int64(*y - *x)
	return &v
}

// Pacing returns a rate in bits per second; nil: there is none.
func Pacing(t TCPInfo, at int) *float64 {
	v := t.U64(at)
	if v == nil || *v == noPacing || *v == never {
		return nil
	}
	r := float64(*v) * 8
	return &r
}

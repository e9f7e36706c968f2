package traffic

import (
	"encoding/binary"

	"linerate/internal/record"
)

// reading is the kernel's view of one socket at one moment.
type reading struct {
	info       []byte   // struct tcp_info as far as this kernel fills it
	mem        []uint32 // SO_MEMINFO; nil: unknown
	inQ, outQ  *int64   // bytes not read, bytes not acknowledged
	congestion string
}

// tcpInfo reads fields of the kernel's struct tcp_info (include/uapi/linux/tcp.h) at their offsets. The struct grows
// with the kernel: a field beyond what this kernel fills is nil, which is not the same as zero.
type tcpInfo []byte

func (t tcpInfo) u8(at int) (byte, bool) {
	if at >= len(t) {
		return 0, false
	}
	return t[at], true
}

func (t tcpInfo) u32(at int) *int64 {
	if at+4 > len(t) {
		return nil
	}
	v := int64(binary.NativeEndian.Uint32(t[at:]))
	return &v
}

func (t tcpInfo) u64(at int) *uint64 {
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
	tcpiUnacked       = 24
	tcpiPMTU          = 60
	tcpiRTT           = 68
	tcpiSndCwnd       = 80
	tcpiAdvMSS        = 84
	tcpiRcvRTT        = 92
	tcpiRcvSpace      = 96
	tcpiTotalRetrans  = 100
	tcpiPacingRate    = 104
	tcpiMaxPacingRate = 112
	tcpiBytesAcked    = 120
	tcpiBytesReceived = 128
	tcpiSegsOut       = 136
	tcpiSegsIn        = 140
	tcpiNotSent       = 144
	tcpiMinRTT        = 148
	tcpiDeliveryRate  = 160
	tcpiBusy          = 168
	tcpiRwndLimited   = 176
	tcpiSndbufLimited = 184
	tcpiDSACKDups     = 216
	tcpiReordSeen     = 220
	tcpiSndWnd        = 228
	tcpiRcvWnd        = 232

	optWindowScale = 4          // TCPI_OPT_WSCALE
	never          = 1<<32 - 1  // min_rtt before the first sample
	noPacing       = ^uint64(0) // max_pacing_rate that nobody set
)

// Places in SO_MEMINFO (include/uapi/linux/sock_diag.h).
const (
	memRmemAlloc  = 0
	memRcvBuf     = 1
	memWmemAlloc  = 2
	memSndBuf     = 3
	memWmemQueued = 5
)

// littleEndian says how the compiler of the kernel has laid out the bit fields.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// socket is the record of a socket: counters from before to after, all else as it was at after. Nil if after is unknown.
func socket(before, after *reading) *record.Socket {
	if after == nil {
		return nil
	}
	if before == nil {
		before = &reading{}
	}
	a, b := tcpInfo(before.info), tcpInfo(after.info)
	s := &record.Socket{
		BusySeconds:   chrono(a, b, tcpiBusy),
		RwndLimited:   chrono(a, b, tcpiRwndLimited),
		SndbufLimited: chrono(a, b, tcpiSndbufLimited),
		RTT:           micros(b.u32(tcpiRTT)),
		MinRTT:        micros(b.u32(tcpiMinRTT)),
		Cwnd:          b.u32(tcpiSndCwnd),
		MSS:           b.u32(tcpiSndMSS),
		AdvMSS:        b.u32(tcpiAdvMSS),
		PathMTU:       b.u32(tcpiPMTU),
		Unacked:       b.u32(tcpiUnacked),
		NotSent:       b.u32(tcpiNotSent),
		SndWnd:        b.u32(tcpiSndWnd),
		RcvSpace:      b.u32(tcpiRcvSpace),
		RcvWnd:        b.u32(tcpiRcvWnd),
		Retrans:       count32(a, b, tcpiTotalRetrans),
		DSACKDups:     count32(a, b, tcpiDSACKDups),
		ReordSeen:     count32(a, b, tcpiReordSeen),
		SegsOut:       count32(a, b, tcpiSegsOut),
		SegsIn:        count32(a, b, tcpiSegsIn),
		BytesAcked:    count64(a, b, tcpiBytesAcked),
		PacingRate:    pacing(b, tcpiPacingRate),
		MaxPacingRate: pacing(b, tcpiMaxPacingRate),
		WmemQueued:    after.memory(memWmemQueued),
		WmemAlloc:     after.memory(memWmemAlloc),
		SndBuf:        after.memory(memSndBuf),
		RmemAlloc:     after.memory(memRmemAlloc),
		RcvBuf:        after.memory(memRcvBuf),
		RecvQ:         after.inQ,
		SendQ:         after.outQ,
		Congestion:    after.congestion,
	}
	options, ok := b.u8(tcpiOptions)
	scales, _ := b.u8(tcpiScales)
	flags, okFlags := b.u8(tcpiFlags)
	if ok && littleEndian() {
		scale := int64(-1)
		if options&optWindowScale != 0 {
			scale = int64(scales & 15)
		}
		s.WindowScale = &scale
	}
	if okFlags && len(b) > tcpiBusy && littleEndian() {
		limited := flags&1 != 0
		s.AppLimited = &limited
	}
	return s
}

// socket is the record of a task's socket; of one that is not watched in full only what was asked of it at the edges.
func (t *task) socket() *record.Socket {
	s := socket(t.before, t.after)
	if s == nil || !t.short {
		return s
	}
	return &record.Socket{BusySeconds: s.BusySeconds, RwndLimited: s.RwndLimited, SndbufLimited: s.SndbufLimited, RTT: s.RTT, Cwnd: s.Cwnd, Retrans: s.Retrans}
}

func (r *reading) memory(i int) *int64 {
	if i >= len(r.mem) {
		return nil
	}
	v := int64(r.mem[i])
	return &v
}

// chrono is a clock of the kernel in microseconds, as seconds since before.
func chrono(a, b tcpInfo, at int) *float64 {
	x, y := a.u64(at), b.u64(at)
	if x == nil || y == nil || *y < *x {
		return nil
	}
	v := float64(*y-*x) / 1e6
	return &v
}

func micros(v *int64) *float64 {
	if v == nil || *v == 0 || *v == never {
		return nil
	}
	s := float64(*v) / 1e6
	return &s
}

func count32(a, b tcpInfo, at int) *int64 {
	x, y := a.u32(at), b.u32(at)
	if x == nil || y == nil {
		return nil
	}
	v := int64(uint32(*y) - uint32(*x)) // the kernel's counter wraps
	return &v
}

func count64(a, b tcpInfo, at int) *int64 {
	x, y := a.u64(at), b.u64(at)
	if x == nil || y == nil || *y < *x {
		return nil
	}
	v := int64(*y - *x)
	return &v
}

// pacing is a rate in bits per second; nil if there is none.
func pacing(t tcpInfo, at int) *float64 {
	v := t.u64(at)
	if v == nil || *v == noPacing || *v == never {
		return nil
	}
	r := float64(*v) * 8
	return &r
}

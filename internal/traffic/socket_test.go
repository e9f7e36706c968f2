package traffic

import (
	"encoding/binary"
	"testing"

	"linerate/internal/record"
)

// infoWith is a struct tcp_info of a length, with values at offsets.
func infoWith(length int, values map[int]uint32) []byte {
	b := make([]byte, length)
	for at, v := range values {
		binary.NativeEndian.PutUint32(b[at:], v)
	}
	return b
}

func TestSocket(t *testing.T) {
	before := &Reading{Info: infoWith(240, map[int]uint32{TcpiTotalRetrans: 1<<32 - 2, TcpiBusy: 1_000_000,
		tcpiSegsOut: 10})}
	info := infoWith(240, map[int]uint32{TcpiTotalRetrans: 3, TcpiBusy: 1_500_000, tcpiSegsOut: 40, TcpiRTT: 25_700,
		TcpiMinRTT: never, TcpiSndWnd: 47_348, tcpiMaxPacingRate: 1<<32 - 1, tcpiMaxPacingRate + 4: 1<<32 - 1,
		TcpiPacingRate: 1000})
	if LittleEndian() {
		info[tcpiOptions], info[tcpiScales], info[tcpiFlags] = optWindowScale, 0x97, 1
	}
	inQ := int64(7)
	s := socketRecord(before, &Reading{Info: info, Mem: []uint32{1, 2, 3, 4, 5, 6}, InQ: &inQ, Congestion: "reno"})
	for name, c := range map[string]struct{ got, want *int64 }{
		"retrans across the counter's wrap": {s.Retrans, ptr(int64(5))},
		"segs_out":                          {s.SegsOut, ptr(int64(30))},
		"snd_wnd":                           {s.SndWnd, ptr(int64(47_348))},
		"recv_q":                            {s.RecvQ, &inQ},
		"send_q":                            {s.SendQ, nil},
		"rcvbuf":                            {s.RcvBuf, ptr(int64(2))},
		"sndbuf":                            {s.SndBuf, ptr(int64(4))},
		"wmem_queued":                       {s.WmemQueued, ptr(int64(6))},
	} {
		if (c.got == nil) != (c.want == nil) || c.got != nil && *c.got != *c.want {
			t.Errorf("%s: %v, want %v", name, deref(c.got), deref(c.want))
		}
	}
	if s.BusySeconds == nil || *s.BusySeconds != 0.5 || s.RTT == nil || *s.RTT != 0.0257 || s.MinRTT != nil ||
		s.MaxPacingRate != nil || *s.PacingRate != 8000 {
		t.Errorf("busy %v rtt %v min_rtt %v pacing %v of %v", s.BusySeconds, s.RTT, s.MinRTT, s.PacingRate, s.MaxPacingRate)
	}
	if LittleEndian() && (s.WindowScale == nil || *s.WindowScale != 7 || s.AppLimited == nil || !*s.AppLimited) {
		t.Errorf("window scale %v, app limited %v", deref(s.WindowScale), s.AppLimited)
	}
	info[tcpiOptions] = 0
	if s := socketRecord(before, &Reading{Info: info}); LittleEndian() && *s.WindowScale != -1 {
		t.Errorf("window scaling off: %d", *s.WindowScale)
	}
}

// An old kernel fills less of the struct: what is not there is unknown, not zero.
func TestSocketOfOldKernel(t *testing.T) {
	old := &Reading{Info: infoWith(104, map[int]uint32{TcpiRTT: 100, TcpiSndCwnd: 10})}
	s := socketRecord(old, old)
	if s.RTT == nil || s.Cwnd == nil || s.Retrans == nil {
		t.Errorf("what is there is not read: %+v", s)
	}
	if s.BusySeconds != nil || s.RwndLimited != nil || s.AppLimited != nil || s.SndWnd != nil || s.BytesAcked != nil ||
		s.PacingRate != nil || s.RmemAlloc != nil {
		t.Errorf("what is not there has a value: %+v", s)
	}
	if socketRecord(nil, nil) != nil {
		t.Error("a socket that was never asked has a record")
	}
	if s := socketRecord(nil, old); s.Retrans != nil || s.RTT == nil {
		t.Error("a counter without its first reading has a value")
	}
}

func FuzzSocket(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(make([]byte, 104), make([]byte, 280))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		s := socketRecord(&Reading{Info: a}, &Reading{Info: b})
		for _, v := range []*float64{s.BusySeconds, s.RwndLimited, s.RTT, s.PacingRate} {
			if v != nil && !(*v >= 0) {
				t.Errorf("%v", *v)
			}
		}
		_ = record.Stream{Socket: s}
	})
}

func ptr[T any](v T) *T { return &v }

func deref(v *int64) any {
	if v == nil {
		return "unknown"
	}
	return *v
}

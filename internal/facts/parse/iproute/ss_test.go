package iproute

import (
	"testing"
)

func TestParseSS(t *testing.T) {
	text := `Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess
udp   UNCONN 0      0      0.0.0.0:50305      0.0.0.0:*    users:(("host",pid=1,fd=2)) ino:6 sk:1 <->
tcp   LISTEN 0      128    *:22      *:*
tcp   ESTAB  33554432 12   [fe80::1]%e0:5201 [fe80::2]%e0:40000 timer:(on,200ms,0) ino:5 sk:2
	 skmem:(r33554432,rb33554432,t0,tb87040,f0,w0,o0,bl0,d3) ts sack ecn cubic wscale:7,9 rto:204 rtt:0.057/0.033 mss:8948 cwnd:10 ssthresh:7 send 12.5Gbps pacing_rate 300Mbps/400Mbps retrans:0/21 dsack_dups:20 app_limited busy:3750ms rwnd_limited:2437ms(65.0%) sndbuf_limited:4ms(0.1%) minrtt:0.003
`
	sockets, err := parseSS([]byte(text))
	if err != nil || len(sockets) != 1 {
		t.Fatalf("%+v, %v", sockets, err)
	}
	s := sockets[0]
	if s.RecvQ != 33554432 || s.SendQ != 12 || s.Local.String() != "[fe80::1%e0]:5201" ||
		s.CongestionControl != "cubic" || s.Memory["d"] != 3 || s.Memory["rb"] != 33554432 ||
		!s.Flags["app_limited"] || !s.Flags["ts"] || s.Flags["fastopen"] {
		t.Errorf("%+v", s)
	}
	for name, want := range map[string]float64{"busy": 3.75, "rwnd_limited": 2.437, "sndbuf_limited": 0.004, "retrans": 0,
		"retrans_total": 21, "dsack_dups": 20, "wscale": 7, "wscale_rcv": 9, "send": 12.5e9, "pacing_rate": 300e6,
		"pacing_rate_max": 400e6, "rto": 0.204, "mss": 8948} {
		if got, ok := s.Info[name]; !ok || got < want*0.999999 || got > want*1.000001 {
			t.Errorf("%s is %v, %v; want %v", name, got, ok, want)
		}
	}
	if empty, err := parseSS([]byte("State Recv-Q Send-Q Local Address:Port Peer Address:Port\n")); err != nil ||
		empty == nil || len(empty) != 0 {
		t.Errorf("no socket: %v, %v", empty, err)
	}
	for _, bad := range []string{"", "ss: command not found\n", " rtt:1\n"} {
		if s, err := parseSS([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, s)
		}
	}
}

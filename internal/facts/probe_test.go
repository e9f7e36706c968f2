package facts

import (
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestParseProbes(t *testing.T) {
	p := load(t, "host.txtar").Probes
	a, b := netip.MustParseAddr("10.1.0.2"), netip.MustParseAddr("10.2.0.2")
	if w, ok := p.Way(a); !ok || w.Interface != "e1" || w.Gateway.IsValid() || w.From.String() != "10.1.0.1" || w.Line != "10.1.0.2 dev e1 src 10.1.0.1 uid 0" {
		t.Errorf("%+v", w)
	}
	if w, ok := p.Way(b); !ok || w.Interface != "lan" || w.Gateway.String() != "192.168.7.254" {
		t.Errorf("%+v", w)
	}
	if v, ok := p.Path(a); !ok || v.Asked != 9000 || v.Through.Or(0) != 1500 || v.TooBig || v.RTT.Or(0) != 202*time.Microsecond || v.Line != "size 9000 silent" {
		t.Errorf("%+v", v)
	}
	if v, ok := p.Path(netip.MustParseAddr("fd00::2")); !ok || !v.TooBig || v.Through.Or(0) != 84 {
		t.Errorf("%+v", v)
	}
	if o := p.Owners; len(o) != 2 || strings.Join(o[0].Answers, " ") != "62:9a:0b:b5:df:38 96:5f:4d:43:0b:04" || o[0].Own || !o[1].Own || len(o[1].Answers) != 0 || o[0].Interface != "e1" {
		t.Errorf("%+v", o)
	}
	f, err := Parse(append([]byte("host h\n"), NotProbed([]ProbeTarget{{a, 9000}}, "no\nway")...))
	if err != nil || len(f.Unknown) != 1 || f.Unknown[0] != (Unknown{"probe mtu 10.1.0.2", "no way"}) {
		t.Errorf("%v %+v", err, f)
	}
}

func TestEchoReply(t *testing.T) {
	reply := []byte{0, 0, 0, 0, 0, 7, 1, 2, 9}
	header := make([]byte, 24)
	header[0] = 0x46
	for _, c := range []struct {
		b        []byte
		six, raw bool
		id, want uint16
		ok       bool
	}{
		{reply, false, false, 99, 258, true}, {reply, false, true, 7, 0, false}, {append(header, reply...), false, true, 7, 258, true},
		{append(header, reply...), false, true, 8, 0, false}, {reply[:7], false, false, 0, 0, false}, {reply, true, false, 0, 0, false}, {nil, false, true, 0, 0, false},
		{append([]byte{129}, reply[1:]...), true, true, 7, 258, true},
	} {
		if got, ok := parseEchoReply(c.b, c.six, c.raw, c.id); ok != c.ok || ok && got != c.want {
			t.Errorf("%v is %d, %v", c, got, ok)
		}
	}
}

func TestARPFrames(t *testing.T) {
	mac := [6]byte{2, 0, 0, 0, 0, 1}
	b := arpRequest(mac, [4]byte{10, 0, 0, 1}, [4]byte{10, 0, 0, 2})
	if len(b) != 42 {
		t.Fatal(len(b))
	}
	if m, sender, ok := parseARP(b); !ok || m != mac || sender != [4]byte{10, 0, 0, 1} {
		t.Errorf("%v %v %v", m, sender, ok)
	}
	if _, _, ok := parseARP(b[:41]); ok {
		t.Error("a frame that is cut was taken")
	}
}

func FuzzProbes(f *testing.F) {
	f.Add([]byte("rtt 0.1\nsize 84 answered\nsize 9000 silent\nanswer 02:00:00:00:00:01\n10.1.0.2 dev e1 src 10.1.0.1\n"))
	f.Add([]byte(notTried + "x"))
	f.Fuzz(func(t *testing.T, text []byte) {
		v := new(Facts)
		_ = readPathProbe(v, []string{"10.0.0.1"}, text)
		_ = readOwnerProbe(v, []string{"10.0.0.1", "e0"}, text)
		_ = readWay(v, []string{"10.0.0.1"}, text)
		for _, p := range v.Probes.Paths {
			if p.Asked <= 0 || p.Through.Or(0) > p.Asked {
				t.Fatal(p)
			}
		}
		parseEchoReply(text, false, true, 0)
		parseARP(text)
	})
}

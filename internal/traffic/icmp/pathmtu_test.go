package icmp

import (
	"errors"
	"math/rand/v2"
	"testing"
)

// A path of one MTU is found exactly, whether a hop says what fits, only that it does not, or nothing, and when packets
// are lost; what the search costs is bounded.
func TestSearchMTU(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name               string
		path, device, says int // says: the MTU that the hop names; -1: nothing comes back
		loss               float64
		rounds             int
	}{
		{"whole", 9000, 9000, -1, 0, 1}, {"named", 1500, 9000, 1500, 0, 4}, {"silent", 1500, 9000, -1, 0, 10},
		{"odd", 1433, 1500, -1, 0, 14},
		{"no number", 1450, 9000, 0, 0, 20}, {"lossy", 1500, 1500, -1, 0.05, 3}, {"jumbo", 8950, 65535, -1, 0, 20},
		{"smallest", 68, 1500, 68, 0, 10},
		{"wrong number", 1400, 9000, 1300, 0, 20}, {"larger number", 1400, 9000, 5000, 0, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			rounds := 0
			m, err := searchMTU(68, c.device, func(sizes []int) (a answerOf, err error) {
				rounds++
				for _, n := range sizes {
					if n < 68 || n > c.device {
						t.Errorf("a packet of %d bytes", n)
					}
					switch {
					case n > c.path && c.says >= 0:
						a.hop, a.mtu = "10.0.0.9", c.says
					case n <= c.path && random.Float64() >= c.loss:
						a.back = append(a.back, n)
					}
				}
				return a, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			fails := 0
			if c.path < c.device {
				fails = c.path + 1
			}
			if m.Bytes != c.path || m.Fails != fails || m.Device != c.device ||
				m.Silent != (c.path < c.device && c.says < 0) || (m.Hop != "") != (c.says >= 0) {
				t.Errorf("%+v", m)
			}
			if rounds > c.rounds {
				t.Errorf("%d rounds, %d packets", rounds, m.Tried)
			}
		})
	}
	m, err := searchMTU(1280, 9000, func([]int) (answerOf, error) { return answerOf{}, nil })
	if err != nil || m.Bytes != 0 || m.Why == "" || m.Silent {
		t.Errorf("nothing comes back: %+v, %v", m, err)
	}
	if _, err := searchMTU(68, 9000, func([]int) (answerOf, error) { return answerOf{}, errors.New("x") }); err == nil {
		t.Error("an error was lost")
	}
}

func TestEcho(t *testing.T) {
	b := append(make([]byte, icmpHeader), "payload"...)
	putEcho(b, false, 7, 9)
	if checksum(b) != 0 || b[0] != echoRequest4 {
		t.Errorf("% x", b)
	}
	if _, ok := parseEcho(b, false, false, 7); ok {
		t.Error("a request was taken for a reply")
	}
	b[0] = echoReply4
	if p, ok := parseEcho(b, false, false, 1); !ok || string(p) != "payload" {
		t.Errorf("%q, %v", p, ok)
	}
	raw := append([]byte{0x46, 23: 0}, b...)
	if p, ok := parseEcho(raw, false, true, 7); !ok || string(p) != "payload" {
		t.Errorf("raw: %q, %v", p, ok)
	}
	if _, ok := parseEcho(raw, false, true, 8); ok {
		t.Error("a reply to another program")
	}
	b[0] = echoReply6
	if p, ok := parseEcho(b, true, true, 7); !ok || string(p) != "payload" {
		t.Errorf("IPv6: %q, %v", p, ok)
	}
}

func FuzzParseEcho(f *testing.F) {
	f.Add([]byte{0x45, 19: 0, 20: 0, 28: 1}, false, true)
	f.Add([]byte{129, 0, 0, 0, 0, 7, 0, 0, 1}, true, false)
	f.Add([]byte{}, false, true)
	f.Fuzz(func(t *testing.T, b []byte, six, raw bool) {
		if p, ok := parseEcho(b, six, raw, 7); ok && len(p) > len(b)-icmpHeader {
			t.Errorf("%d bytes out of %d", len(p), len(b))
		}
	})
}

package layout

import (
	"math"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/ceiling"
)

func TestChooseScale(t *testing.T) {
	for _, c := range []struct {
		calibrated, busy unit.BitRate
		want             string
		enough           bool
	}{
		{80e9, 20e9, "1/1", true}, // exactly a quarter
		{80e9, 20.1e9, "1/2", true},
		{80e9, 80e9, "1/4", true},
		{80e9, 200e9, "1/10", true},
		{80e9, 200.1e9, "1/20", true},
		{2e9, 600e9, "1/1000", false},
		{2e9, 500e9, "1/1000", true},
		{10e9, 0, "1/1", true}, // no link has a known speed
	} {
		got, enough := ChooseScale(c.calibrated, c.busy)
		if unit.Scale(got) != c.want || enough != c.enough {
			t.Errorf("chooseScale(%v, %v) = %s, %v, want %s, %v", c.calibrated, c.busy, unit.Scale(got), enough, c.want,
				c.enough)
		}
	}
	if got := unit.Scale(0.3); got != "0.3" {
		t.Errorf("unit.Scale(0.3) = %q", got)
	}
}

// A full frame must take as long through the token bucket as on the wire: the bucket's count over its rate equals the
// wire's count over the link's.
func TestShapedRate(t *testing.T) {
	for _, c := range []struct {
		speed unit.BitRate
		scale float64
		mtu   int
		want  float64
	}{
		{10e9, 1, 1500, 9.843953e9},
		{10e9, 0.1, 1500, 0.9843953e9},
		{10e9, 1, 9000, 9.973446e9},
		{100e9, 0.01, 4200, 0.994337e9},
	} {
		got := float64(ShapedRate(c.speed, c.scale, c.mtu))
		if math.Abs(got/c.want-1) > 1e-6 {
			t.Errorf("shapedRate(%v, %g, %d) = %.0f, want %.0f", c.speed, c.scale, c.mtu, got, c.want)
		}
		frame := float64(c.mtu+14) * 8 / got
		wire := float64(c.mtu+38) * 8 / (float64(c.speed) * c.scale)
		if math.Abs(frame/wire-1) > 1e-9 {
			t.Errorf("MTU %d: a frame takes %g s, on the wire %g s", c.mtu, frame, wire)
		}
	}
}

func TestBucket(t *testing.T) {
	// 64 KiB of payload in segments of MSS 536, the smallest, each with 66 bytes of headers.
	const super = 65536 + 65536/536*66
	for _, rate := range []unit.BitRate{3e8, 1e9, 1e10, 1e11, 4e11} {
		burst, queue := ceiling.Bucket(rate, 1500)
		if burst < super || queue < 4*super {
			t.Errorf("%v: burst %d, queue %d: too small for super-packets of %d", rate, burst, queue, super)
		}
	}
	for _, mtu := range []int{1500, 9000, 65520} {
		for rate := unit.BitRate(1e5); rate < 1e12; rate *= 1.5 {
			burst, queue := ceiling.Bucket(rate, mtu)
			if int(burst) < 2*mtu || int(queue) < 16*mtu {
				t.Errorf("%v, MTU %d: burst %d, queue %d: too small for frames", rate, mtu, burst, queue)
			}
			if over := float64(burst) * 8 / float64(rate); over > 0.0041 && int(burst) > 2*(mtu+14) {
				t.Errorf("%v, MTU %d: a burst of %.1f ms: a second would read %.1f %% too much", rate, mtu, over*1e3, over*100)
			}
		}
	}
}

package ceiling

import (
	"math"
	"testing"

	"linerate/internal/base/unit"
)

// TestPFCHeadroom expects the values of the formula with SONiC's own parameters.
func TestPFCHeadroom(t *testing.T) {
	for _, x := range []struct {
		gbps, metres float64
		xoff, size   unit.Bytes
	}{
		{10, 5, 15360, 34816}, {25, 5, 16384, 35840}, {40, 5, 19456, 38912},
		{100, 5, 36864, 56320}, {100, 40, 41984, 61440}, {100, 300, 74752, 94208},
	} {
		xoff, size, err := PFCHeadroom(UsualHeadroom(unit.BitRate(x.gbps*1e9), x.metres))
		if err != nil || xoff != x.xoff || size != x.size {
			t.Errorf("%g Gb/s over %g m: Xoff %d, size %d, %v; want %d and %d", x.gbps, x.metres, xoff, size, err, x.xoff,
				x.size)
		}
	}
	// SONiC's table for the SN2700 was made with other parameters. The estimate is within 30 % of it up to 40 m, and a
	// third below it at 300 m.
	for _, x := range []struct{ gbps, metres, size float64 }{
		{10, 5, 49152}, {25, 5, 49152}, {40, 5, 49152}, {100, 5, 50176}, {10, 40, 49152}, {25, 40, 51200}, {40, 40, 52224},
		{100, 40, 58368}, {10, 300, 56320}, {25, 300, 67584}, {40, 300, 78848}, {100, 300, 123904},
	} {
		_, size, err := PFCHeadroom(UsualHeadroom(unit.BitRate(x.gbps*1e9), x.metres))
		limit := 0.30
		if x.metres > 40 {
			limit = 0.34
		}
		if d := math.Abs(float64(size)-x.size) / x.size; err != nil || d > limit {
			t.Errorf("%g Gb/s over %g m: %d is %.0f %% from the shipped %g (%v)", x.gbps, x.metres, size, 100*d, x.size, err)
		}
	}
}

func TestPFCHeadroomGrows(t *testing.T) {
	base := UsualHeadroom(100e9, 10)
	_, size, err := PFCHeadroom(base)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Headroom){"longer": func(h *Headroom) { h.Metres = 300 },
		"faster": func(h *Headroom) { h.Rate = 400e9 }, "small": func(h *Headroom) { h.SmallPackets = 1 },
		"cells": func(h *Headroom) { h.SmallPackets, h.Cell = 1, 208 }, "gearbox": func(h *Headroom) { h.Gearbox = 5000 },
		"frames": func(h *Headroom) { h.PortMTU = 16000 }} {
		h := base
		change(&h)
		if _, more, err := PFCHeadroom(h); err != nil || more <= size {
			t.Errorf("%s: %d, not above %d (%v)", name, more, size, err)
		}
	}
}

func TestPFCHeadroomRefuses(t *testing.T) {
	for name, change := range map[string]func(*Headroom){"no rate": func(h *Headroom) { h.Rate = 0 },
		"800 Gb/s": func(h *Headroom) { h.Rate = 800e9 }, "minus 1 m": func(h *Headroom) { h.Metres = -1 },
		"NaN m":        func(h *Headroom) { h.Metres = math.NaN() },
		"endless":      func(h *Headroom) { h.Metres = math.Inf(1) },
		"share of two": func(h *Headroom) { h.SmallPackets = 2 }, "no cell": func(h *Headroom) { h.Cell = 0 },
		"no frames": func(h *Headroom) { h.PortMTU = 0 }, "negative Xon": func(h *Headroom) { h.Xon = -1 },
		"no losslessMT": func(h *Headroom) { h.LosslessMTU = 0 }} {
		h := UsualHeadroom(100e9, 10)
		change(&h)
		if _, _, err := PFCHeadroom(h); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

package ceiling

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

// slotFigures are the rates of one slot in Gb/s; lists are for a MaxPayload of 128, 256 and 512. 0: no reference value
// is known.
type slotFigures struct {
	slot        string
	raw, kernel float64
	tlp256      float64
	write, read [3]float64
	both256     float64
}

var slots = []slotFigures{
	{"1.1x4", 8, 8, 6.89, [3]float64{5.24, 6.30, 6.83}, [3]float64{5.38, 6.39, 6.88}, 6.04},
	{"1.1x8", 16, 16, 13.57, [3]float64{10.22, 12.40, 12.40}, [3]float64{10.50, 12.58, 12.49}, 11.89},
	{"2.0x4", 16, 16, 14.44, [3]float64{11.70, 13.21, 14.05}, [3]float64{12.02, 13.40, 14.16}, 12.66},
	{"2.0x8", 32, 32, 28.68, [3]float64{23.22, 26.22, 26.92}, [3]float64{23.85, 26.60, 27.12}, 25.14},
	{"3.0x1", 7.877, 7.876, 7.61, [3]float64{6.30, 6.96, 7.32}, [3]float64{6.47, 7.06, 7.38}, 6.67},
	{"3.0x2", 15.754, 15.752, 14.91, [3]float64{12.28, 13.63, 14.38}, [3]float64{12.62, 13.83, 14.49}, 13.07},
	{"3.0x4", 31.508, 31.504, 29.07, [3]float64{23.95, 26.58, 28.09}, [3]float64{24.60, 26.96, 28.30}, 25.49},
	{"3.0x8", 63.015, 63.008, 57.88, [3]float64{47.72, 52.92, 54.75}, [3]float64{49.01, 53.69, 55.16}, 50.75},
	{"3.0x16", 126.031, 126.016, 113.70, [3]float64{94.06, 103.95, 109.49}, [3]float64{96.61, 105.46, 110.31}, 99.68},
	{"4.0x4", 63.015, 63.012, 58.14, [3]float64{47.90, 53.16, 56.18}, [3]float64{49.20, 53.93, 56.61}, 50.97},
	{"4.0x8", 126.031, 126.024, 115.77, [3]float64{95.44, 105.85, 109.49}, [3]float64{98.02, 107.38, 110.31}, 101.50},
	{"4.0x16", 252.062, 252.048, 227.40, [3]float64{0, 207.91, 0}, [3]float64{0, 210.92, 0}, 199.36},
	{"5.0x4", 126.031, 126.028, 116.28, [3]float64{0, 106.31, 0}, [3]float64{0, 107.85, 0}, 101.94},
}

func TestPCIe(t *testing.T) {
	rate := func(f func(PCIe) (Ceiling, error), p PCIe) float64 {
		t.Helper()
		c := testenv.Must(f(p))(t)
		return float64(c.Rate) / 1e9
	}
	for _, s := range slots {
		p := testenv.Must(ParsePCIe(s.slot, 256))(t)
		near(t, s.slot+" raw", rate(PCIeRaw, p), s.raw, 3)
		k := testenv.Must(KernelRate(p))(t)
		near(t, s.slot+" kernel", float64(k)/1e9, s.kernel, 3)
		near(t, s.slot+" TLP", rate(PCIeTLP, p), s.tlp256, 2)
		near(t, s.slot+" both", rate(PCIeBothWays, p), s.both256, 2)
		for i, payload := range []int{128, 256, 512} {
			p.Payload = payload
			if s.write[i] != 0 {
				near(t, fmt.Sprint(s.slot, " write ", payload), rate(PCIeWrite, p), s.write[i], 2)
			}
			if s.read[i] != 0 {
				near(t, fmt.Sprint(s.slot, " read ", payload), rate(PCIeRead, p), s.read[i], 2)
			}
		}
	}
	near(t, "5.0x4 read 512", rate(PCIeRead, PCIe{5, 4, 512}), 113.2, 1)
}

// TestIntervals compares with some of the specification's figures, in symbol times.
func TestIntervals(t *testing.T) {
	for p, want := range map[PCIe]float64{{1, 1, 128}: 237, {1, 8, 256}: 107, {1, 8, 512}: 86, {1, 16, 128}: 48,
		{1, 12, 512}: 109, {1, 32, 128}: 33, {2, 4, 256}: 169, {2, 8, 256}: 158, {3, 8, 256}: 203, {3, 4, 128}: 169,
		{3, 16, 512}: 182, {3, 8, 4096}: 630} {
		if got := p.interval(); got != want {
			t.Errorf("%+v: %v symbol times; want %v", p, got, want)
		}
	}
}

func TestPCIeRefused(t *testing.T) {
	for slot, names := range map[string]string{"6.0x4": "6.0", "3.0x3": "3 lanes", "x8": "pcie3x8", "": "pcie3x8",
		"3.0x": "3.0x8", "pcie3x8 ": "pcie3x8", "pcie9x999": "pcie3x8"} {
		if p, err := ParsePCIe(slot, 256); err == nil || !strings.Contains(err.Error(), names) {
			t.Errorf("%q: %+v, %v", slot, p, err)
		}
	}
	if _, err := ParsePCIe("pcie3x8", 300); err == nil || !strings.Contains(err.Error(), "256") {
		t.Error(err)
	}
	for _, f := range []func(PCIe) (Ceiling, error){PCIeRaw, PCIeTLP, PCIeWrite, PCIeRead, PCIeBothWays} {
		if _, err := f(PCIe{}); err == nil {
			t.Error("no slot at all passes")
		}
	}
	if _, err := KernelRate(PCIe{Generation: 3}); err == nil {
		t.Error("no lanes pass")
	}
}

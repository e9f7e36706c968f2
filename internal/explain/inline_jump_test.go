package explain

import (
	"strings"
	"testing"

	"linerate/internal/base/unit"
)

func inlineSweep(inline unit.Bytes, us ...float64) (out []inlinePoint) {
	size := unit.Bytes(32)
	for _, v := range us {
		out = append(out, inlinePoint{Size: size, P50: v * 1e-6, Inline: inline})
		size *= 2
	}
	return out
}

func TestInlineJump(t *testing.T) {
	// The figures of the study with eight pairs: 1.86 us at 128 B, 5.87 us at 256 B.
	at, s := inlineJump(inlineSweep(128, 1.80, 1.83, 1.86, 5.87, 5.95))
	if at != 3 {
		t.Errorf("at %d, want the fourth size", at)
	}
	for _, part := range []string{"between 128 B and 256 B", "1.86 us", "5.87 us", "3.2 times", "inline"} {
		if !strings.Contains(s, part) {
			t.Errorf("%q is not in %q", part, s)
		}
	}
	for name, sweep := range map[string][]inlinePoint{
		"no jump":                    inlineSweep(128, 1.80, 1.83, 1.86, 1.95, 2.1),
		"it rises everywhere":        inlineSweep(128, 1, 2, 4, 8, 16),
		"the limit is outside":       inlineSweep(1024, 1.80, 1.83, 1.86, 5.87, 5.95),
		"no inline at all":           inlineSweep(0, 1.80, 1.83, 1.86, 5.87, 5.95),
		"the jump is somewhere else": inlineSweep(64, 1.80, 1.83, 1.86, 5.87, 5.95),
		"too few sizes":              inlineSweep(32, 1.8, 5.9),
		"a size without a figure":    inlineSweep(128, 1.80, 1.83, 1.86, 0, 5.95),
	} {
		if _, s := inlineJump(sweep); s != "" {
			t.Errorf("%s: %q", name, s)
		}
	}
}

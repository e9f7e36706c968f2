package catalog

import (
	"strings"
	"testing"
)

func TestFits(t *testing.T) {
	for _, x := range []struct {
		cage, end Cage
		ok        bool
		why       string // a piece of the reason
	}{
		{"sfp28", "sfp28", true, ""},
		{"sfp28", "sfp+", true, "its own 10G"},
		{"qsfp28", "qsfp+", true, "its own 40G"},
		{"qsfp+", "qsfp28", false, "generally does not drive it at 100G"},
		{"sfp+", "sfp28", false, "take an sfp+ cable"},
		{"qsfp28", "sfp28", false, "adapter"},
		{"sfp+", "qsfp+", false, "breakout"},
		{"qsfp56-dd", "qsfp28", true, "half of its lanes"},
		{"qsfp28", "qsfp56-dd", false, "second row"},
		{"sfp+", "rj45", false, "module"},
		{"rj45", "sfp+", false, "does not go"},
		{"cx4", "qsfp+", false, "does not go"},
		{"cx4", "cx4", true, ""},
		{combo, "rj45", true, ""},
		{combo, "sfp+", true, ""},
		{combo, "qsfp+", false, "combo"},
		{"", "sfp+", true, "not known"},
		{"sfp+", "", true, "not known"},
		{"sfp+", "usb", false, "does not know"},
	} {
		ok, why := Fits(x.cage, x.end)
		if ok != x.ok || !strings.Contains(why, x.why) || (x.why == "") != (why == "") {
			t.Errorf("Fits(%s, %s) = %t, %q; want %t, %q", x.cage, x.end, ok, why, x.ok, x.why)
		}
	}
}

func TestParseCage(t *testing.T) {
	if c, err := ParseCage(" QSFP28 "); err != nil || c != "qsfp28" || c.Rate() != 100e9 {
		t.Errorf("%s, %v", c, err)
	}
	if _, err := ParseCage("qsp28"); err == nil || !strings.Contains(err.Error(), "qsfp28") {
		t.Errorf("%v; want qsfp28 among the nearest", err)
	}
}

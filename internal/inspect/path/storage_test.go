package path

import (
	"linerate/internal/record"
	"strings"
	"testing"
)

// A set of drives is held to what its layout makes of their buses: all of them reading, without the parity's worth writing; of a layout without a formula nothing is said.
func TestAddLayout(t *testing.T) {
	for _, x := range []struct {
		layout string
		read   float64
		want   float64 // MB/s; 0: no hop
		way    string
	}{{"raid6", 0, 3600, "writing"}, {"raid6", 1, 3600, "reading"}, {"mirror2", 1, 4800, "reading"}, {"mirror2", 0, 2400, "writing"}, {"mirror2", 0.5, 4800, "reading"}, {"raid0", 0.3, 4800, "reading"}, {"in a heap", 1, 0, ""}} {
		c := record.Chain{}
		AddLayout(&c, "drive nas.tank", x.layout, 8, "sata3", x.read)
		if x.want == 0 {
			if len(c.Hops) != 0 {
				t.Errorf("%s: %+v", x.layout, c.Hops)
			}
			continue
		}
		if len(c.Hops) != 1 || float64(c.Limit)/8e6 != x.want || c.Hops[0].Kind != "layout" || !strings.Contains(c.Component, x.way) {
			t.Errorf("%s, %v read: %+v", x.layout, x.read, c)
		}
	}
}

//go:build linux

package main

import (
	"strings"
	"testing"
)

// Outputs in the form of perftest 4.5.
const (
	latencyText = ` #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 8       1000          332.11         9431.20      509.40       	       612.33     	410.02		3900.10 		9431.20
---------------------------------------------------------------------------------------
`
	rateText = ` #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      2180             0.00               0.38   		   0.000727
`
)

func TestParse(t *testing.T) {
	if v, err := (&benchCase{}).parse(latencyText); err != nil || v != 509.40 {
		t.Errorf("latency %v, %v; want the median", v, err)
	}
	if v, err := (&benchCase{pairs: 4}).parse(rateText); err != nil || v != 0.38 {
		t.Errorf("rate %v, %v; want the average", v, err)
	}
	if _, err := (&benchCase{tool: "ib_write_bw", pairs: 4}).parse(latencyText); err == nil ||
		!strings.Contains(err.Error(), "ib_write_bw prints no row of 65536 bytes") {
		t.Errorf("without the row: %v", err)
	}
}

func TestMet(t *testing.T) {
	measured := []float64{1, 3, 2, 4}
	for _, c := range []struct {
		d     benchCase
		ratio float64
		want  string
	}{
		{benchCase{most: 1.1, own: measured, other: measured}, 1.1, "at most 1.10: met"},
		{benchCase{most: 1.1, own: measured, other: measured}, 1.2, "at most 1.10: **missed**"},
		{benchCase{least: 0.95, own: measured, other: measured}, 0.95, "at least 0.95: met"},
		{benchCase{least: 0.95, own: measured, other: measured}, 0.9, "at least 0.95: **missed**"},
		{benchCase{least: 0.95, own: measured}, 2, "not measured"},
	} {
		if got := c.d.met(c.ratio); got != c.want {
			t.Errorf("%v: %q, want %q", c.ratio, got, c.want)
		}
	}
}

//go:build linux

package main

import (
	"math"
	"strings"
	"testing"
)

// Rows in the forms of perftest 4.5, its columns named as it names them.
const (
	latencyText = ` #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]
 8       1000          332.11         9431.20      509.40       	       612.33     	410.02		3900.10 		9431.20
---------------------------------------------------------------------------------------
`
	rateText = ` #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      2180             0.00               0.38   		   0.000727
`
)

func TestFigure(t *testing.T) {
	if v, err := (&duel{}).figure(latencyText); err != nil || v != 509.40 {
		t.Errorf("latency %v, %v; want the median", v, err)
	}
	if v, err := (&duel{pairs: 4}).figure(rateText); err != nil || v != 0.38 {
		t.Errorf("rate %v, %v; want the average", v, err)
	}
	if _, err := (&duel{tool: "ib_write_bw", pairs: 4}).figure(latencyText); err == nil || !strings.Contains(err.Error(), "ib_write_bw prints no row of 65536 bytes") {
		t.Errorf("without the row: %v", err)
	}
}

func TestMet(t *testing.T) {
	measured := []float64{1, 3, 2, 4}
	if m := median(measured); math.Abs(m-2.5) > 1e-9 {
		t.Errorf("median %v", m)
	}
	for _, c := range []struct {
		d     duel
		ratio float64
		want  string
	}{
		{duel{most: 1.1, mine: measured, other: measured}, 1.1, "at most 1.10: met"},
		{duel{most: 1.1, mine: measured, other: measured}, 1.2, "at most 1.10: **missed**"},
		{duel{least: 0.95, mine: measured, other: measured}, 0.95, "at least 0.95: met"},
		{duel{least: 0.95, mine: measured, other: measured}, 0.9, "at least 0.95: **missed**"},
		{duel{least: 0.95, mine: measured}, 2, "not measured"},
	} {
		if got := c.d.met(c.ratio); got != c.want {
			t.Errorf("%v: %q, want %q", c.ratio, got, c.want)
		}
	}
}

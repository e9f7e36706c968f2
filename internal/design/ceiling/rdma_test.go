package ceiling

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
)

func TestInfiniBand(t *testing.T) {
	for _, x := range []struct {
		speed                         string
		signalling, data              float64
		decimals                      int
		megabytes, verbs2048, verbs4k float64
	}{
		{"SDR", 10, 8, 0, 1000, 7.90, 7.95},
		{"DDR", 20, 16, 0, 2000, 15.80, 15.90},
		{"QDR", 40, 32, 0, 4000, 31.60, 31.80},
		{"FDR10", 41.25, 40, 0, 5000, 39.50, 39.75},
		{"FDR", 56.25, 54.545, 3, 6818, 53.86, 54.20},
		{"edr", 103.125, 100, 0, 12500, 98.75, 99.37},
	} {
		c := testenv.Must(InfiniBandData(x.speed, 4))(t)
		near(t, x.speed+" data", float64(c.Rate)/1e9, x.data, x.decimals)
		near(t, x.speed+" MB/s", float64(c.Rate)/8e6, x.megabytes, 0)
		near(t, x.speed+" signalling", c.Inputs[0].Value*4/1e9, x.signalling, 3)
		for mtu, want := range map[int]float64{2048: x.verbs2048, 4096: x.verbs4k} {
			v := testenv.Must(InfiniBandVerbs(x.speed, 4, mtu))(t)
			near(t, fmt.Sprint(x.speed, " verbs ", mtu), float64(v.Rate)/1e9, want, 2)
		}
	}
	for speed, want := range map[string]float64{"HDR": 200, "NDR": 400, "XDR": 800} {
		near(t, speed+" data", float64(testenv.Must(InfiniBandData(speed, 4))(t).Rate)/1e9, want, 3)
	}
	if _, err := InfiniBandData("ODR", 4); err == nil || !strings.Contains(err.Error(), "XDR") {
		t.Error(err)
	}
	if _, err := InfiniBandData("EDR", 2); err == nil {
		t.Error("2 lanes pass")
	}
	if _, err := InfiniBandVerbs("EDR", 4, 1500); err == nil || !strings.Contains(err.Error(), "4096") {
		t.Error(err)
	}
}

func TestRoCE(t *testing.T) {
	rate := func(r unit.BitRate, x RoCE) float64 {
		t.Helper()
		c := testenv.Must(RDMAOverEthernet(r, x))(t)
		return float64(c.Rate)
	}
	for _, x := range []struct {
		p            int
		v1, v2, vlan float64
		links        [4]float64
	}{
		{256, .7314, .7574, .7485, [4]float64{7.57, 18.93, 30.30, 75.74}},
		{512, .8449, .8620, .8562, [4]float64{8.62, 21.55, 34.48, 86.20}},
		{1024, .9159, .9259, .9225, [4]float64{9.26, 23.15, 37.03, 92.59}},
		{2048, .9561, .9615, .9597, [4]float64{9.62, 24.04, 38.46, 96.15}},
		{4096, .9776, .9804, .9794, [4]float64{9.80, 24.51, 39.21, 98.04}},
	} {
		near(t, fmt.Sprint("v1 ", x.p), rate(1, RoCE{Version: 1, PathMTU: x.p}), x.v1, 4)
		near(t, fmt.Sprint("v2 ", x.p), rate(1, RoCE{Version: 2, PathMTU: x.p}), x.v2, 4)
		near(t, fmt.Sprint("v2 VLAN ", x.p), rate(1, RoCE{Version: 2, PathMTU: x.p, VLAN: true}), x.vlan, 4)
		for i, link := range []unit.BitRate{10, 25, 40, 100} {
			near(t, fmt.Sprint(float64(link), "G ", x.p), rate(link, RoCE{Version: 2, PathMTU: x.p}), x.links[i], 2)
		}
	}
	// Published measurements of 64 KiB writes.
	near(t, "share, 1024", rate(100, RoCE{Version: 2, PathMTU: 1024, Message: 65536}), 92.565, 3)
	near(t, "200G, 1024", rate(200, RoCE{Version: 2, PathMTU: 1024, Message: 65536}), 185.13, 2)
	near(t, "100G, 4096", rate(100, RoCE{Version: 2, PathMTU: 4096, Message: 65536}), 98.01, 2)
	near(t, "40G v1, 1024", rate(40, RoCE{Version: 1, PathMTU: 1024, Message: 65536}), 36.63, 2)
	near(t, "IPv6", rate(100, RoCE{Version: 2, PathMTU: 1024, IPv6: true}), 90.94, 2)
	for _, bad := range []RoCE{{}, {Version: 3, PathMTU: 1024}, {Version: 1, PathMTU: 1024, IPv6: true},
		{Version: 2, PathMTU: 9000}, {Version: 2, PathMTU: 1024, Message: -1}} {
		if _, err := RDMAOverEthernet(10e9, bad); err == nil {
			t.Errorf("%+v passes", bad)
		}
	}
	if _, err := RDMAOverEthernet(0, RoCE{Version: 2, PathMTU: 1024}); err == nil {
		t.Error("no rate passes")
	}
}

func TestIWARP(t *testing.T) {
	for _, x := range []struct {
		rate     unit.BitRate
		mtu      int
		want     float64
		decimals int
	}{{1, 1500, .9285, 4}, {1, 9000, .9878, 4}, {10, 1500, 9.285, 3}, {10, 9000, 9.878, 3}, {25, 1500, 23.21, 2},
		{25, 9000, 24.70, 2}} {
		c := testenv.Must(IWARPOverEthernet(x.rate, Ethernet{MTU: x.mtu, Timestamps: true}, false))(t)
		near(t, fmt.Sprint("iWARP ", x.mtu), float64(c.Rate), x.want, x.decimals)
		m, err := IWARPOverEthernet(x.rate, Ethernet{MTU: x.mtu, Timestamps: true}, true)
		if err != nil || m.Rate >= c.Rate {
			t.Errorf("markers: %v, %v", m.Rate, err)
		}
	}
	c, _ := IWARPOverEthernet(10e9, Ethernet{MTU: 1500, Timestamps: true}, false)
	if c.Formula != "rate * floor4(mtu - 40 - 12 - 20) / (mtu + 38)" {
		t.Error(c.Formula)
	}
	if _, err := IWARPOverEthernet(10e9, Ethernet{MTU: 68, Timestamps: true}, false); err == nil {
		t.Error("MTU 68 passes")
	}
}

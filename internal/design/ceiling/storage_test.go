package ceiling

import (
	"math"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/testenv"
)

func TestStorage(t *testing.T) {
	tcp := func(rate unit.BitRate, mtu int) Ceiling {
		c := testenv.Must(TCPOverEthernet(rate, Ethernet{MTU: mtu, Timestamps: true}))(t)
		return c
	}
	for _, x := range []struct {
		name     string
		tcp      Ceiling
		size     unit.Bytes
		header   int
		want     float64
		decimals int
	}{
		{"iSCSI 8K", tcp(10, 1500), 8 * unit.KiB, ISCSIHeader, 9.3600, 4},
		{"iSCSI 64K", tcp(10, 1500), 64 * unit.KiB, ISCSIHeader, 9.4079, 4},
		{"iSCSI 256K", tcp(10, 1500), 256 * unit.KiB, ISCSIHeader, 9.4131, 4},
		{"iSCSI 8K jumbo", tcp(10, 9000), 8 * unit.KiB, ISCSIHeader, 9.8427, 4},
		{"iSCSI 64K jumbo", tcp(10, 9000), 64 * unit.KiB, ISCSIHeader, 9.8932, 4},
		{"iSCSI 256K jumbo", tcp(10, 9000), 256 * unit.KiB, ISCSIHeader, 9.8986, 4},
		{"SMB3 1M", tcp(10, 1500), unit.MiB, SMB3Header, 9.4141, 4},
		{"SMB3 1M sealed", tcp(10, 1500), unit.MiB, SMB3Sealed, 9.4136, 4},
		{"NFS 3 1M", tcp(10, 1500), unit.MiB, NFS3Header, 9.4136, 4},
		{"NVMe/TCP 128K", tcp(25, 9000), 128 * unit.KiB, NVMeHeader, 24.742, 3},
	} {
		c := testenv.Must(Framed(x.tcp, x.size, x.header))(t)
		near(t, x.name, float64(c.Rate), x.want, x.decimals)
	}
	if _, err := Framed(tcp(10, 1500), 0, 48); err == nil {
		t.Error("requests of nothing pass")
	}
	if _, err := Framed(tcp(10, 1500), 1, -1); err == nil {
		t.Error("a negative header passes")
	}
}

func TestDriveInterface(t *testing.T) {
	for bus, megabytes := range map[string]float64{"sata3": 600, "sas2": 600, "sas3": 1200, "sas3x4": 4800, "sas4": 2400,
		"sata1": 150, "sas1": 300, "pcie3x4": 3938} {
		c := testenv.Must(DriveInterface(bus))(t)
		near(t, bus, float64(c.Rate)/8e6, megabytes, 0)
	}
	for _, bad := range []string{"", "sata4", "sas5", "sata3x4", "sas0", "sas3x0", "ide", "pcie3", "pcie6x4"} {
		if c, err := DriveInterface(bad); err == nil {
			t.Errorf("%q passes as %v", bad, c.Rate)
		}
	}
}

func TestFlow(t *testing.T) {
	rate := func(c Ceiling, err error) float64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return float64(c.Rate) / 1e9
	}
	const us = time.Microsecond
	near(t, "64 KiB, 0.112 ms", rate(TCPWindow(64*unit.KiB, 112*us)), 4.68, 2)
	near(t, "loss, 0.1 ms", rate(Loss(1448, 100*us, 0.001)), 4.47, 2)
	near(t, "loss, 20 ms", rate(Loss(1448, 20000*us, 0.001))*1e3, 22.3, 1)
	// One iperf3 thread on a 40 Gb/s link: 12.0 at MTU 1500, 24.5 at 9000, 30.7 at any.
	near(t, "core, 1500", rate(CPU(593e-9, 0.2603e-9, 1460)), 12.0, 1)
	near(t, "core, 9000", rate(CPU(593e-9, 0.2603e-9, 8960)), 24.5, 1)
	near(t, "core, endless", rate(CPU(593e-9, 0.2603e-9, unit.GiB)), 30.7, 1)
	near(t, "pipeline", rate(Pipeline(32, 4*unit.KiB, 100*us)), 10.486, 3)
	for _, x := range []struct {
		rate unit.BitRate
		rtt  time.Duration
		want unit.Bytes
	}{{10e9, 200 * us, 250_000}, {40e9, 112 * us, 560_000}} {
		if got, err := TCPWindowFor(x.rate, x.rtt); err != nil || got != x.want {
			t.Errorf("window for %v at %v = %d, %v", x.rate, x.rtt, int64(got), err)
		}
	}
	for name, f := range map[string]func() error{"window": func() error { _, err := TCPWindow(0, us); return err },
		"rtt":        func() error { _, err := TCPWindow(1, 0); return err },
		"loss of 0":  func() error { _, err := Loss(1448, us, 0); return err },
		"loss of 1":  func() error { _, err := Loss(1448, us, 1); return err },
		"loss NaN":   func() error { _, err := Loss(1448, us, math.NaN()); return err },
		"core":       func() error { _, err := CPU(math.Inf(1), 1, 1); return err },
		"depth":      func() error { _, err := Pipeline(0, 1, us); return err },
		"rate":       func() error { _, err := TCPWindowFor(0, us); return err },
		"window big": func() error { _, err := TCPWindowFor(1e300, time.Hour); return err }} {
		if f() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestReplicated(t *testing.T) {
	// A cluster of four nodes with three copies: 2.25 bytes for each written byte.
	c := testenv.Must(Replicated(Ceiling{Rate: 25e9}, 3, 4))(t)
	near(t, "three copies on four nodes", 25e9/float64(c.Rate), 2.25, 9)
	for _, x := range [][2]int{{0, 4}, {3, 1}, {3, 2}, {-1, 4}} {
		if c, err := Replicated(Ceiling{Rate: 25e9}, x[0], x[1]); err == nil {
			t.Errorf("%d copies on %d nodes pass as %v", x[0], x[1], c.Rate)
		}
	}
}

func TestPathMTUFor(t *testing.T) {
	for mtu, want := range map[int]unit.Bytes{351: 0, 352: 256, 1119: 512, 1120: 1024, 1500: 1024, 2144: 2048,
		4191: 2048, 4192: 4096, 9000: 4096} {
		if got := PathMTUFor(mtu); got != want {
			t.Errorf("MTU %d: %d, want %d", mtu, got, want)
		}
	}
}

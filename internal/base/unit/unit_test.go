package unit

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseBitRate(t *testing.T) {
	for in, want := range map[string]BitRate{
		"40G": 40e9, "93Gbps": 93e9, "940M": 940e6, "9.41 Gb/s": 9.41e9, "800MB/s": 6.4e9, "1KiB/s": 8192, "100Mbit/s": 1e8,
		// as iperf, tc, fio, Windows and others print them
		"9.6 Gbits/sec": 9.6e9, "941 Mbits/sec": 941e6, "5.00 Kbits/sec": 5e3, "9.6Gbit": 9.6e9, "640Kbit": 640e3,
		"9.6 Gbit/s": 9.6e9, "9.6 GBit/s": 9.6e9, "1.1 GB/s": 8.8e9,
		"1.10 GBytes/sec": 1.1 * 8 * (1 << 30), "112 MBytes/sec": 112 * 8 << 20, "1135MiB/s": 1135 * 8 << 20,
		"9.6 Gbps": 9.6e9, "900 bits/sec": 900,
		// as links are called
		"10GbE": 10e9, "40GbE": 40e9, "100GbE": 100e9, "10 GbE": 10e9, "2.5GbE": 2.5e9, "10gbe": 10e9,
	} {
		got, err := ParseBitRate(in)
		if err != nil || got != want {
			t.Errorf("ParseBitRate(%q) = %v, %v; want %v", in, float64(got), err, float64(want))
		}
	}
	for _, in := range []string{"", "10g", "10", "G", "-1G", "1e9G", "10 parsecs", "1..2G", "NaNG", "9.6Gb", "9.6 G/s",
		"8860 MB/sec", strings.Repeat("9", 400) + "G"} {
		if got, err := ParseBitRate(in); err == nil {
			t.Errorf("ParseBitRate(%q) = %v; want an error", in, got)
		}
	}
	if _, err := ParseBitRate("10g"); err == nil || !strings.Contains(err.Error(), "10G") {
		t.Errorf("10g: %v; want a hint naming 10G", err)
	}
	if _, err := ParseBitRate("8860 MB/sec"); err == nil || !strings.Contains(err.Error(), "8860MiB/s or 8860MB/s") {
		t.Errorf("8860 MB/sec: %v; want both that it can be", err)
	}
	if _, err := ParseBitRate("9.6 Gigs"); err == nil || !strings.Contains(err.Error(), "Gbits/sec") ||
		!strings.Contains(err.Error(), "MiB/s") {
		t.Errorf("9.6 Gigs: %v; want what is read", err)
	}
}

func TestParseBytes(t *testing.T) {
	for in, want := range map[string]Bytes{"4K": 4096, "4KiB": 4096, "3.2GB": 3.2e9, "1500": 1500, "512B": 512,
		"1 MiB": 1 << 20, "74.5 GBytes": 79993765888, "11.2 MByte": 11744051} {
		if got, err := ParseBytes(in); err != nil || got != want {
			t.Errorf("ParseBytes(%q) = %v, %v; want %v", in, int64(got), err, int64(want))
		}
	}
	for _, in := range []string{"", "4k", "x", "0.1B", "99999999T", "-4K"} {
		if got, err := ParseBytes(in); err == nil {
			t.Errorf("ParseBytes(%q) = %d; want an error", in, got)
		}
	}
}

func TestOthers(t *testing.T) {
	if d, err := ParseDuration("0.1ms"); err != nil || d != 100*time.Microsecond {
		t.Errorf("0.1ms = %v, %v", d, err)
	}
	if _, err := ParseDuration("10"); err == nil {
		t.Error("a bare number was taken as a duration")
	}
	if p, err := ParsePercent("70%"); err != nil || p != 0.7 {
		t.Errorf("70%% = %v, %v", p, err)
	}
	if m, err := ParseMetres("0.5m"); err != nil || m != 0.5 {
		t.Errorf("0.5m = %v, %v", m, err)
	}
}

func TestMoney(t *testing.T) {
	adapter, err := ParseMoney("25.33 USD / 2")
	if err != nil {
		t.Fatal(err)
	}
	cable, _ := ParseMoney("31.88 USD")
	spare, _ := ParseMoney("37.32 USD")
	total := adapter.Times(2).Add(cable).Add(spare)
	if total.String() != "94.53 USD" || adapter.String() != "12.67 USD" {
		t.Errorf("total %v, adapter %v", total, adapter)
	}
	if b, _ := json.Marshal(total); string(b) != "94.53" {
		t.Errorf("JSON %s", b)
	}
	for _, in := range []string{"25.33", "USD", "25 usd", "1 USD / 0", "-1 USD", "1 USD / 2 / 3"} {
		if m, err := ParseMoney(in); err == nil {
			t.Errorf("ParseMoney(%q) = %v; want an error", in, m)
		}
	}
}

func TestPrint(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{BitRate(9.4148e9).String(), "9.41 Gb/s"},
		{BitRate(941.48e6).String(), "941 Mb/s"},
		{BitRate(999.9e6).String(), "1.00 Gb/s"},
		{BitRate(0).String(), "0 b/s"},
		{BitRate(9.4148e9).BytesPerSecond(), "1.18 GB/s"},
		{Bytes(131072).String(), "128 KiB"},
		{Bytes(3200000000).String(), "3.20 GB"},
		{Bytes(1500).String(), "1500 B"},
		{Bytes(67.1e6).Like(64 * MiB), "64.0 MiB"},
		{(64 * MiB).Like(64 * MiB), "64 MiB"},
		{Bytes(3.2e9).Like(4 * GiB), "2.98 GiB"},
		{(1023*MiB + 950*KiB).Like(GiB), "1.00 GiB"},
		{(64 * MiB).Like(67.2e6), "67.1 MB"},
		{Bytes(512).Like(GiB), "512 B"},
		{Bytes(4096).Like(4095), "4 KiB"},
		{Seconds(54.5e-6), "54.5 us"},
		{Seconds(0.0009996), "1.00 ms"},
		{Percent(0.974), "97 %"},
		{Percent(1), "100 %"},
		{Percent(0.9999), "100 %"},
		{Percent(0.9949), "99.5 %"},
		{Percent(0.9896), "99.0 %"},
		{Percent(0.9891), "99 %"},
		{Percent(2.036), "204 %"},
		{Percent(0.0996), "10 %"},
		{Percent(0.0994), "9.9 %"},
		{Percent(0.00468), "0.5 %"},
		{Percent(0.000996), "0.1 %"},
		{Percent(0.000994), "0.099 %"},
		{Percent(0.0000012), "0.00012 %"},
		{Percent(0), "0 %"},
		{Percent(-0.034), "-3.4 %"},
		{Percent(math.NaN()), "not known"},
		{Apart(7.29e-7), "less than 0.1 % apart"},
		{Apart(-0.034), "-3.4 % apart"},
		{ExactPercent(0.125), "12.5 %"},
		{ExactPercent(0.07), "7 %"},
		{Significant(0.01234), "0.0123"},
		{Significant(0.09999), "0.100"},
		{Significant(1234), "1234"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestOpt(t *testing.T) {
	type record struct{ A, B Opt[int] }
	b, err := json.Marshal(record{A: Known(0), B: Unknown[int]("ethtool needs root")})
	if err != nil || string(b) != `{"A":0,"B":null}` {
		t.Fatalf("%s, %v", b, err)
	}
	var back record
	if err := json.Unmarshal(b, &back); err != nil || !back.A.IsKnown() || back.B.IsKnown() {
		t.Fatalf("%+v, %v", back, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"40G", "800MB/s", "4KiB", "25.33 USD / 2", "10s", "70%", "3m"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := ParseBitRate(s); err == nil && (r < 0 || r != r) {
			t.Errorf("ParseBitRate(%q) = %v", s, float64(r))
		}
		if b, err := ParseBytes(s); err == nil && b < 0 {
			t.Errorf("ParseBytes(%q) = %v", s, int64(b))
		}
		if d, err := ParseDuration(s); err == nil && d < 0 {
			t.Errorf("ParseDuration(%q) = %v", s, d)
		}
		if m, err := ParseMoney(s); err == nil && m.Amount() < 0 {
			t.Errorf("ParseMoney(%q) = %v", s, m)
		}
		_, _ = ParsePercent(s)
		_, _ = ParseMetres(s)
	})
}

func TestMoneyJSON(t *testing.T) {
	m, err := ParseMoney("25.33 USD / 2")
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var back Money
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	back.Currency = "USD"
	if !back.Same(m) {
		t.Errorf("%s comes back as %v", b, back)
	}
	for _, bad := range []string{`1e9999999`, `true`, `{}`, `[1]`} {
		if err := json.Unmarshal([]byte(bad), &back); err == nil {
			t.Errorf("%s is taken as %v", bad, back)
		}
	}
}

func TestScale(t *testing.T) {
	for scale, want := range map[float64]string{1: "1/1", 0.1: "1/10", 1. / 3: "1/3", 0.3: "0.3", 0.7: "0.7", 0.4: "0.4"} {
		if got := Scale(scale); got != want {
			t.Errorf("%v: %s, want %s", scale, got, want)
		}
	}
}

package unit

import (
	"fmt"
	"strings"
)

// BitRate is a rate in bits per second.
type BitRate float64

// Rates in common use.
const (
	BitPerSecond     BitRate = 1
	KilobitPerSecond BitRate = 1e3
	MegabitPerSecond BitRate = 1e6
	GigabitPerSecond BitRate = 1e9
)

var bitRateUnits = map[string]BitRate{
	"b/s": 1, "kb/s": 1e3, "Mb/s": 1e6, "Gb/s": 1e9, "Tb/s": 1e12,
	"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9, "Tbit/s": 1e12,
	"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12,
	"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
	"B/s": 8, "kB/s": 8e3, "KB/s": 8e3, "MB/s": 8e6, "GB/s": 8e9,
	"KiB/s": 8 * 1024, "MiB/s": 8 << 20, "GiB/s": 8 << 30,
	// tc writes rates without the time: 9.6Gbit.
	"bit": 1, "kbit": 1e3, "Kbit": 1e3, "Mbit": 1e6, "Gbit": 1e9, "Tbit": 1e12,
	"Kbit/s": 1e3, "kBit/s": 1e3, "MBit/s": 1e6, "GBit/s": 1e9, "Kbps": 1e3,
	// iperf: "9.41 Gbits/sec", and "1.10 GBytes/sec", of 2^30 (units.c: bits by powers of 1000, bytes by powers of 1024).
	"Byte/s": 8, "KByte/s": 8 << 10, "MByte/s": 8 << 20, "GByte/s": 8 << 30, "TByte/s": 8 << 40,
}

// otherWords are alternative spellings of the units above, as tools write them.
var otherWords = strings.NewReplacer("bits", "bit", "Bits", "Bit", "Bytes", "Byte", "/second", "/s", "/sec", "/s")

const bitRateForms = "40G, 940M or 9.4 Gbits/sec (bits per second), or 800MB/s or 800MiB/s (bytes per second)"

// ParseBitRate reads "40G", "940M", "9.41 Gb/s" (bits per second) or "800MB/s" (bytes per second), and what other tools
// print: "9.41 Gbits/sec", "9.6Gbit"; also a link's name, "10GbE". It refuses a lower-case "10g" with a hint, because
// some read it as bits and others as bytes, and "8860 MB/sec", because perftest means 2^20 bytes by it.
func ParseBitRate(s string) (BitRate, error) {
	v, suffix, ok := split(s)
	if !ok {
		return 0, parseError(s, "a rate", bitRateForms)
	}
	if prefix, ok := strings.CutSuffix(suffix, "B/sec"); ok && len(prefix) == 1 {
		number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), suffix))
		return 0, parseError(s, "clear: perftest counts 2^20 bytes as MB/sec, most others 10^6",
			fmt.Sprintf("%s%siB/s or %s%sB/s", number, strings.ToUpper(prefix), number, prefix))
	}
	if k, ok := bitRateUnits[otherWords.Replace(suffix)]; ok {
		return BitRate(v) * k, nil
	}
	if strings.EqualFold(suffix, "GbE") { // a link's name: 10GbE
		return BitRate(v) * GigabitPerSecond, nil
	}
	for name := range bitRateUnits {
		if strings.EqualFold(name, suffix) && len(suffix) == 1 {
			return 0, parseError(s, "a rate", strings.TrimSpace(s[:len(s)-1])+name+" for bits per second")
		}
	}
	return 0, parseError(s, "a rate", bitRateForms)
}

// String prints three significant digits: "9.41 Gb/s".
func (r BitRate) String() string { return scaled(float64(r), "b/s") }

// BytesPerSecond prints the same rate in storage units: "1.18 GB/s".
func (r BitRate) BytesPerSecond() string { return BytesPerSecond(float64(r) / 8) }

package unit

import (
	"math"
	"strconv"
	"strings"
)

// Bytes is a size in bytes.
type Bytes int64

// Sizes in common use.
const (
	Byte Bytes = 1
	KiB  Bytes = 1 << 10
	MiB  Bytes = 1 << 20
	GiB  Bytes = 1 << 30
)

var byteUnits = map[string]float64{
	"": 1, "B": 1, "Byte": 1,
	"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	"KByte": 1 << 10, "MByte": 1 << 20, "GByte": 1 << 30, "TByte": 1 << 40, // iperf, see bitRateUnits
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
}

// ParseBytes reads a size: "4K" and "4KiB" are 4096, "3.2GB" is 3.2e9, "1500" is bytes.
func ParseBytes(s string) (Bytes, error) {
	const forms = "4KiB or 4K (4096), 3.2GB (3.2e9), or a plain number of bytes"
	v, suffix, ok := split(s)
	k, known := byteUnits[otherWords.Replace(suffix)]
	if !ok || !known {
		return 0, parseError(s, "a size in bytes", forms)
	}
	n := math.Round(v * k)
	if n > math.MaxInt64/2 {
		return 0, parseError(s, "a size that a computer can hold", forms)
	}
	if v != 0 && n == 0 {
		return 0, parseError(s, "a whole number of bytes", forms)
	}
	return Bytes(n), nil
}

// String prints sizes that are whole in binary units in these ("128 KiB"), and all others in decimal units with three
// significant digits ("3.20 GB").
func (b Bytes) String() string {
	for n, name := Bytes(1<<40), "TGMK"; name != ""; n, name = n>>10, name[1:] {
		if b != 0 && b%n == 0 && b/n < 10000 {
			return strconv.FormatInt(int64(b/n), 10) + " " + name[:1] + "iB"
		}
	}
	if b < 10000 {
		return strconv.FormatInt(int64(b), 10) + " B"
	}
	return scaled(float64(b), "B")
}

// Like prints an amount in the units of the size that it is compared with, because "67.1 MB" looks like more than
// "64 MiB" and is the same.
func (b Bytes) Like(size Bytes) string {
	if !strings.HasSuffix(size.String(), "iB") || b < 1024 {
		if strings.HasSuffix(b.String(), "iB") && b >= 10000 {
			return scaled(float64(b), "B")
		}
		return b.String()
	}
	v, names := float64(b)/1024, "KMGT"
	for len(names) > 1 && v >= 1023.5 {
		v, names = v/1024, names[1:]
	}
	number := Significant(v)
	if v == math.Trunc(v) {
		number = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return number + " " + names[:1] + "iB"
}

// BytesPerSecond prints a rate of storage in decimal units with three significant digits: "2.98 GB/s".
func BytesPerSecond(v float64) string { return scaled(v, "B/s") }

package result

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/report/format"
	"linerate/internal/report/svg"
)

// Less orders settings as numbers where both are numbers.
func Less(a, b string) bool {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	if errA == nil && errB == nil {
		return x < y
	}
	return false
}

// MostValues is the number of values of a setting that one row lists; for more it has the lowest and the highest.
const MostValues = 6

// SameValue reports whether two texts mean the same: 1KiB and 1024 B.
func SameValue(a, b string) bool {
	if a == b {
		return true
	}
	x, err1 := unit.ParseBytes(a)
	y, err2 := unit.ParseBytes(b)
	v, err3 := unit.ParseBitRate(a)
	w, err4 := unit.ParseBitRate(b)
	return err1 == nil && err2 == nil && x == y || err3 == nil && err4 == nil && v == w
}

// Settings prints an experiment's settings in a fixed order, without those of skip: "size 128KiB, streams 8".
func Settings(s map[string]string, skip ...string) string {
	keys := make([]string, 0, len(s))
next:
	for k := range s {
		for _, no := range skip {
			if k == no {
				continue next
			}
		}
		keys = append(keys, k)
	}
	sort.Strings(keys)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = format.Clean(k) + " " + format.Clean(s[k])
	}
	return strings.Join(parts, ", ")
}

// Streams prints the column of a number of streams: "1 stream", "8 streams".
func Streams(v string) string {
	if n, err := strconv.Atoi(v); err == nil {
		return unit.Counted(n, "stream")
	}
	if v == "" {
		return "goodput"
	}
	return format.Clean(v) + " streams"
}

// Value prints a value of a parameter: "128 KiB" for 128KiB.
func Value(x string) string {
	if _, err := strconv.ParseFloat(x, 64); err == nil {
		return format.Clean(x)
	}
	if b, err := unit.ParseBytes(x); err == nil {
		return b.String()
	}
	return format.Clean(x)
}

// ValueOf formats a value of a setting: for a pace, 1G is a rate (1.00 Gb/s), for all others an amount of bytes.
func ValueOf(key, v string) string {
	if key == "pace" {
		if r, err := unit.ParseBitRate(v); err == nil {
			return r.String()
		}
		return format.Clean(v)
	}
	return Value(v)
}

// shortSetting is a setting "size 16KiB" without its key where the unit of the value identifies it: "16 KiB".
func shortSetting(s string) string {
	key, v, _ := strings.Cut(s, " ")
	if key == "size" || key == "pace" || key == "amount" {
		return ValueOf(key, v)
	}
	return s
}

// Place is the number of a setting, to order and space an x axis.
func Place(s string) float64 {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v
	}
	if v, err := unit.ParseBytes(s); err == nil {
		return float64(v)
	}
	if v, err := unit.ParseBitRate(s); err == nil {
		return float64(v)
	}
	if v, err := unit.ParseDuration(s); err == nil {
		return v.Seconds()
	}
	return math.MaxFloat64
}

// Through names the NIC that distinguishes two paths between the same hosts.
func Through(e *record.Experiment) string {
	if via := e.Settings["via"]; via != "" {
		return " via " + format.Clean(via)
	}
	return ""
}

// Pairs prints the column of a number of threads: "1 pair", "8 pairs".
func Pairs(v string) string {
	if v == "1" {
		return "1 pair"
	}
	return v + " pairs"
}

// SettingWord formats a setting for a sentence: "4 KiB", "50 % read", "8 streams".
func SettingWord(key, v string) string {
	switch key {
	case "size":
		return Value(v)
	case "read":
		switch p, err := unit.ParsePercent(v); {
		case err != nil:
		case p >= 1:
			return "reads"
		case p <= 0:
			return "writes"
		default:
			return svg.TrimZeros(p*100) + " % read"
		}
		return format.Clean(v) + " read"
	case "load", "access", "traffic", "via", "transport", "tool":
		return format.Clean(v)
	case "streams":
		return Streams(v)
	case "threads":
		return Pairs(v)
	case "pace":
		return "pace " + ValueOf(key, v)
	case "mtu":
		return "MTU " + format.Clean(v)
	}
	return strings.ReplaceAll(format.Clean(key), "_", " ") + " " + format.Clean(v)
}

package parse

import (
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/lazyregexp"
	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// routerosNumber reads a number with blanks between thousands: "2 887".
func routerosNumber(s string) (uint64, bool) {
	s = strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\u00a0', '\u202f', ',', '\'':
			return -1
		}
		return r
	}, s)
	n, err := strconv.ParseUint(s, 10, 64)
	return n, err == nil
}

var routerosRateForm = lazyregexp.New(`^(\d+(?:\.\d+)?)\s?([kKMGT]?)(?:bps|bit|-base.*|-full|-half|M-full|M-half)?$`)

// routerosRate reads "10Gbps", "2.5Gbps", "100G-baseCR4", "1000M-full".
func routerosRate(s string) (unit.BitRate, bool) {
	m := routerosRateForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v > 1e9 {
		return 0, false
	}
	scale := map[string]float64{"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}[m[2]]
	return unit.BitRate(v * scale), true
}

var routerosBytesForm = lazyregexp.New(`^(\d+(?:\.\d+)?)\s?([KMGT]?)(i?)B?$`)

// routerosBytes reads "2648.0KiB", "8.0MiB", "35 840".
func routerosBytes(s string) (unit.Bytes, bool) {
	m := routerosBytesForm.FindStringSubmatch(strings.ReplaceAll(s, " ", ""))
	if m == nil {
		return 0, false
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if err != nil || v > 1e15 {
		return 0, false
	}
	return unit.Bytes(v * map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}[m[2]]), true
}

// routerosBool reads yes and no, and true and false of the REST interface.
func routerosBool(s string) (value, known bool) {
	switch s {
	case "yes", "true":
		return true, true
	case "no", "false":
		return false, true
	}
	return false, false
}

var routerosTime = lazyregexp.New(`^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$`)

// routerosDuration reads "6w5d11h55m45s".
func routerosDuration(s string) (time.Duration, bool) {
	m := routerosTime.FindStringSubmatch(s)
	if m == nil || s == "" {
		return 0, false
	}
	var d time.Duration
	for i, of := range []time.Duration{7 * 24 * time.Hour, 24 * time.Hour, time.Hour, time.Minute, time.Second} {
		n, err := strconv.ParseUint("0"+m[i+1], 10, 16)
		if err != nil {
			return 0, false
		}
		d += time.Duration(n) * of
	}
	return d, true
}

// count returns a value as a number.
func (r *routerosRow) count(key string) (uint64, bool) { return routerosNumber(r.values[key]) }

// opt returns a yes or no of a row.
func (r *routerosRow) opt(key string) unit.Opt[bool] {
	if v, known := routerosBool(r.values[key]); known {
		return unit.Known(v)
	}
	return unit.Unknown[bool]("print does not show " + key)
}

// has reports whether the row has a flag.
func (r *routerosRow) has(flag string) bool { return strings.Contains(r.flags, flag) }

// proof returns the line of a value with its source.
func (r *routerosRow) proof(key string) facts.Proof {
	return facts.Proof{Source: r.source, Line: facts.OneLine(r.from(key))}
}

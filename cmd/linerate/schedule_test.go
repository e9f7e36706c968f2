package main

import (
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/record"
	"linerate/internal/run"
)

// Before a run stands what it writes: to few places each, to many all of it; places of a measurement by hand are paths.
func TestWritesBefore(t *testing.T) {
	w := func(place string, bytes unit.Bytes, long time.Duration) run.Written {
		return run.Written{Place: place, Host: "h", Path: "/" + place, Bytes: bytes, For: long}
	}
	for _, c := range []struct {
		fabric string
		all    []run.Written
		want   string
	}{
		{"f.yaml", nil, ""},
		{"f.yaml", []run.Written{w("nas.pool", 24*unit.GiB, 0), w("pc.disk", 0, 90*time.Second), w("nas.pool", unit.GiB, time.Second)}, "writes at most 25 GiB and for 1s as much as it takes to nas.pool, for 1m30s as much as it takes to pc.disk"},
		{"", []run.Written{w("storage", unit.GiB, 0)}, "writes at most 1 GiB to h:/storage"},
		{"", []run.Written{{Place: "storage", Host: "here", Bytes: 768e6}}, "writes at most 768 MB to here"},
		{"f.yaml", []run.Written{w("a", 1e9, 0), w("b", 1e9, 0), w("c", 1e9, 0), w("d", 1e9, 0), w("e", 1e9, 0)}, "writes at most 5.00 GB in all to 5 places: a, b, c, d and so on"},
	} {
		j := &job{run: &record.Run{FabricPath: c.fabric}}
		if got := j.writes(c.all); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

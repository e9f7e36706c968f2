package report

import (
	"bytes"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{Out: &b, Total: 18}
	p.Start(4, "stream desktop -> nas  1 stream", 41*time.Second)
	p.Done(4, "stream desktop -> nas  1 stream", "9.41 Gb/s", 41*time.Second)
	p.Done(18, "ping a\x1b[31m -> b", "54.5 us", 0)
	p.End()
	want := "[ 4/18] stream desktop -> nas  1 stream               9.41 Gb/s   00:41 left\n" +
		"[18/18] ping a -> b                                     54.5 us\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	p = &Progress{Out: &b, Total: 2, Terminal: true, Width: 30}
	p.Start(1, "stream desktop -> nas  1 stream", time.Hour)
	p.Start(1, "stream desktop -> nas  1 stream", time.Minute)
	p.Done(1, "x", "1 b/s", 0)
	p.Start(2, "y", 0)
	p.End()
	want = "[1/2] stream desktop -> nas\r\x1b[K[1/2] stream desktop -> nas\r\x1b[K" +
		"[1/2] x                                                 1 b/s\n[2/2] y\r\x1b[K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	for d, want := range map[time.Duration]string{41 * time.Second: "00:41", 61 * time.Minute: "1:01:00", 0: "00:00", 1499 * time.Millisecond: "00:01"} {
		if got := Clock(d); got != want {
			t.Errorf("Clock(%v) = %q, want %q", d, got, want)
		}
	}
}

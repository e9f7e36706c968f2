package report

import (
	"bytes"
	"strings"
	"sync"
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

// shared is a buffer that two may use.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *shared) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// The status says what is under way, since when, and when all is done; a log gets it by itself where nothing else comes.
func TestProgressStatus(t *testing.T) {
	var b shared
	p := &Progress{Out: &b, Total: 12}
	p.Status()
	p.Start(3, "stream a\x1b -> b", 90*time.Second)
	p.began = time.Date(2026, 11, 23, 14, 30, 0, 0, time.UTC)
	if got, want := p.status(p.began.Add(30*time.Second)), "[ 3/12] stream a -> b  for 00:30   01:00 left, done about 14:31"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.status(p.began.Add(5 * time.Minute)); !strings.Contains(got, "for 05:00   00:00 left") {
		t.Errorf("longer than estimated: %q", got)
	}
	p.Done(3, "stream a -> b", "9.41 Gb/s", 0, "99 % of its ceiling")
	p.Status()
	want := "no measurement is under way\n[ 3/12] stream a -> b                                 9.41 Gb/s   99 % of its ceiling\nno measurement is under way\n"
	if b.text() != want {
		t.Errorf("got  %q\nwant %q", b.text(), want)
	}
	stop, over := make(chan struct{}), make(chan struct{})
	go func() { p.Beat(10*time.Millisecond, stop); close(over) }()
	for range 2000 {
		if len(b.text()) > len(want) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	<-over
	if !strings.HasPrefix(b.text(), want+"no measurement is under way\n") {
		t.Errorf("no sign of life: %q", b.text())
	}
}

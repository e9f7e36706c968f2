package terminal

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &Progress{Out: &b, Total: 18}
	p.Start(4, "desktop -> nas  1 stream", 41*time.Second)
	p.Done(4, "desktop -> nas  1 stream", "9.41 Gb/s", "100 %")
	p.Done(18, "a\x1b[31m -> b  latency", "54.5 us", "")
	p.End()
	want := " 4/18  desktop -> nas  1 stream                      9.41 Gb/s   100 %\n" +
		"18/18  a -> b  latency                                 54.5 us\n"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	b.Reset()
	p = &Progress{Out: &b, Total: 2, Terminal: true, Width: 30}
	p.Start(1, "desktop -> nas  1 stream, more", time.Hour)
	p.Start(1, "desktop -> nas  1 stream, more", time.Minute)
	p.Done(1, "x", "1 b/s", "")
	p.Start(2, "y", 0)
	p.End()
	want = "1/2  desktop -> nas  1 stream\r\x1b[K1/2  desktop -> nas  1 stream\r\x1b[K" +
		"1/2  x                                                 1 b/s\n2/2  y\r\x1b[K"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
	for d, want := range map[time.Duration]string{41 * time.Second: "00:41", 61 * time.Minute: "1:01:00", 0: "00:00",
		1499 * time.Millisecond: "00:01"} {
		if got := Clock(d); got != want {
			t.Errorf("Clock(%v) = %q, want %q", d, got, want)
		}
	}
}

// The line of a finished measurement has its figure and its share within 80 columns, whatever its name is.
func TestFinishedWidth(t *testing.T) {
	p := &Progress{Total: 1800}
	for _, what := range []string{"a -> b", strings.Repeat("long-name ", 12)} {
		for _, figure := range []string{"9.41 Gb/s", "241 MB/s, 460 IOPS", "failed"} {
			line := p.text(7, what, figure, "99.9 %")
			if n := len([]rune(line)); n > 80 || !strings.HasSuffix(line, figure+"  99.9 %") {
				t.Errorf("%d columns: %q", n, line)
			}
		}
	}
}

// On a terminal the line of the running measurement has what it carries now, as much of it as the width holds. A log
// gets the same by the status.
func TestProgressNow(t *testing.T) {
	var b shared
	figure, more := "", []string(nil)
	p := &Progress{Out: &b, Total: 18, Terminal: true, Width: 200,
		Now: func() (string, []string) { return figure, append([]string(nil), more...) }}
	began := time.Date(2026, 11, 23, 14, 30, 0, 0, time.UTC)
	p.Start(4, "desktop -> nas  1 stream", 41*time.Second)
	p.began = began
	line := func(width int) string {
		p.Width = width
		figure, more := p.now()
		return p.line(began.Add(11*time.Second), figure, more)
	}
	if got, want := line(200), " 4/18  desktop -> nas  1 stream   00:30 left"; got != want {
		t.Errorf("before the first value:\n%q, want\n%q", got, want)
	}
	figure, more = "9.41 Gb/s", []string{"99 % of the \x1b[31mlink", "busiest core desktop 61 %, nas 45 %"}
	for width, want := range map[int]string{
		200: " 4/18  desktop -> nas  1 stream  9.41 Gb/s   00:30 left   99 % of the link   busiest core desktop " +
			"61 %, nas 45 %",
		80: " 4/18  desktop -> nas  1 stream  9.41 Gb/s   00:30 left   99 % of the link",
		60: " 4/18  desktop -> nas  1 stream  9.41 Gb/s   00:30 left",
		20: " 4/18  desktop -> nas  1 stream", // cut where it is written
	} {
		if got := line(width); got != want {
			t.Errorf("%d columns:\n%q, want\n%q", width, got, want)
		}
	}
	if got, want := p.status(
		began.Add(11*time.Second),
	), " 4/18  desktop -> nas  1 stream  9.41 Gb/s  for 00:11   00:30 left, done about 14:30   99 % of the "+
		"link   busiest core desktop 61 %, nas 45 %"; got != want {
		t.Errorf("%q, want\n%q", got, want)
	}
	p.Width = 80
	p.Redraw()
	p.End()
	before := b.text()
	if !strings.Contains(before, "9.41 Gb/s") || !strings.HasSuffix(before, "\r\x1b[K") {
		t.Errorf("%q", before)
	}
	if p.Redraw(); b.text() != before {
		t.Errorf("drawn after the end: %q", b.text())
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

// The status has what is under way, since when, and when all is done. A log gets it by itself where nothing else is
// printed.
func TestProgressStatus(t *testing.T) {
	var b shared
	p := &Progress{Out: &b, Total: 12}
	p.Status()
	p.Start(3, "stream a\x1b -> b", 90*time.Second)
	p.began = time.Date(2026, 11, 23, 14, 30, 0, 0, time.UTC)
	if got, want := p.status(
		p.began.Add(30*time.Second),
	), " 3/12  stream a -> b  for 00:30   01:00 left, done about 14:31"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := p.status(p.began.Add(5 * time.Minute)); !strings.Contains(got, "for 05:00   00:00 left") {
		t.Errorf("longer than estimated: %q", got)
	}
	p.Done(3, "stream a -> b", "9.41 Gb/s", "99.0 %")
	p.Status()
	want := "no measurement is under way\n 3/12  stream a -> b                                 9.41 Gb/s  99.0 %\n" +
		"no measurement is under way\n"
	if b.text() != want {
		t.Errorf("got  %q\nwant %q", b.text(), want)
	}
}

// Where nothing else is printed, a log gets the status once a period, and not where something was printed meanwhile.
func TestProgressBeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b shared
		p := &Progress{Out: &b, Total: 12}
		stop := make(chan struct{})
		go p.Beat(time.Minute, stop)
		time.Sleep(150 * time.Second)
		synctest.Wait()
		const idle = "no measurement is under way\n"
		if got := b.text(); got != idle+idle {
			t.Errorf("after two and a half minutes: %q", got)
		}
		close(stop)
		synctest.Wait()
		time.Sleep(10 * time.Minute)
		if got := b.text(); got != idle+idle {
			t.Errorf("after it was stopped: %q", got)
		}
	})
}

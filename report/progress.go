package report

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Progress prints one line a measurement, to standard error. On a terminal the
// line of the running one is rewritten. It is safe for concurrent use.
type Progress struct {
	Out      io.Writer
	Total    int  // measurements
	Width    int  // columns; 0: 80
	Terminal bool // Out is one: the running line may be rewritten
	ASCII    bool

	mu    sync.Mutex
	dirty bool // an unfinished line stands on the terminal

	running string        // the measurement under way: its line without a figure; empty: none
	began   time.Time     // when it began
	left    time.Duration // that remained then; 0: unknown
	last    time.Time     // when a line was printed
}

// Start shows a measurement that begins. n counts from 1; what names it
// ("stream desktop -> nas  1 stream"); left is the estimate of what remains, 0
// if unknown. Off a terminal it prints nothing.
func (p *Progress) Start(n int, what string, left time.Duration) {
	p.mu.Lock()
	p.running, p.began, p.left = fmt.Sprintf("[%*d/%d] %s", len(fmt.Sprint(p.Total)), n, p.Total, clean(what)), time.Now(), left
	p.mu.Unlock()
	if p.Terminal {
		p.print(p.text(n, what, "..", left), false)
	}
}

// Status prints what is under way, since when, and when all will be done, as a line of its own.
func (p *Progress) Status() { p.print(p.status(time.Now()), true) }

func (p *Progress) status(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == "" {
		return "no measurement is under way"
	}
	s := fmt.Sprintf("%s  for %s", p.running, Clock(now.Sub(p.began)))
	if left := p.left - now.Sub(p.began); p.left > 0 {
		s += fmt.Sprintf("   %s left, done about %s", Clock(max(left, 0)), now.Add(max(left, 0)).Format("15:04"))
	}
	return s
}

// Beat prints the status when nothing was printed for so long, until stop is closed. It is for what is no terminal: a log shows that
// the run is alive.
func (p *Progress) Beat(every time.Duration, stop <-chan struct{}) {
	ticks := time.NewTicker(max(every/10, time.Millisecond))
	defer ticks.Stop()
	begun := time.Now()
	for {
		select {
		case <-stop:
			return
		case now := <-ticks.C:
			p.mu.Lock()
			silent := now.Sub(p.last)
			if p.last.IsZero() {
				silent = now.Sub(begun)
			}
			p.mu.Unlock()
			if silent >= every {
				p.Status()
			}
		}
	}
}

// Done shows a measurement that has ended, with its figure ("9.41 Gb/s") or
// what became of it ("failed"), and what else is to be said of it.
func (p *Progress) Done(n int, what, figure string, left time.Duration, more ...string) {
	p.mu.Lock()
	p.running = ""
	p.mu.Unlock()
	s := p.text(n, what, figure, left)
	for _, m := range more {
		s += "   " + clean(m)
	}
	p.print(s, true)
}

// Note prints a line of its own between measurements.
func (p *Progress) Note(text string) { p.print(clean(text), true) }

// End takes an unfinished line away.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dirty {
		_, _ = io.WriteString(p.Out, "\r\x1b[K")
		p.dirty = false
	}
}

func (p *Progress) text(n int, what, figure string, left time.Duration) string {
	digits := len(fmt.Sprint(p.Total))
	s := fmt.Sprintf("[%*d/%d] %s  %s", digits, n, p.Total, pad(clean(what), 44), padLeft(clean(figure), 9))
	if left > 0 {
		s += "   " + Clock(left) + " left"
	}
	return s
}

func (p *Progress) print(s string, end bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ASCII {
		s = ascii(s)
	}
	if p.Terminal {
		columns := p.Width
		if columns <= 0 {
			columns = 80
		}
		// A running line that wraps could not be rewritten.
		if r := []rune(s); !end && len(r) > columns-1 {
			s = string(r[:columns-1])
		}
		if p.dirty {
			s = "\r\x1b[K" + s
		}
	}
	s = strings.TrimRight(s, " ")
	if end {
		s += "\n"
	}
	p.dirty, p.last = !end, time.Now()
	_, _ = io.WriteString(p.Out, s) // a closed standard error must not end a run
}

// Clock prints a time that remains: "00:41", "1:02:03".
func Clock(d time.Duration) string {
	s := int((d + time.Second/2) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

package terminal

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"linerate/internal/report/format"
)

// finished is the width of the line of a finished measurement.
const finished = 80

// Progress prints one line of at most 80 columns for each measurement, to standard error. On a terminal it rewrites the
// line of the running one. It is safe for concurrent use.
type Progress struct {
	Out      io.Writer
	Total    int  // measurements
	Width    int  // columns; 0: 80
	Terminal bool // Out is one: the running line may be rewritten
	ASCII    bool
	// Now returns the present figure of the running measurement, empty if not known yet, and more texts, most important
	// first. It may be nil. Several goroutines call it.
	Now func() (figure string, more []string)

	mu    sync.Mutex
	dirty bool // the terminal has an unfinished line

	running string        // number of the running measurement, as " 4/18  "; empty: none
	what    string        // names it
	began   time.Time     // when it began
	left    time.Duration // remaining time at that moment; 0: unknown
	last    time.Time     // when a line was printed
}

// Start shows a measurement that begins. n counts from 1; what names it ("desktop -> nas  1 stream"); left is the
// estimated remaining time, 0 if unknown. Off a terminal it prints nothing.
func (p *Progress) Start(n int, what string, left time.Duration) {
	p.mu.Lock()
	p.running, p.what, p.began, p.left = p.number(n), format.Clean(what), time.Now(), left
	p.mu.Unlock()
	p.Redraw()
}

// Redraw shows the present state of the running measurement on a terminal; elsewhere it does nothing.
func (p *Progress) Redraw() {
	if !p.Terminal {
		return
	}
	figure, more := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != "" {
		p.write(p.line(time.Now(), figure, more), false)
	}
}

// leastWhat is the shortest kept part of a measurement's name on a narrow terminal, in columns.
const leastWhat = 24

// line describes the running measurement in one line of the terminal. Its name is cut and then the least important text
// is omitted until it fits.
func (p *Progress) line(now time.Time, figure string, more []string) string {
	var tails []string
	if figure != "" {
		tails = append(tails, "  "+format.PadLeft(figure, 9))
	}
	if p.left > 0 {
		tails = append(tails, "   "+Clock(max(p.left-now.Sub(p.began), 0))+" left")
	}
	for _, m := range more {
		tails = append(tails, "   "+m)
	}
	columns, width := p.columns()-1, func(s string) int { return len([]rune(s)) }
	for ; len(tails) > 0; tails = tails[:len(tails)-1] {
		tail := strings.Join(tails, "")
		room := columns - width(p.running) - width(tail)
		if width(p.what) <= room {
			return p.running + p.what + tail
		}
		if room >= leastWhat {
			return p.running + string([]rune(p.what)[:room-3]) + "..." + tail
		}
	}
	return p.running + p.what
}

// now returns the texts of Now, cleaned.
func (p *Progress) now() (figure string, more []string) {
	if p.Now == nil {
		return "", nil
	}
	figure, more = p.Now()
	for i := range more {
		more[i] = format.Clean(more[i])
	}
	return format.Clean(figure), more
}

func (p *Progress) columns() int {
	if p.Width <= 0 {
		return 80
	}
	return p.Width
}

// Status prints the running measurement, its start, and the expected end of all, as a line of its own.
func (p *Progress) Status() { p.print(p.status(time.Now()), true) }

func (p *Progress) status(now time.Time) string {
	figure, more := p.now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running == "" {
		return "no measurement is under way"
	}
	s := p.running + p.what
	if figure != "" {
		s += "  " + figure
	}
	s += "  for " + Clock(now.Sub(p.began))
	if left := p.left - now.Sub(p.began); p.left > 0 {
		s += fmt.Sprintf("   %s left, done about %s", Clock(max(left, 0)), now.Add(max(left, 0)).Format("15:04"))
	}
	for _, m := range more {
		s += "   " + m
	}
	return s
}

// Beat prints the status when nothing was printed for this long, until stop is closed. In logs it shows that the run is
// alive.
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

// Done shows a measurement that has ended, with its figure ("9.41 Gb/s") or its outcome ("failed"), and its share of
// the ceiling ("100 %"), empty if there is none.
func (p *Progress) Done(n int, what, figure, share string) {
	p.mu.Lock()
	p.running = ""
	p.mu.Unlock()
	p.print(p.text(n, what, figure, share), true)
}

// Note prints a line of its own between measurements.
func (p *Progress) Note(text string) { p.print(format.Clean(text), true) }

// End removes an unfinished line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = ""
	if p.dirty {
		_, _ = io.WriteString(p.Out, "\r\x1b[K")
		p.dirty = false
	}
}

func (p *Progress) number(n int) string {
	return fmt.Sprintf("%*d/%d  ", len(fmt.Sprint(p.Total)), n, p.Total)
}

// text is the line of a finished measurement. A long name is cut, so that its figure is on the same line.
func (p *Progress) text(n int, what, figure, share string) string {
	const name = 44
	number, what := p.number(n), format.Clean(what)
	tail := "  " + format.PadLeft(format.Clean(figure), 9)
	if share != "" {
		tail += "  " + format.PadLeft(share, 6)
	}
	room := max(leastWhat, finished-format.Width(number)-format.Width(tail))
	if r := []rune(what); len(r) > room {
		what = string(r[:room-3]) + "..."
	}
	line := []rune(number + format.Pad(what, min(name, room)) + tail)
	return string(line[:min(len(line), finished)])
}

func (p *Progress) print(s string, end bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(s, end)
}

// write is print, with mu held.
func (p *Progress) write(s string, end bool) {
	if p.ASCII {
		s = format.ASCII(s)
	}
	if p.Terminal {
		columns := p.columns()
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

// Clock formats a remaining time: "00:41", "1:02:03".
func Clock(d time.Duration) string {
	s := int((d + time.Second/2) / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}

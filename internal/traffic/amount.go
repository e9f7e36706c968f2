package traffic

import (
	"fmt"
	"math"
	"time"

	"linerate/internal/base/unit"
)

// checkAmount says what is wrong with the amount of s.
func (s Setup) checkAmount() error {
	bad := func(text string) error { return &Error{Code: CodeInput, Subject: "amount", Text: text} }
	switch {
	case s.Amount == 0:
		return nil
	case s.Amount < 0:
		return bad(fmt.Sprintf("%d is no number of bytes", int64(s.Amount)))
	case s.Method != "stream":
		return bad("it is for stream; " + s.Method + " takes a time")
	case s.Transport == UDP:
		return bad("datagrams that are lost are not sent again, so that no amount of them comes through for certain; measure a time, or use tcp")
	case s.Tuning.Gather > 1:
		return bad("gathered messages take a time; leave gather or the amount out")
	case s.Amount < unit.Bytes(s.Streams):
		return bad(fmt.Sprintf("%s is less than a byte for each of %d streams; ask for more, or for fewer streams", s.Amount, s.Streams))
	case s.Warmup != 0 || s.Tuning.Trial:
		return bad("every byte of it counts, so that there is no warm-up and no trial")
	}
	return nil
}

// share is what connection i carries of an amount: an equal part, the first ones a byte more where it does not divide; 0 without one.
func (s Setup) share(i int) int64 {
	if s.Amount == 0 {
		return 0
	}
	n, streams := int64(s.Amount), int64(s.Streams)
	part := n / streams
	if int64(i)%streams < n%streams {
		part++
	}
	return part
}

// left is how many bytes of its share the sending task has not handed over yet, as much as one call may take.
func (t *task) left() int {
	if t.share == 0 {
		return math.MaxInt
	}
	return int(min(t.share-t.sent.Load(), math.MaxInt))
}

// allIn says whether everything that the receiving task waits for is in.
func (t *task) allIn() bool { return t.share > 0 && t.counter.total.Load() == t.share }

// atBegin and through read the socket at the two ends of an amount, which are not those of a window.
func (t *task) atBegin() {
	if t.share > 0 {
		t.before, _ = t.wire.reading()
	}
}

func (t *task) through() {
	if t.share > 0 {
		t.after, _ = t.wire.reading()
	}
}

// complete is the error of an amount that did not come through in time.
func (e *End) complete(tasks []*task) error {
	if e.setup.Amount == 0 {
		return nil
	}
	var want, have int64
	missing := 0
	verb := "sent"
	for _, t := range tasks {
		n := t.sent.Load()
		if !t.active() {
			n, verb = t.counter.total.Load(), "received"
		}
		want, have = want+t.share, have+n
		if n < t.share {
			missing++
		}
		if n > t.share {
			return &Error{Code: CodeInternal, Subject: "amount", Text: fmt.Sprintf("stream %d: %d bytes of %d", t.index, n, t.share)}
		}
	}
	if missing == 0 {
		return nil
	}
	return &Error{Code: CodeTimeout, Subject: "amount", Text: fmt.Sprintf("%s of %s were %s within the limit of %v; ask for less, or for more time (--time)",
		unit.Bytes(have), unit.Bytes(want), verb, e.setup.Window)}
}

// transfer is the outcome of an amount: from the moment at which everybody starts to the last byte that was received here.
func (o *Outcome) transfer(w window, counters []*counter) {
	o.StartNS, o.EndNS = w.begin, Now()
	if len(counters) > 0 {
		o.EndNS = w.begin + 1
	}
	var bytes int64
	for _, c := range counters {
		o.EndNS = max(o.EndNS, c.last)
		bytes += c.total.Load()
	}
	o.CloseNS = o.EndNS
	o.Goodput = over(bytes, o.StartNS, o.EndNS)
	if len(counters) > 0 {
		o.FirstNS = firstByte(counters)
		w.close = o.EndNS
		o.Series = series(w, counters)
		// The last slice ends where the transfer does, and may be too short to say anything.
		if n := len(o.Series); n > 1 && (o.EndNS-o.StartNS)%w.step < w.step/2 && (o.EndNS-o.StartNS)%w.step > 0 {
			o.Series = o.Series[:n-1]
		}
	}
}

// over is n bytes between two stamps, in bits per second.
func over(n, start, end int64) float64 {
	if end <= start {
		return 0
	}
	return float64(n) * 8 / time.Duration(end-start).Seconds()
}

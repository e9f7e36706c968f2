package traffic

import (
	"fmt"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
)

// checkAmount reports what is wrong with the amount of s.
func (s Setup) checkAmount(e Entry) error {
	bad := func(text string) error {
		return &failure.Error{Code: failure.CodeInput, Subject: "amount", Text: text}
	}
	switch {
	case s.Amount == 0:
		return nil
	case s.Amount < 0:
		return bad(fmt.Sprintf("%d is not a number of bytes", int64(s.Amount)))
	case e.NoAmount != "":
		return bad(e.NoAmount)
	case s.Tuning.Gather > 1:
		return bad("gathered messages take a time; leave gather or the amount out")
	case s.Amount < unit.Bytes(s.Streams):
		return bad(fmt.Sprintf("%s is less than a byte for each of %d streams; ask for more, or for fewer streams",
			s.Amount, s.Streams))
	case s.Warmup != 0 || s.Tuning.Trial:
		return bad("every byte of it counts, so that there is no warm-up and no trial")
	}
	return nil
}

// Share is the number of bytes of an amount that connection i carries: equal parts, the first ones a byte more where
// they do not divide; 0 without an amount.
func (s Setup) Share(i int) int64 {
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

// Transfer sets the outcome of an amount: from the common start to the last byte that was received here.
func (o *Outcome) Transfer(w Interval, counters []*Counter) {
	o.StartNS, o.EndNS = w.Begin, Now()
	if len(counters) > 0 {
		o.EndNS = w.Begin + 1
	}
	var bytes int64
	for _, c := range counters {
		o.EndNS = max(o.EndNS, c.Last)
		bytes += c.Total.Load()
	}
	o.CloseNS = o.EndNS
	o.Goodput = Over(bytes, o.StartNS, o.EndNS)
	if len(counters) > 0 {
		o.FirstNS = firstByte(counters)
		w.Close = o.EndNS
		o.Series = series(w, counters)
		// The last slice ends where the transfer does, and may be too short to say anything.
		if n := len(o.Series); n > 1 && (o.EndNS-o.StartNS)%w.Step < w.Step/2 && (o.EndNS-o.StartNS)%w.Step > 0 {
			o.Series = o.Series[:n-1]
		}
	}
}

// Over is n bytes between two stamps, in bits per second.
func Over(n, start, end int64) float64 {
	if end <= start {
		return 0
	}
	return float64(n) * 8 / time.Duration(end-start).Seconds()
}

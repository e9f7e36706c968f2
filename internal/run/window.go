package run

import (
	"time"

	"linerate/internal/base/unit"
)

// Windows and the time around them. Accuracy is claimed for windows of 10 s.
const (
	// DefaultWindow is that of a repeat where nobody says.
	DefaultWindow = 5 * time.Second
	labWindow     = time.Second
	minWindow     = 800 * time.Millisecond
	warmup        = 300 * time.Millisecond
	// overhead is what a repeat costs beside its warm-up and window: connections,
	// captures, the agents' answers. It is for the time left, nothing else.
	overhead   = 250 * time.Millisecond
	idleWindow = 2 * time.Second
)

// warmupEach is how much longer the warm-up is for every stream: hundreds of them take
// a while to start, and to share what is there.
const warmupEach = time.Millisecond

func warmupOf(streams int) time.Duration {
	return warmup + time.Duration(streams-1)*warmupEach
}

// asked is the window that a cell's file asks for, or the limit of its amount. A text that is no duration
// was refused when the file was read.
func (c *Cell) asked() time.Duration {
	if d, err := unit.ParseDuration(c.Window); err == nil && d > 0 {
		return d
	}
	if c.whole() {
		return AmountLimit
	}
	return DefaultWindow
}

// steadyGuess is how long the steady state takes, where nothing is known of it.
const steadyGuess = 20 * time.Second

// AmountLimit is how long an amount, or a command, may take where nobody says.
const AmountLimit = 10 * time.Minute

// whole says whether a repeat lasts as long as it takes, and its window is only the limit.
func (c *Cell) whole() bool {
	return c.amount() > 0 || c.app != nil || c.copy != nil || c.block != nil && c.block.job.Steady
}

// amount is how many bytes a cell carries in place of a time; 0: none.
func (c *Cell) amount() unit.Bytes {
	n, err := unit.ParseBytes(c.Exp.Settings["amount"])
	if err != nil {
		return 0
	}
	return n
}

// expected is how long an amount will take: as long as the repeats before, else as its pace or the slowest link of its path allows;
// 0 where none is known.
func (c *Cell) expected(scale float64) time.Duration {
	if n := len(c.Exp.Repeats); n > 0 {
		return time.Duration(c.Exp.Repeats[n-1].Seconds * 1e9)
	}
	if c.app != nil {
		return min(c.asked(), appGuess)
	}
	if c.copy != nil && scale < 1 {
		return time.Duration(labCopyTime * 1e9)
	}
	if c.block != nil && c.block.job.Steady {
		return min(c.asked(), steadyGuess)
	}
	rate := 0.0
	for _, p := range c.paths() {
		if v := float64(p.Speed()) * scale; v > 0 && (rate == 0 || v < rate) {
			rate = v
		}
	}
	if p, err := unit.ParseBitRate(c.Exp.Settings["pace"]); err == nil {
		if all := float64(p) * float64(c.streams()); rate == 0 || all < rate {
			rate = all
		}
	}
	if rate <= 0 {
		return 0
	}
	return min(c.asked(), time.Duration(float64(c.amount())*8/rate*1e9))
}

// window is how long the next repeat of a cell may take: what is asked for, in
// the lab at most labWindow unless a budget allows more, and with a budget an
// equal part of what is left of it, never below minWindow.
func window(asked time.Duration, lab bool, budget, left time.Duration, repeatsLeft int) time.Duration {
	w := asked
	switch {
	case budget > 0 && repeatsLeft > 0:
		w = min(asked, left/time.Duration(repeatsLeft)-warmup-overhead)
	case lab:
		w = min(asked, labWindow)
	}
	return max(w, min(minWindow, asked))
}

// takes is how long a repeat of a window is.
func (c *Cell) takes(window time.Duration) time.Duration {
	d := window + warmup + overhead
	if c.block != nil {
		d += c.block.job.Warmup + c.block.pause
	}
	if c.Exp.Settings["load_streams"] != "" {
		d += window + loadWarmup + overhead // once without the load, once with it
	}
	return d
}

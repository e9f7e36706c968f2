package run

import (
	"time"

	"linerate/unit"
)

// Windows and the time around them. Accuracy is claimed for windows of 10 s.
const (
	defaultWindow = 5 * time.Second
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

// asked is the window that a cell's file asks for. A text that is no duration
// was refused when the file was read.
func (c *Cell) asked() time.Duration {
	if d, err := unit.ParseDuration(c.Window); err == nil && d > 0 {
		return d
	}
	return defaultWindow
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
	if c.Exp.Settings["load_streams"] != "" {
		d += window + loadWarmup + overhead // once without the load, once with it
	}
	return d
}

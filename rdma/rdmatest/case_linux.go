package rdmatest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Case is the configuration of two ends.
type Case struct {
	Device, Transport, Op, Metric, Direction string
	Pairs, Size                              int
	Options                                  string // further words of open
	Listener                                 int    // over rdma_cm: which end listens
	Warm, Interval                           time.Duration
	During                                   func(ends [2]*End) // while it runs
}

func (c Case) String() string {
	return fmt.Sprintf("%s %s %s %s %s, %d pairs, %d bytes", c.Device, c.Transport, c.Op, c.Metric, c.Direction, c.Pairs,
		c.Size)
}

// Outcome is the output of both ends: on open, on connect, and after run.
type Outcome struct {
	Opened, Connected, Ran [2][]string
}

const (
	answers = time.Minute
	token   = "6c696e65726174652d76657262732121"
)

// Run takes two ends from open to done; addresses are theirs, for rdma_cm, and clocks the difference of their clocks to
// this machine's monotonic time.
func (c Case) Run(ctx context.Context, ends [2]*End, addresses [2]string,
	clock func(int) (time.Duration, error)) (o Outcome, err error) {
	for i, role := range []string{"from", "to"} {
		ends[i].Say(
			"%s",
			strings.TrimSpace(
				fmt.Sprintf("open device=%s port=1 transport=%s op=%s metric=%s role=%s direction=%s pairs=%d size=%d %s",
					c.Device, c.Transport, c.Op, c.Metric, role, c.Direction, c.Pairs, c.Size, c.Options),
			),
		)
	}
	if o.Opened, err = both(ends, "opened"); err != nil {
		return o, err
	}
	if c.Transport == "cm" {
		listens := c.Listener
		ends[listens].Say("listen address=%s token=%s", addresses[listens], token)
		said, err := ends[listens].Until(answers, "listening")
		if err != nil {
			return o, err
		}
		ends[1-listens].Say("dial address=%s port=%s token=%s source=%s", addresses[listens], Value(last(said), "port"),
			token, addresses[1-listens])
	} else {
		for i, lines := range o.Opened {
			for _, line := range lines {
				if p, ok := strings.CutPrefix(line, "pair "); ok {
					ends[1-i].Say("peer %s", p)
				}
			}
		}
	}
	ends[0].Say("connect")
	ends[1].Say("connect")
	if o.Connected, err = both(ends, "connected"); err != nil {
		return o, err
	}
	begin := Now() + 300*time.Millisecond
	for i, e := range ends {
		offset, err := clock(i)
		if err != nil {
			return o, err
		}
		t := begin + offset
		e.Say("run begin=%d open=%d close=%d slices=10", t, t+c.Warm, t+c.Warm+c.Interval)
	}
	if c.During != nil {
		c.During(ends)
	}
	o.Ran, err = both(ends, "done")
	return o, err
}

func both(ends [2]*End, word string) (said [2][]string, err error) {
	for i, e := range ends {
		var one error
		said[i], one = e.Until(2*answers, word)
		err = errors.Join(err, one)
	}
	return said, err
}

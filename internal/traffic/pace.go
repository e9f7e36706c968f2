package traffic

import (
	"fmt"
	"time"

	"linerate/internal/base/unit"
)

// paceStep is how long one message of a paced stream lasts at most: the rate is
// even down to this.
const paceStep = time.Millisecond

// Who keeps the rate that a stream was asked for. The kernel spaces packets; a program hands over no more than a
// millisecond's worth at once, as one does that reads from a slow source.
const (
	PaceByKernel  = "kernel"
	PaceByProgram = "program"
)

// pacer makes a sending program hand over no more than a rate.
type pacer struct {
	rate  float64 // bits per second, 0: none
	begin int64
}

func newPacer(rate unit.BitRate, begin int64) pacer { return pacer{float64(rate), begin} }

// pacer is what holds a sending task back: the kernel where it can and is not told otherwise, and then the program sends as
// fast as the kernel takes it. Which of them it is, and why it is not the kernel, stands in the effect.
func (t *task) pacer(kernel func(unit.BitRate) error) (pacer, error) {
	p := newPacer(t.setup.Pace, t.window.begin)
	if t.setup.Pace == 0 {
		return p, nil
	}
	t.effect.PaceBy = PaceByProgram
	if t.setup.PaceBy == PaceByProgram {
		return p, nil
	}
	err := kernel(t.setup.Pace)
	switch {
	case err == nil:
		t.effect.PaceBy = PaceByKernel
		return pacer{}, nil
	case t.setup.PaceBy == PaceByKernel:
		return p, &Error{Code: CodeUnsupported, Subject: "pace_by kernel", Text: err.Error() + "; let the program do it (pace_by program)"}
	}
	t.effect.PaceWhy = err.Error()
	return p, nil
}

// spread finds out what spaces the datagrams that a paced program hands over with one call.
func (t *udpTask) spread() error {
	if t.setup.Pace == 0 {
		return nil
	}
	t.effect.PaceBy = PaceByProgram
	if t.setup.PaceBy == PaceByProgram {
		return nil
	}
	by, err := t.udp.evenly(t.setup)
	switch {
	case err == nil:
		t.effect.PaceSpread = by
	case t.setup.PaceBy == PaceByKernel:
		return &Error{Code: CodeUnsupported, Subject: "pace_by kernel", Text: err.Error() + "; let the program do it (pace_by program)"}
	default:
		t.effect.PaceWhy = err.Error()
	}
	return nil
}

// checkPace says what is wrong with the pace of s.
func (s Setup) checkPace() error {
	switch {
	case s.PaceBy == "":
		return nil
	case s.PaceBy != PaceByKernel && s.PaceBy != PaceByProgram:
		return &Error{Code: CodeInput, Subject: "pace_by", Text: fmt.Sprintf("%.40q is not kernel or program", s.PaceBy)}
	case s.Pace == 0:
		return &Error{Code: CodeInput, Subject: "pace_by", Text: "it says who keeps a rate, and no pace was asked for; add one"}
	}
	return nil
}

// message is how large a message may be so that none lasts longer than paceStep.
func (p pacer) message(size int) int {
	if p.rate <= 0 {
		return size
	}
	return max(1, min(size, int(p.rate/8*paceStep.Seconds())))
}

// due is the stamp at which the next byte may be handed over after sent bytes.
func (p pacer) due(sent int64) int64 {
	return p.begin + int64(float64(sent)*8/p.rate*1e9)
}

// wait sleeps until the next message is due, or until stop.
func (p pacer) wait(sent, stop int64) {
	if p.rate <= 0 {
		return
	}
	if d := min(p.due(sent), stop) - Now(); d > 0 {
		time.Sleep(time.Duration(d))
	}
}

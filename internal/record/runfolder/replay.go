package runfolder

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"linerate/internal/record"
	"slices"
)

// Replayed is a journal turned back into the run that wrote it.
type Replayed struct {
	Run      *record.Run // with every finished repeat
	Captures []record.File
	Ended    bool   // the run said that it is over
	Why      string // why it ended incomplete
	Good     int64  // bytes up to the end of the last whole event; what stands behind was torn
}

// longestEvent bounds one line: a batch of samples has some 10 kB.
const longestEvent = 64 << 20

// Replay reads a journal. What a power cut or kill left torn at its end is left out;
// a line in its midst that cannot be read becomes a warning of the run. A journal
// of a higher major schema is refused; events and fields that are not known here are
// of a newer minor one and are passed over, with a warning in the case of events.
func Replay(r io.Reader) (*Replayed, error) {
	p := &Replayed{}
	unknown := 0
	good, damage, err := eachEvent(r, func(e written) error {
		known, err := p.apply(e)
		if !known {
			unknown++
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.Run == nil {
		return nil, errors.New("the run was cut off before its first event; there is nothing to show")
	}
	p.Good = good
	p.Run.Warnings = append(p.Run.Warnings, damage...)
	if unknown > 0 {
		p.Run.Warnings = append(p.Run.Warnings, fmt.Sprintf("%d events of the journal are of a newer linerate and were passed over", unknown))
	}
	return p, nil
}

var errBody = errors.New("the event's body is not what its kind says")

// apply adds one event; known is false for kinds that this version has not heard of.
func (p *Replayed) apply(e written) (known bool, err error) {
	if p.Run == nil && e.Kind != runStarted {
		return true, fmt.Errorf("the journal begins with an event %.40q in place of %s", string(e.Kind), runStarted)
	}
	switch e.Kind {
	case runStarted:
		return true, p.start(e)
	case runResumed:
		p.Ended, p.Why, p.Run.Complete = false, "", false
	case experiment:
		return true, body(e, func(b record.Experiment) {
			if b.ID == "" {
				return
			}
			old := p.experiment(b.ID)
			if b.Chased != nil && old.Chased == nil {
				p.chased(old, b.Chased.For)
			}
			b.Repeats, b.Chase = old.Repeats, old.Chase
			*old = b
		})
	case repeatDone:
		return true, body(e, func(b repeatBody) {
			if b.Experiment != "" {
				addRepeat(p.experiment(b.Experiment), b.Repeat)
			}
		})
	case samples:
	case capture:
		return true, body(e, func(b record.File) { p.Captures = append(p.Captures, b) })
	case host:
		return true, body(e, func(b record.HostState) {
			if i := slices.IndexFunc(p.Run.Hosts, func(h record.HostState) bool { return h.Name == b.Name }); i >= 0 {
				p.Run.Hosts[i] = b
			} else {
				p.Run.Hosts = append(p.Run.Hosts, b)
			}
		})
	case warning:
		return true, body(e, func(b textBody) { p.Run.Warnings = append(p.Run.Warnings, b.Text) })
	case verdict:
		return true, body(e, func(b verdictBody) {
			if b.Experiment != "" {
				p.experiment(b.Experiment).Verdict = b.Verdict
			}
		})
	case runEnded:
		return true, body(e, func(b endBody) {
			p.Ended, p.Why = true, b.Why
			p.Run.Complete, p.Run.Ended = b.Complete, e.Time
			p.Run.Goals, p.Run.Sentence, p.Run.Shortened, p.Run.Chase = b.Goals, b.Sentence, b.Shortened, b.Chase
		})
	default:
		return false, nil
	}
	return true, nil
}

func (p *Replayed) start(e written) error {
	if p.Run != nil {
		return errBody // a second beginning would throw the first run away
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if json.Unmarshal(e.Body, &head) != nil {
		return errBody
	}
	if err := checkSchema(head.Schema, record.JournalSchema); err != nil {
		return refused{err}
	}
	return body(e, func(b startBody) {
		if p.Run = b.Run; p.Run == nil {
			p.Run = &record.Run{}
		}
		p.Run.Experiments = nil
	})
}

// experiment returns the one with the id, made if it was not planned yet.
func (p *Replayed) experiment(id string) *record.Experiment {
	if e := p.Run.Experiment(id); e != nil {
		return e
	}
	e := &record.Experiment{ID: id}
	p.Run.Experiments = append(p.Run.Experiments, e)
	return e
}

// chased puts an experiment under the one that it was made for; where that is not in the journal it stays beside it.
func (p *Replayed) chased(e *record.Experiment, of string) {
	i := slices.Index(p.Run.Experiments, e)
	parent := slices.IndexFunc(p.Run.Experiments, func(x *record.Experiment) bool { return x.ID == of && x != e })
	if i < 0 || parent < 0 {
		return
	}
	under := p.Run.Experiments[parent]
	under.Chase = append(under.Chase, e)
	p.Run.Experiments = slices.Delete(p.Run.Experiments, i, i+1)
}

// addRepeat keeps repeats in the order of their index; one done again replaces its first.
func addRepeat(e *record.Experiment, r record.Repeat) {
	i, there := slices.BinarySearchFunc(e.Repeats, r.Index, func(a record.Repeat, index int) int { return cmp.Compare(a.Index, index) })
	if there {
		e.Repeats[i] = r
		return
	}
	e.Repeats = slices.Insert(e.Repeats, i, r)
}

func body[T any](e written, use func(T)) error {
	var b T
	if err := json.Unmarshal(e.Body, &b); err != nil {
		return errBody
	}
	use(b)
	return nil
}

// refused is an error that ends the reading; others only spoil their line.
type refused struct{ error }

// eachEvent calls use for every line that is an event. good is the offset behind
// the last one; damage says which lines before it could not be read.
func eachEvent(r io.Reader, use func(written) error) (good int64, damage []string, err error) {
	in := bufio.NewReaderSize(r, 256<<10)
	var at int64
	var bad []string // lines that could not be read since the last good one
	for number := 1; ; number++ {
		line, n, err := readLine(in)
		at += n
		if errors.Is(err, io.EOF) {
			return good, damage, nil // what has no line break was torn
		}
		if err != nil {
			return good, damage, fmt.Errorf("read the journal: %w", err)
		}
		var e written
		err = errors.New("it is not one whole JSON object")
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			err = use(e)
		}
		var stop refused
		switch {
		case err == nil:
			good, damage, bad = at, append(damage, bad...), nil
		case errors.As(err, &stop):
			return good, damage, stop.error
		case len(damage)+len(bad) < 100: // more of the same helps nobody
			bad = append(bad, fmt.Sprintf("line %d of the journal was left out: %v", number, err))
		}
	}
}

// readLine returns the next line without its break, and how many bytes it took.
// A line that is too long is empty. io.EOF: there is no further line break.
func readLine(in *bufio.Reader) (line []byte, n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if n <= longestEvent {
			line = append(line, part...)
		} else {
			line = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, n, err
		}
		return line, n, nil
	}
}

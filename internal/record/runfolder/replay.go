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

// Replayed is a run as its journal has it.
type Replayed struct {
	Run       *record.Run // with every finished repeat
	Snapshots []record.File
	Ended     bool   // the run recorded its end
	Why       string // why it ended incomplete
	Good      int64  // bytes up to the end of the last whole event; the rest is torn
}

// longestEvent bounds a line in bytes. A batch of samples has some 10 kB.
const longestEvent = 64 << 20

// Replay reads a journal. It omits a torn line at the end, which a power cut or kill leaves. A line before the end that
// cannot be read becomes a warning of the run. A journal of a higher major schema is refused. Unknown events and fields
// are of a newer minor schema and are skipped, with a warning for events.
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
		p.Run.Warnings = append(p.Run.Warnings,
			fmt.Sprintf("%d events of the journal are of a newer linerate and were passed over", unknown))
	}
	return p, nil
}

var errBody = errors.New("the event's body is not what its kind says")

// apply adds one event; known is false for kinds that this version does not know.
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
			if b.FollowedUp != nil && old.FollowedUp == nil {
				p.followedUp(old, b.FollowedUp.For)
			}
			b.Repeats, b.FollowUp = old.Repeats, old.FollowUp
			b.ReplaceAliases()
			*old = b
		})
	case repeatDone:
		return true, body(e, func(b repeatBody) {
			if b.Experiment != "" {
				addRepeat(p.experiment(b.Experiment), b.Repeat)
			}
		})
	case samples:
	case snapshot:
		return true, body(e, func(b record.File) { p.Snapshots = append(p.Snapshots, b) })
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
			p.Run.Goals, p.Run.Sentence, p.Run.Shortened, p.Run.FollowUp = b.Goals, b.Sentence, b.Shortened, b.FollowUp
		})
	default:
		return false, nil
	}
	return true, nil
}

func (p *Replayed) start(e written) error {
	if p.Run != nil {
		return errBody // a second start would discard the first run
	}
	var head struct {
		Schema string `json:"schema"`
		Run    struct {
			Version string `json:"version"`
		} `json:"run"`
	}
	if json.Unmarshal(e.Body, &head) != nil {
		return errBody
	}
	if err := checkSchema(head.Schema, record.JournalSchema); err != nil {
		if errors.Is(err, errOlder) {
			err = writtenBefore(head.Run.Version)
		}
		return refused{err}
	}
	return body(e, func(b startBody) {
		if p.Run = b.Run; p.Run == nil {
			p.Run = &record.Run{}
		}
		p.Run.Experiments = nil
	})
}

// experiment returns the experiment with the id. It adds one if it was not planned yet.
func (p *Replayed) experiment(id string) *record.Experiment {
	if e := p.Run.Experiment(id); e != nil {
		return e
	}
	e := &record.Experiment{ID: id}
	p.Run.Experiments = append(p.Run.Experiments, e)
	return e
}

// followedUp moves an experiment below the one that it follows up. If the journal does not have that one, it stays
// among the others.
func (p *Replayed) followedUp(e *record.Experiment, of string) {
	i := slices.Index(p.Run.Experiments, e)
	parent := slices.IndexFunc(p.Run.Experiments, func(x *record.Experiment) bool { return x.ID == of && x != e })
	if i < 0 || parent < 0 {
		return
	}
	under := p.Run.Experiments[parent]
	under.FollowUp = append(under.FollowUp, e)
	p.Run.Experiments = slices.Delete(p.Run.Experiments, i, i+1)
}

// addRepeat keeps repeats in the order of their index; a repeat that was done again replaces the first.
func addRepeat(e *record.Experiment, r record.Repeat) {
	i, there := slices.BinarySearchFunc(e.Repeats, r.Index,
		func(a record.Repeat, index int) int { return cmp.Compare(a.Index, index) })
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

// refused is an error that ends the reading. Other errors affect only their line.
type refused struct{ error }

// eachEvent calls use for every line that is an event. good is the offset after the last event. damage names the lines
// before it that could not be read.
func eachEvent(r io.Reader, use func(written) error) (good int64, damage []string, err error) {
	in := bufio.NewReaderSize(r, 256<<10)
	var at int64
	var bad []string // lines that could not be read since the last good one
	for number := 1; ; number++ {
		line, n, err := readLine(in)
		at += n
		if errors.Is(err, io.EOF) {
			return good, damage, nil // a line without a line break is torn
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
		case len(damage)+len(bad) < 100: // more of the same do not help
			bad = append(bad, fmt.Sprintf("line %d of the journal was left out: %v", number, err))
		}
	}
}

// readLine returns the next line without its break, and its length in the file. A line that is too long is returned
// empty. io.EOF: there is no further line break.
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

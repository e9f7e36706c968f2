package run

import (
	"context"
	"sync"
	"time"

	"linerate/internal/facts"
)

const (
	// fullAge is how old what a host said in full may be for its statistics to renew it, and now how old a capture counts as one of this moment:
	// one taken after a cell is that before the next, with nothing measured between them. Hosts that answer late must not make the others be asked again.
	fullAge = time.Minute
	now     = 3 * time.Second
)

// told is what the hosts of a session said last.
type told struct {
	mu   sync.Mutex
	last map[string]*said
	// measured counts the repeats that began: a capture of before one is not of the moment after it, however short it was.
	measured int
}

// said is a full capture of a host, renewed or not.
type said struct {
	text   []byte
	at     time.Time // of text
	fullAt time.Time // of what is no statistics
	// measured is how many repeats had begun by then.
	measured int
}

// measuring says that a repeat begins.
func (t *told) measuring() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.measured++
}

// ask gets a capture of a level. One of statistics renews what the host said in full within the last minute; where it said nothing, it is asked in full.
func (t *told) ask(ctx context.Context, host string, level facts.Level, ask func(context.Context, facts.Level) ([]byte, error)) ([]byte, error) {
	if level == facts.Counters {
		return ask(ctx, level)
	}
	t.mu.Lock()
	last, measured := t.last[host], t.measured
	t.mu.Unlock()
	if level == facts.Statistics && last != nil && time.Since(last.fullAt) < fullAge {
		if last.measured == measured && time.Since(last.at) < now {
			return last.text, nil
		}
		text, err := ask(ctx, level)
		if err != nil {
			return nil, err
		}
		if text, err = facts.Renew(last.text, text); err == nil {
			t.keep(host, &said{text, time.Now(), last.fullAt, measured})
			return text, nil
		}
	}
	text, err := ask(ctx, facts.Full)
	if err == nil {
		t.keep(host, &said{text, time.Now(), time.Now(), measured})
	}
	return text, err
}

func (t *told) keep(host string, s *said) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]*said{}
	}
	t.last[host] = s
}

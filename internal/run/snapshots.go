package run

import (
	"context"
	"sync"
	"time"

	"linerate/internal/facts"
	"linerate/internal/facts/snapshot"
)

const (
	// maxFullAge is the maximum age of full facts that statistics may renew, and now the maximum age of a snapshot that
	// counts as current. A snapshot after a combination is the one before the next, if nothing was measured between them.
	// Slow hosts must not cause the others to be read again.
	maxFullAge = time.Minute
	maxNowAge  = 3 * time.Second
)

// snapshots are the latest facts of the hosts of a session.
type snapshots struct {
	mu   sync.Mutex
	last map[string]*hostSnapshot
	// measured counts the repeats that began: a snapshot from before a repeat is never current after it, however short it
	// was.
	measured int
}

// hostSnapshot is a full snapshot of a host, renewed or not.
type hostSnapshot struct {
	text   []byte
	at     time.Time // of text
	fullAt time.Time // of everything but statistics
	// measured is the number of repeats that had begun by then.
	measured int
}

// measuring notes that a repeat begins.
func (t *snapshots) measuring() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.measured++
}

// read gets a snapshot of a level. Statistics renew full facts of the last minute; without such facts the host is read
// in full.
func (t *snapshots) read(ctx context.Context, host string, level facts.Level,
	ask func(context.Context, facts.Level) ([]byte, error)) ([]byte, error) {
	if level == facts.Counters {
		return ask(ctx, level)
	}
	t.mu.Lock()
	last, measured := t.last[host], t.measured
	t.mu.Unlock()
	if level == facts.Statistics && last != nil && time.Since(last.fullAt) < maxFullAge {
		if last.measured == measured && time.Since(last.at) < maxNowAge {
			return last.text, nil
		}
		text, err := ask(ctx, level)
		if err != nil {
			return nil, err
		}
		if text, err = snapshot.Renew(last.text, text); err == nil {
			t.keep(host, &hostSnapshot{text, time.Now(), last.fullAt, measured})
			return text, nil
		}
	}
	text, err := ask(ctx, facts.Full)
	if err == nil {
		t.keep(host, &hostSnapshot{text, time.Now(), time.Now(), measured})
	}
	return text, err
}

func (t *snapshots) keep(host string, s *hostSnapshot) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil {
		t.last = map[string]*hostSnapshot{}
	}
	t.last[host] = s
}

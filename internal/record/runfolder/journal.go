package runfolder

import (
	"fmt"
	"linerate/internal/record"
	"sync"
	"time"
)

// journal adds events to journal.jsonl, one a line, and syncs them each second. A killed program loses nothing, and a
// power cut loses one second.
type journal struct {
	name string
	f    file

	mu    sync.Mutex
	dirty bool
	err   error // the first error; nothing is written after it, which would hide a torn line

	stop    chan struct{}
	stopped chan struct{}
}

const syncEvery = time.Second

func newJournal(name string, f file) *journal {
	j := &journal{name: name, f: f, stop: make(chan struct{}), stopped: make(chan struct{})}
	go j.keepSynced()
	return j
}

func (j *journal) keepSynced() {
	defer close(j.stopped)
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			j.sync() // the error stays in j.err: the next event, and close, report it
		case <-j.stop:
			return
		}
	}
}

func (j *journal) add(k kind, body any) error {
	line, err := record.Encode(event{Kind: k, Time: time.Now().UTC(), Body: body})
	if err != nil {
		return fmt.Errorf("event %s of %s: %w", k, j.name, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return j.err
	}
	if _, err := j.f.Write(line); err != nil {
		j.err = writing(j.name, err)
		return j.err
	}
	j.dirty = true
	return nil
}

// sync may take long on a slow disk; events are added meanwhile.
func (j *journal) sync() error {
	j.mu.Lock()
	dirty, err := j.dirty, j.err
	j.dirty = false
	j.mu.Unlock()
	if !dirty || err != nil {
		return err
	}
	if err = j.f.Sync(); err == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err == nil {
		j.err = writing(j.name, err)
	}
	return j.err
}

// close syncs and closes; it reports the first error of the journal.
func (j *journal) close() error {
	close(j.stop)
	<-j.stopped
	err := j.sync()
	if e := j.f.Close(); err == nil {
		err = writing(j.name, e)
	}
	return err
}

package run

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// Of many hosts only so many are connected to at once.
func TestConnecting(t *testing.T) {
	folder, err := runfolder.Create(t.TempDir() + "/run")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var once sync.Once
	inside, most := 0, 0
	full := make(chan struct{})
	s := &session{run: &record.Run{}, clients: map[string]*agent.Client{}, broken: map[string]string{}, last: map[string]*facts.Facts{}, cfg: Config{Folder: folder, Plan: &plan.Plan{}}}
	s.cfg.Reach = func(host string) (connect.Spec, error) {
		mu.Lock()
		inside++
		most = max(most, inside)
		if inside == Connecting {
			once.Do(func() { close(full) })
		}
		mu.Unlock()
		<-full
		time.Sleep(time.Millisecond) // those who are not held back come in meanwhile
		mu.Lock()
		defer mu.Unlock()
		inside--
		return connect.Spec{}, errors.New("no reach")
	}
	var hosts []string
	for i := range 3 * Connecting {
		hosts = append(hosts, fmt.Sprint("n", i))
	}
	if err := s.connectTo(t.Context(), hosts); err != nil {
		t.Fatal(err)
	}
	if most != Connecting || len(s.broken) != len(hosts) {
		t.Errorf("%d hosts at once, want %d; %d of %d were asked", most, Connecting, len(s.broken), len(hosts))
	}
}

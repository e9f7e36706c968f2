package run

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"linerate/internal/agent"
	"linerate/internal/design/plan"
	"linerate/internal/facts"
	"linerate/internal/host/connect"
	"linerate/internal/record"
	"linerate/internal/record/runfolder"
)

// At most Connecting of many hosts are connected to at once.
func TestConnecting(t *testing.T) { synctest.Test(t, atMostConnecting) }

func atMostConnecting(t *testing.T) {
	folder, err := runfolder.Create(t.TempDir() + "/run")
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	var mu sync.Mutex
	var once sync.Once
	inside, highest := 0, 0
	full := make(chan struct{})
	s := &session{run: &record.Run{}, clients: map[string]*agent.Client{}, broken: map[string]string{},
		last: map[string]*facts.Facts{}, cfg: Config{Folder: folder, Plan: &plan.Plan{}}}
	s.cfg.Connection = func(host string) (connect.Spec, error) {
		mu.Lock()
		inside++
		highest = max(highest, inside)
		if inside == Connecting {
			once.Do(func() { close(full) })
		}
		mu.Unlock()
		<-full
		time.Sleep(time.Millisecond) // without a limit the others would start meanwhile
		mu.Lock()
		defer mu.Unlock()
		inside--
		return connect.Spec{}, errors.New("no connection")
	}
	var hosts []string
	for i := range 3 * Connecting {
		hosts = append(hosts, fmt.Sprint("n", i))
	}
	if err := s.connectTo(t.Context(), hosts); err != nil {
		t.Fatal(err)
	}
	if highest != Connecting || len(s.broken) != len(hosts) {
		t.Errorf("%d hosts at once, want %d; %d of %d were asked", highest, Connecting, len(s.broken), len(hosts))
	}
}

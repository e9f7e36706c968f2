package agent

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// CopyThread is what a thread of a tool used of the processors, from when it was first seen to when it was last.
type CopyThread struct {
	Name    string  `json:"name"`    // as the system has it: ssh, smbclient
	Process int     `json:"process"` // on its host
	Thread  int     `json:"thread"`
	CPU     float64 `json:"cpu"`     // seconds
	Seconds float64 `json:"seconds"` // that it was seen for
}

const (
	// looksAtTools is how often the tools' threads are read: they end before the window does, and what ended is nowhere.
	looksAtTools = 50 * time.Millisecond
	// mostToolThreads bounds those that are told.
	mostToolThreads = 32
)

// watchTools reads the threads of all that this process started, until ctx ends; what it returns waits for that, and gives them, most first.
func watchTools(ctx context.Context) func() []CopyThread {
	done := make(chan []CopyThread, 1)
	go func() {
		type seen struct {
			CopyThread
			first time.Time
			from  float64
		}
		all := map[int]*seen{}
		t := time.NewTicker(looksAtTools)
		defer t.Stop()
		for over := false; !over; {
			select {
			case <-t.C:
			case <-ctx.Done():
				over = true
			}
			now := time.Now()
			for _, x := range toolThreads() {
				s := all[x.Thread]
				if s == nil {
					s = &seen{CopyThread: x, first: now, from: x.CPU}
					all[x.Thread] = s
				}
				s.Name, s.CPU, s.Seconds = x.Name, x.CPU, now.Sub(s.first).Seconds()
			}
		}
		var out []CopyThread
		for _, s := range all {
			s.CPU -= s.from
			out = append(out, s.CopyThread)
		}
		slices.SortFunc(out, func(a, b CopyThread) int { return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Thread, b.Thread)) })
		done <- out[:min(len(out), mostToolThreads)]
	}()
	return func() []CopyThread { return <-done }
}

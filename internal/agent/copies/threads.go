package copies

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Thread is the CPU time of a thread of a tool, between the first and the last time that the thread was seen.
type Thread struct {
	Name    string  `json:"name"`    // as the system has it: ssh, smbclient
	Process int     `json:"process"` // on its host
	Thread  int     `json:"thread"`
	CPU     float64 `json:"cpu"`     // seconds
	Seconds float64 `json:"seconds"` // that it was seen for
}

const (
	// threadInterval is the time between two readings of the tools' threads: a tool may end before the interval does, and
	// the system forgets a thread that has ended.
	threadInterval = 50 * time.Millisecond
	// mostThreads is the most threads that an outcome has.
	mostThreads = 32
)

// watchTools reads the threads of all that this process has started, until ctx ends. The function that it returns waits
// for that and returns the threads, most CPU time first.
func watchTools(ctx context.Context) func() []Thread {
	done := make(chan []Thread, 1)
	go func() {
		type seen struct {
			Thread
			first time.Time
			from  float64
		}
		all := map[int]*seen{}
		t := time.NewTicker(threadInterval)
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
					s = &seen{Thread: x, first: now, from: x.CPU}
					all[x.Thread] = s
				}
				s.Name, s.CPU, s.Seconds = x.Name, x.CPU, now.Sub(s.first).Seconds()
			}
		}
		var out []Thread
		for _, s := range all {
			s.CPU -= s.from
			out = append(out, s.Thread)
		}
		slices.SortFunc(out, func(a, b Thread) int {
			return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(a.Thread, b.Thread))
		})
		done <- out[:min(len(out), mostThreads)]
	}()
	return func() []Thread { return <-done }
}

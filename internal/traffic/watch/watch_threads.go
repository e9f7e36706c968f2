package watch

import (
	"strconv"

	"linerate/internal/facts"
	"linerate/internal/traffic"
)

// threadIDs returns the numbers of the threads that do connections.
func (x *Watcher) threadIDs() []int {
	var out []int
	for _, t := range x.tasks {
		if id := t.Thread.Load(); id > 0 {
			out = append(out, int(id))
		}
	}
	return out
}

// looked samples the core and the time of the threads whose turn it is. A thread that is gone has no row.
func (x *Watcher) looked() {
	for _, i := range x.threads.Next(len(x.tasks)) {
		t := x.tasks[i]
		id := int(t.Thread.Load())
		if id == 0 {
			continue
		}
		now, err := readTask("/proc/self/task/" + strconv.Itoa(id) + "/stat")
		if err != nil {
			continue
		}
		x.looks.saw(id, now)
		base, ok := x.looks.base[id]
		if !ok {
			base = facts.Task{}
		}
		at := traffic.Now()
		x.rows = append(x.rows, traffic.Sample{Stream: t.Index, TimeNS: at, Metric: "thread.core", Value: float64(now.Core),
			Unit: "core"},
			traffic.Sample{Stream: t.Index, TimeNS: at, Metric: "thread.user", Value: max(0, now.User-base.User), Unit: "s"},
			traffic.Sample{Stream: t.Index, TimeNS: at, Metric: "thread.system", Value: max(0, now.System-base.System),
				Unit: "s"})
	}
}

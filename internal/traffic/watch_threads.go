package traffic

import (
	"strconv"

	"linerate/internal/facts"
)

// threadIDs is the numbers of the threads that do connections.
func (x *watcher) threadIDs() []int {
	var out []int
	for _, t := range x.tasks {
		if id := t.thread.Load(); id > 0 {
			out = append(out, int(id))
		}
	}
	return out
}

// looked is the core and the time of the threads whose turn it is. A thread that is gone has no row.
func (x *watcher) looked() {
	for _, i := range x.threads.next(len(x.tasks)) {
		t := x.tasks[i]
		id := int(t.thread.Load())
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
		at := Now()
		x.rows = append(x.rows, Sample{Stream: t.index, TimeNS: at, Metric: "thread.core", Value: float64(now.Core), Unit: "core"},
			Sample{Stream: t.index, TimeNS: at, Metric: "thread.user", Value: max(0, now.User-base.User), Unit: "s"},
			Sample{Stream: t.index, TimeNS: at, Metric: "thread.system", Value: max(0, now.System-base.System), Unit: "s"})
	}
}

package traffic

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkTick is what one tick costs: of one stream, eight and 64, every file of the host read.
func BenchmarkTick(b *testing.B) {
	for name, n := range map[string]int{"1": 1, "8": 8, "64": 64} {
		b.Run(name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			wires := make([]*wire, n)
			for i := range wires {
				wires[i], _ = wirePair(b)
			}
			w := window{open: Now(), close: Now() + int64(time.Hour), step: int64(slice)}
			tasks := make([]*task, n)
			for i, c := range wires {
				tasks[i] = &task{index: i, setup: Setup{Method: "stream", Side: From, Direction: Out, Streams: n}, window: w, wire: c, counter: newCounter(window{open: 0, close: 1, step: 1})}
				tasks[i].thread.Store(int64(unix.Gettid()))
			}
			rows := 0
			x := &watcher{setup: Setup{Samples: 10}, w: w, tasks: tasks, tcp: tasks, buf: make([]byte, 512), emit: func(r []Sample) { rows += len(r) },
				period: 1e8, sockets: turns{most: 64}, threads: turns{most: 2}, machine: newMachine("lo", 10), next: 1 << 30}
			x.seen.edges[0] = readCPU(0)
			x.last = x.seen.edges[0]
			x.looks = newLooks(&work{})
			x.machine.open()
			b.ReportAllocs()
			b.ResetTimer()
			before := threadClock()
			for range b.N {
				for _, f := range []*procFile{x.machine.stat, x.machine.softnet, x.machine.dev} {
					f.pause = pause{}
				}
				x.tick()
				x.seen.busy = nil
			}
			b.ReportMetric(float64(threadClock()-before)/float64(b.N)/1e3, "us-cpu/tick")
			b.ReportMetric(float64(rows)/float64(b.N), "rows/tick")
		})
	}
}

package watch

import (
	"net"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"linerate/internal/traffic"
	"linerate/internal/traffic/socket"
)

// BenchmarkTick measures one tick: of one stream, eight and 64, every file of the host read.
func BenchmarkTick(b *testing.B) {
	for name, n := range map[string]int{"1": 1, "8": 8, "64": 64} {
		b.Run(name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			wires := make([]traffic.Kernel, n)
			for i := range wires {
				wires[i] = connectedView(b)
			}
			w := traffic.Interval{Open: traffic.Now(), Close: traffic.Now() + int64(time.Hour), Step: int64(traffic.Slice)}
			tasks := make([]*traffic.Flow, n)
			for i, c := range wires {
				tasks[i] = &traffic.Flow{Index: i, Setup: traffic.Endpoint{Setup: traffic.Setup{Side: traffic.From,
					Direction: traffic.Out, Streams: n}}, Interval: w, Kernel: c,
					Counter: traffic.NewCounter(traffic.Interval{Open: 0, Close: 1, Step: 1})}
				tasks[i].Thread.Store(int64(unix.Gettid()))
			}
			rows := 0
			x := &Watcher{options: Options{Samples: 10}, W: w, tasks: tasks, tcp: tasks, buf: make([]byte, 512),
				emit:   func(r []traffic.Sample) { rows += len(r) },
				period: 1e8, sockets: Turns{Most: 64}, threads: Turns{Most: 2}, machine: newMachine("lo", 10), next: 1 << 30}
			x.Seen.edges[0] = ReadCPU(0)
			x.last = x.Seen.edges[0]
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
				x.Seen.busy = nil
			}
			b.ReportMetric(float64(threadClock()-before)/float64(b.N)/1e3, "us-cpu/tick")
			b.ReportMetric(float64(rows)/float64(b.N), "rows/tick")
		})
	}
}

// kernelView is the kernel's view of a socket.
type kernelView struct{ fd int }

// connectedView makes one end of a connection over the loopback.
func connectedView(b *testing.B) kernelView {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	peer, err := l.Accept()
	if err != nil {
		b.Fatal(err)
	}
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { f.Close(); c.Close(); peer.Close() })
	return kernelView{int(f.Fd())}
}

func (k kernelView) Arrival() traffic.Arrival { return traffic.Arrival{} }

func (k kernelView) Reading() (*traffic.Reading, error) { return k.Ask(make([]byte, 512), true) }

func (k kernelView) Ask(buf []byte, queues bool) (*traffic.Reading, error) {
	n, err := socket.Getsockopt(k.fd, unix.IPPROTO_TCP, unix.TCP_INFO, unsafe.Pointer(&buf[0]), len(buf))
	if err != nil {
		return nil, err
	}
	r := &traffic.Reading{Info: buf[:n]}
	if queues {
		r.Mem = socket.Memory(k.fd)
	}
	return r, nil
}

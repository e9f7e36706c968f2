// Package watch looks at a host next to the traffic: CPU time by core and thread, counters of interfaces and drives,
// the kernel's view of sockets. It also runs the workers of an engine next to such a watch.
package watch

import (
	"context"
	"slices"
	"time"

	"linerate/internal/facts"
	"linerate/internal/traffic"
	"linerate/internal/traffic/placement"
)

const (
	// watched is the number of sockets of one end of which the record has all that the kernel reports, evenly spread over
	// all; of the others it has the counters.
	watched = 64
	// asksPerSecond is the number of sockets of one end that are read in a second, one after the other: 64 at each of ten
	// ticks. With a thousand streams on a few cores more would be a load.
	asksPerSecond = 640
	// looksPerSecond is the number of threads that are read in a second, one after the other.
	looksPerSecond = 20
	// mostTicks is the most samples of a long interval: at ten a second they come further apart beyond five minutes.
	mostTicks = 3000
	// mostRows is about the number of rows that an end makes of one experiment: beyond it fewer sockets are read at a
	// tick.
	mostRows = 1 << 20
	// rowsOfSocket and rowsOfMachine are about the numbers of rows that a socket and the host make at a tick.
	rowsOfSocket  = 16
	rowsOfMachine = 100
	// emitEvery is the least time between two batches of samples, because each wakes the other end up.
	emitEvery = int64(240 * time.Millisecond)
	// settle is the time after its end at which a slice is reported: a receiver that was just woken up has counted by
	// then.
	settle = 20 * time.Millisecond
)

// Watcher reads one end of an experiment next to the traffic: clocks, sockets and threads at the two edges of the
// interval, samples in between. It is one goroutine.
type Watcher struct {
	options Options
	W       traffic.Interval
	tasks   []*traffic.Flow
	tcp     []*traffic.Flow // those with a TCP connection
	emit    func([]traffic.Sample)
	period  int64 // between two ticks; 0: no samples
	machine *machine
	sockets Turns
	threads Turns
	looks   *looks
	buf     []byte

	Noted   []int64 // retransmissions of each socket at its last reading; -1: unknown
	Seen    Sight
	last    CPUReading
	next    int // slice to be reported
	rows    []traffic.Sample
	emitted int64
}

// Sight is what a watcher has seen at the end.
type Sight struct {
	edges   [2]CPUReading
	busy    []float64         // cores in use in each slice, whatever for; nil: unknown
	Begin   []traffic.Arrival // what the kernel had received at the two edges of the interval; nil: unknown
	End     []traffic.Arrival
	Retrans []int64 // segments that this end retransmitted, in the slice in which it was noticed; nil: unknown
	before  *work
	after   *work
	looks   *looks
	blind   bool                  // no thread of the kernel is visible
	packets map[int]*softnetCount // of each core over the interval; nil: unknown
	clocks  [2]map[int]clockRate
	noClock string    // why clock rates are unknown; empty: they are
	noHeat  string    // why throttling is unknown
	lost    []string  // sources that are unknown, with the reason
	Reads   [2]*int64 // bytes that this process has had read from drives; nil: unknown
	Sent    [2]int64  // bytes that all tasks had handed over
}

// Options has how this host is watched.
type Options struct {
	Device      string     // interface whose counters are read; empty: none
	Samples     int        // readings a second; 0: none
	SocketsOnly bool       // another watch of this process looks at cores, counters and threads meanwhile
	Child       int        // number of a process that does the work of this end; 0: none
	Tasks       *HostTasks // that ListTasks found; nil: they are listed when the watch begins
}

// watchHost runs next to the tasks and returns what it saw.
func watchHost(ctx context.Context, o Options, w traffic.Interval, tasks []*traffic.Flow,
	emit func([]traffic.Sample)) Sight {
	x := &Watcher{options: o, W: w, tasks: tasks, emit: emit, tcp: connected(tasks), buf: make([]byte, 512)}
	x.machine = newMachine(o.Device, max(1, o.Samples))
	defer x.machine.close()
	if o.Samples > 0 {
		x.period = max(int64(time.Second)/int64(o.Samples), (w.Close-w.Open)*10/(mostTicks*int64(max(10, o.Samples))))
		ticks := max(1, (w.Close-w.Open)/x.period)
		room := max(1, (mostRows/ticks-rowsOfMachine)/rowsOfSocket)
		perSecond := func(n int64) int { return int(max(1, min(room, n*x.period/int64(time.Second)))) }
		x.sockets, x.threads = Turns{Most: perSecond(asksPerSecond)}, Turns{Most: perSecond(looksPerSecond)}
	}
	x.run(ctx)
	return x.Seen
}

func (x *Watcher) run(ctx context.Context) {
	var plan *workPlan
	var clocked []int
	if !x.options.SocketsOnly {
		if x.options.Tasks != nil {
			plan = x.options.Tasks.plan
		} else {
			plan = planWork()
		}
		plan.child = x.options.Child
		if !traffic.SleepUntil(ctx, x.W.Open-min(plan.lead(), (x.W.Open-x.W.Begin)/2)) {
			return
		}
		x.Seen.before = plan.read(x.W, x.threadIDs())
		x.looks = newLooks(x.Seen.before)
		clocked = clockedCores(x.Seen.before, x.threadIDs(), placement.AllowedCores())
		x.Seen.clocks[0], x.Seen.noClock, x.Seen.noHeat = clockRates(placement.Sysfs, clocked)
	}
	if !traffic.SleepUntil(ctx, x.W.Open) {
		return
	}
	x.Seen.Begin = census(x.tasks)
	x.Seen.edge(0, x.tasks, x.options.Child)
	x.last = x.Seen.edges[0]
	x.atEdge(false)
	if plan != nil {
		x.machine.open()
		x.machine.coreRows(x.last.Cores, nil)
	}
	over := false // before its time: an amount is over when its tasks are, which ends ctx
	for i := int64(1); x.period > 0 && !over; i++ {
		due := x.W.Open + i*x.period + int64(settle)
		if now := traffic.Now(); due+x.period < now { // this process was stopped for a while: its ticks are left out
			i = (now - x.W.Open - int64(settle)) / x.period
			due = x.W.Open + i*x.period + int64(settle)
		}
		if due >= x.W.Close {
			break
		}
		if over = !traffic.SleepUntil(ctx, due); over && !x.W.Whole {
			return
		}
		if !over {
			x.tick()
		}
	}
	if !over && !traffic.SleepUntil(ctx, x.W.Close) && !x.W.Whole {
		return
	}
	x.Seen.edge(1, x.tasks, x.options.Child)
	ended := x.W.Slices()
	if x.W.Whole {
		ended = min(ended, int((traffic.Now()-x.W.Open+x.W.Step-1)/x.W.Step))
	}
	x.Seen.End = census(x.tasks)
	x.atEdge(true)
	if plan != nil {
		x.closeSlices(ended, x.Seen.edges[1])
		if text, err := x.machine.softnet.read(); err == nil {
			x.machine.countSoftnet(text)
		}
		x.Seen.packets = x.machine.packets
		x.Seen.after = plan.read(x.W, x.threadIDs())
		x.Seen.clocks[1], _, _ = clockRates(placement.Sysfs, clocked)
		x.Seen.blind, x.Seen.looks = plan.blind, x.looks
	}
	if x.period > 0 {
		x.slices(ended)
		x.asked()
		x.machineRows(traffic.Now(), x.Seen.edges[1].Cores)
	}
	x.flush(true)
	x.Seen.lost = x.machine.lost
}

// tick takes the samples of one moment.
func (x *Watcher) tick() {
	now := traffic.Now()
	ended := min(int((now-int64(settle)-x.W.Open)/x.W.Step), x.W.Slices())
	x.slices(ended)
	x.asked()
	if !x.options.SocketsOnly {
		x.host(now, ended)
		x.looked()
	}
	x.flush(false)
}

// host samples what the host as a whole did.
func (x *Watcher) host(now int64, ended int) {
	var cores []facts.CoreTime
	if x.machine.stat.pause.due(now) {
		r := ReadCPU(x.options.Child)
		x.machine.stat.pause.took(now, traffic.Now(), x.machine.hz)
		x.closeSlices(ended, r)
		x.processRows(r)
		cores = r.Cores
	}
	x.machineRows(now, cores)
}

func (x *Watcher) machineRows(now int64, cores []facts.CoreTime) {
	if !x.options.SocketsOnly {
		x.rows = append(x.rows, x.machine.rows(now, cores)...)
	}
}

// closeSlices gives every slice up to next the cores that were in use since the last reading: several slices when a
// reading was left out or this process was stopped for a while.
func (x *Watcher) closeSlices(next int, r CPUReading) {
	if x.period == 0 || len(x.Seen.busy) >= next {
		return
	}
	share, ok := busyCores(x.last, r)
	x.last = r
	for ok && len(x.Seen.busy) < next {
		x.Seen.busy = append(x.Seen.busy, share)
	}
}

// processRows samples the time of this process since the beginning.
func (x *Watcher) processRows(r CPUReading) {
	a := x.Seen.edges[0]
	if a.Process != nil || r.Process != nil {
		return
	}
	x.rows = append(x.rows, traffic.Sample{Stream: -1, TimeNS: r.At, Metric: "process.user", Value: r.User - a.User,
		Unit: "s"},
		traffic.Sample{Stream: -1, TimeNS: r.At, Metric: "process.system", Value: r.System - a.System, Unit: "s"})
}

// slices reports the slices up to next.
func (x *Watcher) slices(next int) {
	for ; x.next < next; x.next++ {
		x.rows = append(x.rows, sliceSamples(x.W, x.tasks, x.next)...)
	}
}

// flush emits the rows, no more often than emitEvery.
func (x *Watcher) flush(all bool) {
	if now := traffic.Now(); len(x.rows) > 0 && (all || now-x.emitted >= emitEvery) {
		x.emit(x.rows)
		x.rows, x.emitted = nil, now
	}
}

// edge reads what is compared between the two edges of the interval.
func (s *Sight) edge(i int, tasks []*traffic.Flow, child int) {
	s.edges[i], s.Reads[i], s.Sent[i] = ReadCPU(child), driveReads(), 0
	for _, t := range tasks {
		s.Sent[i] += t.Sent.Load()
	}
}

// connected returns the tasks that have a TCP connection.
func connected(tasks []*traffic.Flow) []*traffic.Flow {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *traffic.Flow) bool { return t.Kernel == nil })
}

// spread returns at most n of tasks. Both ends choose the same ones.
func spread(tasks []*traffic.Flow, n int) []*traffic.Flow {
	every := (len(tasks) + n - 1) / n
	var out []*traffic.Flow
	for i := 0; i < len(tasks); i += every {
		out = append(out, tasks[i])
	}
	return out
}

// Turns goes through a list, a few at a time.
type Turns struct{ at, Most int }

// Next returns the indices of n things whose turn it is.
func (t *Turns) Next(n int) []int {
	out := make([]int, 0, min(n, t.Most))
	for range min(n, t.Most) {
		out = append(out, t.at%n)
		t.at = (t.at + 1) % n
	}
	return out
}

// sliceSamples makes one row a connection for slice i: what was received, or the slowest round trip.
func sliceSamples(w traffic.Interval, tasks []*traffic.Flow, i int) []traffic.Sample {
	var rows []traffic.Sample
	at := w.Open + int64(i)*w.Step
	for _, t := range tasks {
		switch {
		case t.RTTSamples != nil:
			if v := t.Slow[i].Load(); v > 0 {
				rows = append(rows, traffic.Sample{Stream: t.Index, TimeNS: at, Metric: "latency.max", Value: float64(v) / 1e9,
					Unit: "s"},
					traffic.Sample{Stream: t.Index, TimeNS: at, Metric: "trips", Value: float64(t.Counter.Slices[i].Load()),
						Unit: "count"})
			}
		case !t.Active() && !t.Asks:
			v := float64(t.Counter.Slices[i].Load()) * 8e9 / float64(min(w.Step, w.Close-at))
			rows = append(rows, traffic.Sample{Stream: t.Index, TimeNS: at, Metric: "goodput", Value: v, Unit: "bit/s"})
		}
	}
	return rows
}

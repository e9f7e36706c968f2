package traffic

import (
	"context"
	"slices"
	"time"

	"linerate/internal/facts"
)

const (
	// watched is how many sockets of one end have all that the kernel says of them in the record, evenly spread over
	// all; of the others it has the counters.
	watched = 64
	// asksPerSecond is how many sockets of one end are asked in a second, all in turn: 64 at each of ten ticks. With a
	// thousand streams on a few cores more questions would be a load.
	asksPerSecond = 640
	// looksPerSecond is how many threads are looked at in a second, all in turn.
	looksPerSecond = 20
	// mostTicks bounds the samples of a long window: at ten a second they come further apart beyond five minutes.
	mostTicks = 3000
	// mostRows is about how many rows an end makes of one experiment: beyond it fewer sockets are asked at a tick.
	mostRows = 1 << 20
	// rowsOfSocket and rowsOfMachine are about how many rows a socket and the host itself make at a tick.
	rowsOfSocket  = 16
	rowsOfMachine = 100
	// emitEvery is the least time between two batches of samples: each wakes the other end up, too.
	emitEvery = int64(240 * time.Millisecond)
	// settle is how long after its end a slice is reported: a receiver that was just woken up has counted by then.
	settle = 20 * time.Millisecond
)

// watcher looks at one end of an experiment beside the traffic: clocks, sockets and threads at the two edges of the
// window, samples in between. It is one goroutine.
type watcher struct {
	setup   Setup
	w       window
	tasks   []*task
	tcp     []*task // those with a TCP connection
	emit    func([]Sample)
	period  int64 // between two ticks; 0: no samples
	machine *machine
	sockets turns
	threads turns
	looks   *looks
	buf     []byte

	noted   []int64 // retransmissions of each socket when it was asked last; -1: not known
	seen    sight
	last    cpuReading
	next    int // slice to be reported
	rows    []Sample
	emitted int64
}

// sight is what a watcher has seen at the end.
type sight struct {
	edges   [2]cpuReading
	busy    []float64 // cores in use in each slice, whatever for; nil: unknown
	begin   []arrival // what the kernel had received at the window's two edges; nil: unknown
	end     []arrival
	retrans []int64 // segments that this end sent again, in the slice in which it was noticed; nil: unknown
	before  *work
	after   *work
	looks   *looks
	blind   bool                  // no thread of the kernel is to be seen
	packets map[int]*softnetCount // of each core over the window; nil: unknown
	clocks  [2]map[int]clockRate
	noClock string    // why clock rates are not known; empty: they are
	noHeat  string    // why throttling is not known
	lost    []string  // sources that are not known, with the reason
	reads   [2]*int64 // bytes that this process has had read from drives; nil: unknown
	sent    [2]int64  // bytes that all tasks had handed over
}

// watch runs beside the tasks and returns what it saw.
func watch(ctx context.Context, s Setup, w window, tasks []*task, emit func([]Sample)) sight {
	x := &watcher{setup: s, w: w, tasks: tasks, emit: emit, tcp: connected(tasks), buf: make([]byte, 512)}
	device := ""
	if s.layout != nil {
		device = s.layout.device
	}
	x.machine = newMachine(device, max(1, s.Samples))
	defer x.machine.close()
	if s.Samples > 0 {
		x.period = max(int64(time.Second)/int64(s.Samples), (w.close-w.open)*10/(mostTicks*int64(max(10, s.Samples))))
		ticks := max(1, (w.close-w.open)/x.period)
		room := max(1, (mostRows/ticks-rowsOfMachine)/rowsOfSocket)
		perSecond := func(n int64) int { return int(max(1, min(room, n*x.period/int64(time.Second)))) }
		x.sockets, x.threads = turns{most: perSecond(asksPerSecond)}, turns{most: perSecond(looksPerSecond)}
	}
	x.run(ctx)
	return x.seen
}

func (x *watcher) run(ctx context.Context) {
	var plan *workPlan
	var clocked []int
	if !x.setup.SocketsOnly {
		if plan = x.setup.tasks; plan == nil {
			plan = planWork()
		}
		plan.child = x.setup.child
		if !sleepUntil(ctx, x.w.open-min(plan.lead(), (x.w.open-x.w.begin)/2)) {
			return
		}
		x.seen.before = plan.read(x.w, x.threadIDs())
		x.looks = newLooks(x.seen.before)
		clocked = clockedCores(x.seen.before, x.threadIDs(), allowedCores())
		x.seen.clocks[0], x.seen.noClock, x.seen.noHeat = clockRates(sysfs, clocked)
	}
	if !sleepUntil(ctx, x.w.open) {
		return
	}
	x.seen.begin = census(x.tasks)
	x.seen.edge(0, x.tasks, x.setup.child)
	x.last = x.seen.edges[0]
	x.atEdge(false)
	if plan != nil {
		x.machine.open()
		x.machine.coreRows(x.last.cores, nil)
	}
	over := false // before its time: an amount is over when its tasks are, which ends ctx
	for i := int64(1); x.period > 0 && !over; i++ {
		due := x.w.open + i*x.period + int64(settle)
		if now := Now(); due+x.period < now { // this process was stopped for a while: what was missed stays missed
			i = (now - x.w.open - int64(settle)) / x.period
			due = x.w.open + i*x.period + int64(settle)
		}
		if due >= x.w.close {
			break
		}
		if over = !sleepUntil(ctx, due); over && !x.w.whole {
			return
		}
		if !over {
			x.tick()
		}
	}
	if !over && !sleepUntil(ctx, x.w.close) && !x.w.whole {
		return
	}
	x.seen.edge(1, x.tasks, x.setup.child)
	ended := x.w.slices()
	if x.w.whole {
		ended = min(ended, int((Now()-x.w.open+x.w.step-1)/x.w.step))
	}
	x.seen.end = census(x.tasks)
	x.atEdge(true)
	if plan != nil {
		x.closeSlices(ended, x.seen.edges[1])
		if text, err := x.machine.softnet.read(); err == nil {
			x.machine.countSoftnet(text)
		}
		x.seen.packets = x.machine.packets
		x.seen.after = plan.read(x.w, x.threadIDs())
		x.seen.clocks[1], _, _ = clockRates(sysfs, clocked)
		x.seen.blind, x.seen.looks = plan.blind, x.looks
	}
	if x.period > 0 {
		x.slices(ended)
		x.asked()
		x.machineRows(Now(), x.seen.edges[1].cores)
	}
	x.flush(true)
	x.seen.lost = x.machine.lost
}

// tick takes the samples of one moment.
func (x *watcher) tick() {
	now := Now()
	ended := min(int((now-int64(settle)-x.w.open)/x.w.step), x.w.slices())
	x.slices(ended)
	x.asked()
	if !x.setup.SocketsOnly {
		x.host(now, ended)
		x.looked()
	}
	x.flush(false)
}

// host samples what the host as a whole did.
func (x *watcher) host(now int64, ended int) {
	var cores []facts.CoreTime
	if x.machine.stat.pause.due(now) {
		r := readCPU(x.setup.child)
		x.machine.stat.pause.took(now, Now(), x.machine.hz)
		x.closeSlices(ended, r)
		x.processRows(r)
		cores = r.cores
	}
	x.machineRows(now, cores)
}

func (x *watcher) machineRows(now int64, cores []facts.CoreTime) {
	if !x.setup.SocketsOnly {
		x.rows = append(x.rows, x.machine.rows(now, cores)...)
	}
}

// closeSlices gives every slice up to next the cores that were in use since the last reading: several slices when a
// reading was left out or this process was stopped for a while.
func (x *watcher) closeSlices(next int, r cpuReading) {
	if x.period == 0 || len(x.seen.busy) >= next {
		return
	}
	share, ok := busyCores(x.last, r)
	x.last = r
	for ok && len(x.seen.busy) < next {
		x.seen.busy = append(x.seen.busy, share)
	}
}

// processRows is the time of this process since the opening.
func (x *watcher) processRows(r cpuReading) {
	a := x.seen.edges[0]
	if a.process != nil || r.process != nil {
		return
	}
	x.rows = append(x.rows, Sample{Stream: -1, TimeNS: r.at, Metric: "process.user", Value: r.user - a.user, Unit: "s"},
		Sample{Stream: -1, TimeNS: r.at, Metric: "process.system", Value: r.system - a.system, Unit: "s"})
}

// slices reports the slices up to next.
func (x *watcher) slices(next int) {
	for ; x.next < next; x.next++ {
		x.rows = append(x.rows, sliceSamples(x.w, x.tasks, x.next)...)
	}
}

// flush hands the rows over, not more often than the other end is to be bothered.
func (x *watcher) flush(all bool) {
	if now := Now(); len(x.rows) > 0 && (all || now-x.emitted >= emitEvery) {
		x.emit(x.rows)
		x.rows, x.emitted = nil, now
	}
}

// edge reads what is compared between the two edges of the window.
func (s *sight) edge(i int, tasks []*task, child int) {
	s.edges[i], s.reads[i], s.sent[i] = readCPU(child), driveReads(), 0
	for _, t := range tasks {
		s.sent[i] += t.sent.Load()
	}
}

// connected is those of tasks that have a TCP connection.
func connected(tasks []*task) []*task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.wire == nil })
}

// spread is at most n of tasks. Both ends choose the same ones.
func spread(tasks []*task, n int) []*task {
	every := (len(tasks) + n - 1) / n
	var out []*task
	for i := 0; i < len(tasks); i += every {
		out = append(out, tasks[i])
	}
	return out
}

// turns goes through a list, a few at a time.
type turns struct{ at, most int }

// next is the indices of n things whose turn it is.
func (t *turns) next(n int) []int {
	out := make([]int, 0, min(n, t.most))
	for range min(n, t.most) {
		out = append(out, t.at%n)
		t.at = (t.at + 1) % n
	}
	return out
}

// sliceSamples is one row a connection for slice i: what was received, or the slowest trip.
func sliceSamples(w window, tasks []*task, i int) []Sample {
	var rows []Sample
	at := w.open + int64(i)*w.step
	for _, t := range tasks {
		switch {
		case t.trips != nil:
			if v := t.slow[i].Load(); v > 0 {
				rows = append(rows, Sample{Stream: t.index, TimeNS: at, Metric: "latency.max", Value: float64(v) / 1e9, Unit: "s"},
					Sample{Stream: t.index, TimeNS: at, Metric: "trips", Value: float64(t.counter.slices[i].Load()), Unit: "count"})
			}
		case !t.active() && t.setup.Method == "stream":
			v := float64(t.counter.slices[i].Load()) * 8e9 / float64(min(w.step, w.close-at))
			rows = append(rows, Sample{Stream: t.index, TimeNS: at, Metric: "goodput", Value: v, Unit: "bit/s"})
		}
	}
	return rows
}

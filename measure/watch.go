package measure

import (
	"context"
	"slices"
	"time"
)

// watched is how many sockets of one end are asked, evenly spread over all: with a thousand streams on a few cores the
// questions themselves would be a load. The other sockets are unknown.
const watched = 64

// settle is how long after its end a slice is reported: a receiver that was just woken up has counted by then.
const settle = 20 * time.Millisecond

// watchedCPU is what watch read of the processor's clocks, and of what arrived.
type watchedCPU struct {
	edges [2]cpuReading
	busy  []float64 // cores in use in each slice, whatever for; nil: unknown
	begin []arrival // what the kernel had received at the window's two edges; nil: unknown
	end   []arrival
}

// watch reads both ends' clocks and sockets at the two edges of the window and makes samples in between. It returns
// the readings of the processor's clocks.
func watch(ctx context.Context, w window, tasks []*task, emit func([]Sample)) (cpu watchedCPU) {
	if !sleepUntil(ctx, w.open) {
		return cpu
	}
	cpu.begin = census(tasks)
	cpu.edges[0] = readCPU()
	last := cpu.edges[0]
	// busy closes every slice up to next with what was read just now: several when this process was stopped for a while.
	busy := func(next int) {
		now := readCPU()
		share, ok := busyCores(last, now)
		for last = now; ok && len(cpu.busy) < next; {
			cpu.busy = append(cpu.busy, share)
		}
	}
	asked := spread(connected(tasks), watched)
	for _, t := range asked {
		t.before, _ = t.wire.reading()
	}
	next := 0
	for {
		due := w.open + int64(next+1)*w.step + int64(settle)
		if due >= w.close {
			break
		}
		if !sleepUntil(ctx, due) {
			return cpu
		}
		// More than one is due when this process was stopped for a while: they go in one batch.
		var rows []Sample
		now := Now()
		for ; due <= now && next < w.slices(); due += w.step {
			rows = append(rows, sliceSamples(w, tasks, next)...)
			next++
		}
		busy(next)
		emit(append(rows, socketSamples(asked)...))
	}
	if !sleepUntil(ctx, w.close) {
		return cpu
	}
	cpu.edges[1] = readCPU()
	cpu.end = census(tasks)
	busy(w.slices())
	for _, t := range asked {
		t.after, _ = t.wire.reading()
	}
	var rows []Sample
	for ; next < w.slices(); next++ {
		rows = append(rows, sliceSamples(w, tasks, next)...)
	}
	emit(append(rows, socketSamples(asked)...))
	return cpu
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

// socketSamples is what the kernel says of every socket now.
func socketSamples(tasks []*task) []Sample {
	var rows []Sample
	for _, t := range tasks {
		r, err := t.wire.reading()
		if err != nil {
			continue
		}
		now, info := Now(), tcpInfo(r.info)
		row := func(metric, unit string, v *float64) {
			if v != nil {
				rows = append(rows, Sample{Stream: t.index, TimeNS: now, Metric: metric, Value: *v, Unit: unit})
			}
		}
		count := func(metric, unit string, v *int64) {
			if v != nil {
				f := float64(*v)
				row(metric, unit, &f)
			}
		}
		if t.active() {
			row("rtt", "s", micros(info.u32(tcpiRTT)))
			count("cwnd", "count", info.u32(tcpiSndCwnd))
			count("retrans", "count", info.u32(tcpiTotalRetrans))
			count("notsent", "B", info.u32(tcpiNotSent))
			count("sendq", "B", r.outQ)
		} else {
			count("recvq", "B", r.inQ)
		}
	}
	return rows
}

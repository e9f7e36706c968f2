package watch

import (
	"slices"

	"linerate/internal/traffic"
)

// atEdge reads every socket at an edge of the interval: all that the kernel reports of those watched, the counters of
// the rest.
func (x *Watcher) atEdge(closing bool) {
	full := spread(x.tcp, watched)
	if !closing {
		x.Noted = make([]int64, len(x.tcp))
	}
	for i, t := range x.tcp {
		var r *traffic.Reading
		var err error
		if slices.Contains(full, t) {
			r, err = t.Kernel.Reading()
		} else if r, err = t.Kernel.Ask(x.buf, false); err == nil {
			r.Info = slices.Clone(r.Info)
			t.Short = true
		}
		switch {
		case err != nil:
		case closing:
			if !x.W.Whole { // else the task asks, at the two ends of what it carries
				t.After = r
			}
			x.NoteRetrans(i, traffic.TCPInfo(r.Info))
		default:
			if !x.W.Whole {
				t.Before = r
			}
			x.Noted[i] = -1
			if v := traffic.TCPInfo(r.Info).U32(traffic.TcpiTotalRetrans); v != nil && t.Active() && x.period > 0 {
				x.Noted[i] = *v
				if x.Seen.Retrans == nil {
					x.Seen.Retrans = make([]int64, x.W.Slices())
				}
			}
		}
	}
}

// NoteRetrans counts what socket i has retransmitted since its last reading, in the slice of now.
func (x *Watcher) NoteRetrans(i int, info traffic.TCPInfo) {
	v := info.U32(traffic.TcpiTotalRetrans)
	if v == nil || x.Seen.Retrans == nil || x.Noted[i] < 0 {
		return
	}
	slice := min(int((traffic.Now()-x.W.Open)/x.W.Step), len(x.Seen.Retrans)-1)
	x.Seen.Retrans[max(0, slice)] += int64(uint32(*v) - uint32(x.Noted[i])) // the kernel's counter wraps
	x.Noted[i] = *v
}

// asked samples the sockets whose turn it is: counters since the connection was made, all else as it is now. A socket
// that is gone has no row.
func (x *Watcher) asked() {
	for _, i := range x.sockets.Next(len(x.tcp)) {
		t := x.tcp[i]
		r, err := t.Kernel.Ask(x.buf, true)
		if err != nil {
			continue
		}
		info := traffic.TCPInfo(r.Info)
		x.NoteRetrans(i, info)
		x.rows = append(x.rows, socketSamples(t.Index, t.Active(), traffic.Now(), info, r)...)
	}
}

// socketSamples makes rows of one reading of one socket; what the kernel does not report has none.
func socketSamples(stream int, active bool, now int64, info traffic.TCPInfo, r *traffic.Reading) []traffic.Sample {
	rows := make([]traffic.Sample, 0, rowsOfSocket)
	row := func(metric, unit string, v *float64) {
		if v != nil {
			rows = append(rows, traffic.Sample{Stream: stream, TimeNS: now, Metric: metric, Value: *v, Unit: unit})
		}
	}
	count := func(metric, unit string, v *int64) {
		if v != nil {
			f := float64(*v)
			row(metric, unit, &f)
		}
	}
	clock := func(metric string, at int) {
		if v := info.U64(at); v != nil {
			f := float64(*v) / 1e6
			row(metric, "s", &f)
		}
	}
	if active {
		row("rtt", "s", traffic.Micros(info.U32(traffic.TcpiRTT)))
		count("cwnd", "count", info.U32(traffic.TcpiSndCwnd))
		count("retrans", "count", info.U32(traffic.TcpiTotalRetrans))
		count("unacked", "count", info.U32(traffic.TcpiUnacked))
		count("notsent", "B", info.U32(traffic.TcpiNotSent))
		count("snd_wnd", "B", info.U32(traffic.TcpiSndWnd))
		row("delivery_rate", "bit/s", traffic.Pacing(info, traffic.TcpiDeliveryRate))
		row("pacing_rate", "bit/s", traffic.Pacing(info, traffic.TcpiPacingRate))
		clock("busy", traffic.TcpiBusy)
		clock("rwnd_limited", traffic.TcpiRwndLimited)
		clock("sndbuf_limited", traffic.TcpiSndbufLimited)
		count("sendq", "B", r.OutQ)
		count("wmem_queued", "B", r.Memory(traffic.MemWmemQueued))
		count("wmem_alloc", "B", r.Memory(traffic.MemWmemAlloc))
		count("sndbuf", "B", r.Memory(traffic.MemSndBuf))
		return rows
	}
	row("rcv_rtt", "s", traffic.Micros(info.U32(traffic.TcpiRcvRTT)))
	count("rcv_space", "B", info.U32(traffic.TcpiRcvSpace))
	count("rcv_wnd", "B", info.U32(traffic.TcpiRcvWnd))
	count("recvq", "B", r.InQ)
	count("rmem_alloc", "B", r.Memory(traffic.MemRmemAlloc))
	count("rcvbuf", "B", r.Memory(traffic.MemRcvBuf))
	return rows
}

const (
	// censuses is how often a census is tried: it counts if it took no longer than quickCensus and quickEach a
	// connection, else the quickest of them does. A thread that was preempted in between asks its connections at very
	// different times.
	censuses    = 3
	quickCensus = 500_000
	quickEach   = 3_000
)

// census asks the kernel of every connection that receives what has arrived. The cut needs it where readers are behind:
// only the kernel knows of bytes in the socket of a thread that did not run.
func census(tasks []*traffic.Flow) []traffic.Arrival {
	receiving := slices.DeleteFunc(slices.Clone(tasks),
		func(t *traffic.Flow) bool { return t.Kernel == nil || t.Active() })
	if len(receiving) == 0 {
		return nil
	}
	var best []traffic.Arrival
	quickest := int64(0)
	for range censuses {
		all := make([]traffic.Arrival, len(receiving))
		began := traffic.Now()
		for i, t := range receiving {
			all[i] = t.Kernel.Arrival()
		}
		took := traffic.Now() - began
		if best == nil || took < quickest {
			best, quickest = all, took
		}
		if quickest <= quickCensus+int64(len(receiving))*quickEach {
			break
		}
	}
	return best
}

package traffic

import "slices"

// atEdge reads every socket at an edge of the window: all that the kernel says of those watched, the counters of the rest.
func (x *watcher) atEdge(closing bool) {
	full := spread(x.tcp, watched)
	if !closing {
		x.noted = make([]int64, len(x.tcp))
	}
	for i, t := range x.tcp {
		var r *reading
		var err error
		if slices.Contains(full, t) {
			r, err = t.wire.reading()
		} else if r, err = t.wire.ask(x.buf, false); err == nil {
			r.info = slices.Clone(r.info)
			t.short = true
		}
		switch {
		case err != nil:
		case closing:
			if !x.w.whole { // else the task asks, at the two ends of what it carries
				t.after = r
			}
			x.noteRetrans(i, tcpInfo(r.info))
		default:
			if !x.w.whole {
				t.before = r
			}
			x.noted[i] = -1
			if v := tcpInfo(r.info).u32(tcpiTotalRetrans); v != nil && t.active() && x.period > 0 {
				x.noted[i] = *v
				if x.seen.retrans == nil {
					x.seen.retrans = make([]int64, x.w.slices())
				}
			}
		}
	}
}

// noteRetrans counts what socket i has sent again since it was asked last, in the slice of now.
func (x *watcher) noteRetrans(i int, info tcpInfo) {
	v := info.u32(tcpiTotalRetrans)
	if v == nil || x.seen.retrans == nil || x.noted[i] < 0 {
		return
	}
	slice := min(int((Now()-x.w.open)/x.w.step), len(x.seen.retrans)-1)
	x.seen.retrans[max(0, slice)] += int64(uint32(*v) - uint32(x.noted[i])) // the kernel's counter wraps
	x.noted[i] = *v
}

// asked is what the kernel says of the sockets whose turn it is: counters since the connection was made, all else as it
// is now. A socket that is gone has no row.
func (x *watcher) asked() {
	for _, i := range x.sockets.next(len(x.tcp)) {
		t := x.tcp[i]
		r, err := t.wire.ask(x.buf, true)
		if err != nil {
			continue
		}
		info := tcpInfo(r.info)
		x.noteRetrans(i, info)
		x.rows = append(x.rows, socketSamples(t.index, t.active(), Now(), info, r)...)
	}
}

// socketSamples is one reading of one socket as rows; what the kernel does not tell has none.
func socketSamples(stream int, active bool, now int64, info tcpInfo, r *reading) []Sample {
	rows := make([]Sample, 0, rowsOfSocket)
	row := func(metric, unit string, v *float64) {
		if v != nil {
			rows = append(rows, Sample{Stream: stream, TimeNS: now, Metric: metric, Value: *v, Unit: unit})
		}
	}
	count := func(metric, unit string, v *int64) {
		if v != nil {
			f := float64(*v)
			row(metric, unit, &f)
		}
	}
	clock := func(metric string, at int) {
		if v := info.u64(at); v != nil {
			f := float64(*v) / 1e6
			row(metric, "s", &f)
		}
	}
	if active {
		row("rtt", "s", micros(info.u32(tcpiRTT)))
		count("cwnd", "count", info.u32(tcpiSndCwnd))
		count("retrans", "count", info.u32(tcpiTotalRetrans))
		count("unacked", "count", info.u32(tcpiUnacked))
		count("notsent", "B", info.u32(tcpiNotSent))
		count("snd_wnd", "B", info.u32(tcpiSndWnd))
		row("delivery_rate", "bit/s", pacing(info, tcpiDeliveryRate))
		row("pacing_rate", "bit/s", pacing(info, tcpiPacingRate))
		clock("busy", tcpiBusy)
		clock("rwnd_limited", tcpiRwndLimited)
		clock("sndbuf_limited", tcpiSndbufLimited)
		count("sendq", "B", r.outQ)
		count("wmem_queued", "B", r.memory(memWmemQueued))
		count("wmem_alloc", "B", r.memory(memWmemAlloc))
		count("sndbuf", "B", r.memory(memSndBuf))
		return rows
	}
	row("rcv_rtt", "s", micros(info.u32(tcpiRcvRTT)))
	count("rcv_space", "B", info.u32(tcpiRcvSpace))
	count("rcv_wnd", "B", info.u32(tcpiRcvWnd))
	count("recvq", "B", r.inQ)
	count("rmem_alloc", "B", r.memory(memRmemAlloc))
	count("rcvbuf", "B", r.memory(memRcvBuf))
	return rows
}

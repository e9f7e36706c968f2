package network

import (
	"fmt"
	"slices"

	"linerate/internal/record"
	"linerate/internal/run/remote"
	"linerate/internal/traffic"
)

// join combines the results of the two ends of one repeat.
func join(s Spec, a, b *remote.End, here *traffic.Work) (record.Repeat, error) {
	from, to := a.Outcome, b.Outcome
	r := record.Repeat{Slice: from.Slice, Forward: to.Goodput, Backward: from.Goodput, SeriesOut: to.Series,
		SeriesIn: from.Series, BusyFrom: from.Busy, BusyTo: to.Busy, RetransOut: from.Retrans, RetransIn: to.Retrans}
	r.Goodput = r.Forward + r.Backward
	receiver := to
	if s.Direction == traffic.In {
		receiver = from
	}
	r.Seconds = float64(receiver.EndNS-receiver.StartNS) / 1e9
	if s.Amount > 0 {
		joinAmount(&r, s, a, b)
	}
	if err := engineOf(s.Method).join(&r, s, a, b); err != nil {
		return r, err
	}
	if err := joinPing(&r, a, b); err != nil {
		return r, err
	}
	for _, e := range []*remote.End{a, b} {
		for _, w := range e.Outcome.Warnings {
			r.Warnings = append(r.Warnings, e.Host+": "+w)
		}
	}
	remote.JoinPairCPU(&r, a, b, here)
	r.InEffect = inEffect(s, from.InEffect, to.InEffect)
	udpInEffect(r.InEffect, from, to)
	multipath(r.InEffect, s, from, to)
	rdmaInEffect(r.InEffect, s, r.Verbs)
	return r, nil
}

// joinStreams takes each connection's goodput and socket from the end that knows it.
func joinStreams(from, to []traffic.StreamEnd, ping bool) ([]record.Stream, error) {
	if len(from) != len(to) {
		return nil, fmt.Errorf("one end counts %d connections, the other %d", len(from), len(to))
	}
	byIndex := func(x, y traffic.StreamEnd) int { return x.Index - y.Index }
	slices.SortFunc(from, byIndex)
	slices.SortFunc(to, byIndex)
	var out []record.Stream
	for i := range from {
		active, passive := from[i], to[i]
		if !active.Active {
			active, passive = passive, active
		}
		if active.Index != passive.Index || !active.Active || passive.Active {
			return nil, fmt.Errorf("the two ends disagree about connection %d", i)
		}
		s := record.Stream{Index: active.Index, Direction: active.Direction, Goodput: passive.Goodput, Socket: active.Socket,
			Receiver: passive.Socket, RTTSamples: active.RTTSamples, Sent: active.Sent, Received: passive.Received}
		if err := joinUDP(&s, active.UDP, passive.UDP, ping); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

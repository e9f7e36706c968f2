package tcp

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
)

// An end that stands still for 300 ms shows in the round trips, whichever end it is and whether it goes on within the
// interval or after it. In an open loop every question that was due meanwhile has it in its time, in proportion; a
// closed loop has one round trip in it.
func TestStopShowsInRoundTrips(t *testing.T) {
	const (
		stop, interval, trip = 300 * time.Millisecond, 3 * time.Second, 2 * time.Millisecond
		every                = time.Millisecond
	)
	for _, loop := range []string{"closed", traffic.TCP, traffic.UDP} {
		for _, stops := range []string{traffic.From, traffic.To} {
			for _, after := range []time.Duration{time.Second, interval - 100*time.Millisecond} {
				name := fmt.Sprintf("%s, %s stops after %v", loop, stops, after)
				traffictest.Bubble(t, func(t *testing.T) {
					s := traffic.Setup{Method: "latency", Direction: traffic.Out, Streams: 1, Warmup: 100 * time.Millisecond,
						Interval: interval}
					if loop != "closed" {
						s.Transport, s.Every = loop, every
					}
					// Half a question before it is due.
					begins := traffic.Now() + int64(time.Second+s.Warmup+after-every/2)
					stopped := traffictest.Gap{From: begins, To: begins + int64(stop)}
					out, in := traffictest.Link{Delay: trip / 2}, traffictest.Link{Delay: trip / 2}
					if stops == traffic.To {
						out.Held = stopped
					} else {
						in.Held = stopped
					}
					sleep := traffic.SleepUntil
					if stops == traffic.From { // its thread does not run before the end of the stop
						sleep = func(ctx context.Context, at int64) bool { return traffic.SleepUntil(ctx, stopped.After(at)) }
					}
					from, to := simulatedWith(t, s, out, in, sleep)
					a, b, _ := traffictest.InSimulation(t, from.End, to.End, nil)
					if err := errors.Join(a.Err, b.Err); err != nil {
						t.Fatal(err)
					}
					h, err := traffic.DecodeHistogram(a.Histogram)
					if err != nil {
						t.Fatal(err)
					}
					longest, p95, p99 := (stop + trip).Seconds(), trip.Seconds(), trip.Seconds()
					if loop != "closed" {
						hit := float64(min(stop, interval-after)/every) / float64(interval/every)
						// Of the questions in the stop the k-th of the slowest waited for stop - k * every.
						p95 = max(trip, stop+trip-time.Duration(0.05*float64(interval))).Seconds()
						p99 = (stop + trip - time.Duration(0.01*float64(interval))).Seconds()
						if hit < 0.05 {
							p95 = trip.Seconds()
						}
						if o := a.Open; o.Due != 3000 || o.Sent != 3000 || o.Answered != 3000 || h.Count() != 3000 {
							t.Errorf("%s: %+v with %d round trips, want 3000", name, o, h.Count())
						}
						late, err := traffic.DecodeHistogram(a.Open.Late)
						want := map[string]float64{traffic.From: (stop - every/2).Seconds(), traffic.To: 0}[stops]
						if err != nil || late.Max() < want*0.99 || late.Max() > want*1.01+1e-9 {
							t.Errorf("%s: sent late by up to %v s, want %v: %v", name, late.Max(), want, err)
						}
					}
					if !traffictest.Within(h.Quantile(0.95), p95, 0.03) || !traffictest.Within(h.Quantile(0.99), p99, 0.03) ||
						!traffictest.Within(h.Max(), longest, 0.02) {
						t.Errorf("%s: p95 %v, p99 %v, longest %v s, want %v, %v, %v", name, h.Quantile(0.95), h.Quantile(0.99), h.Max(),
							p95, p99, longest)
					}
				})
			}
		}
	}
}

// A link goes down in the interval and comes back: goodput is that of the whole interval, the series shows the gap and
// what came after it, and a warning names it, from 300 ms on. A paced stream has none: it may have nothing to send.
func TestSimulatedLinkDownAndUp(t *testing.T) {
	for _, c := range []struct {
		down time.Duration
		pace unit.BitRate
		says string
	}{
		{500 * time.Millisecond, 0, "nothing arrived for 500ms, from 600ms after the beginning of the interval"},
		{300 * time.Millisecond, 0, "nothing arrived for 300ms, from 600ms after"},
		{200 * time.Millisecond, 0, ""},
		{500 * time.Millisecond, 50e6, ""},
	} {
		traffictest.Bubble(t, func(t *testing.T) {
			s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Interval: 2 * time.Second, Pace: c.pace}
			if c.pace > 0 {
				s.PaceBy = traffic.PaceByProgram
			}
			begins := traffic.Now() + int64(time.Second+600*time.Millisecond)
			gone := traffictest.Gap{From: begins, To: begins + int64(c.down)}
			from, to := simulatedEnds(t, s, traffictest.Link{Rate: 100e6, Buffer: 64 * unit.KiB, Down: gone}, mbit)
			a, b, _ := traffictest.InSimulation(t, from.End, to.End, nil)
			if err := errors.Join(a.Err, b.Err); err != nil {
				t.Fatal(err)
			}
			if c.says == "" && len(b.Warnings) > 0 || c.says != "" &&
				(len(b.Warnings) != 1 || !traffictest.Contains(b.Warnings[0], c.says)) {
				t.Errorf("%v at %v: warnings %q, want %q", c.down, c.pace, b.Warnings, c.says)
			}
			if c.pace > 0 {
				return
			}
			// A gap makes the mean rate less than that at which data flows: the cut then leaves out up to a twentieth of the
			// interval at its beginning.
			if want := 200e6 * (1 - c.down.Seconds()/s.Interval.Seconds()); !traffictest.Within(b.Goodput, want, 0.02) {
				t.Errorf("%v: %v bit/s, want %v", c.down, b.Goodput, want)
			}
			if len(b.Series) != 20 {
				t.Fatalf("%d slices", len(b.Series))
			}
			for i, rate := range b.Series {
				want := 200e6
				if i >= 6 && i < 6+int(c.down/(100*time.Millisecond)) {
					want = 0
				}
				if !traffictest.Within(rate, want, 0.05) {
					t.Errorf("%v: %v bit/s in slice %d, want %v", c.down, rate, i, want)
				}
			}
		})
	}
}

// The load keeps the queue before a link full, and a ping that shares it has the whole queue in its round trip.
func TestSimulatedUnderLoad(t *testing.T) {
	const buffer = 64 * unit.KiB
	slow, fast := traffictest.Link{Rate: 20e6, Delay: time.Millisecond, Buffer: buffer},
		traffictest.Link{Delay: time.Millisecond}
	asks := slow
	asks.Buffer = unit.MiB // of its own connection: it never waits to be sent
	for _, loaded := range []bool{false, true} {
		for _, every := range []time.Duration{0, 5 * time.Millisecond} {
			traffictest.Bubble(t, func(t *testing.T) {
				s := traffic.Setup{Method: "latency", Direction: traffic.Out, Streams: 1, Every: every, Warmup: time.Second,
					Interval: time.Second}
				from, to := simulatedEnds(t, s, asks, fast)
				s = traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Warmup: time.Second,
					Interval: time.Second}
				loadFrom, loadTo := simulatedEnds(t, s, slow, fast)
				for _, c := range loadFrom.conns {
					c.Out.Queue = from.conns[0].Out.Queue
				}
				done := make(chan float64, 1)
				if loaded {
					go func() {
						_, b, _ := traffictest.InSimulation(t, loadFrom.End, loadTo.End, nil)
						if b.Err != nil {
							t.Error(b.Err)
						}
						done <- b.Goodput
					}()
				} else {
					done <- 0
				}
				a, _, _ := traffictest.InSimulation(t, from.End, to.End, nil)
				carried := <-done
				if a.Err != nil {
					t.Fatal(a.Err)
				}
				h, err := traffic.DecodeHistogram(a.Histogram)
				if err != nil {
					t.Fatal(err)
				}
				// The ping itself takes the link's time. The senders of the load are ahead of the link by its buffer, and by a
				// chunk each.
				low := 2e-3 + 64*8/20e6
				high := low
				if loaded {
					low += float64(buffer) * 8 / 20e6
					high = low + float64(2*traffictest.ChunkSize)*8/20e6
				}
				if got := h.Quantile(0.5); got < low*0.999 || got > high*1.001 || loaded &&
					!traffictest.Within(carried, 20e6, 0.02) {
					t.Errorf("every %v, loaded %v: p50 %v s, want %v to %v; the load carried %v", every, loaded, got, low, high,
						carried)
				}
			})
		}
	}
}

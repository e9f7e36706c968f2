package traffic

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"linerate/internal/base/unit"
)

// An end that stands still for 300 ms shows in the round trips, whichever end it is and whether it goes on within the
// window or behind it. In an open loop every question that was due meanwhile has it in its time, in proportion; a closed
// loop has one round trip in it.
func TestStopShowsInRoundTrips(t *testing.T) {
	const (
		stop, window, trip = 300 * time.Millisecond, 3 * time.Second, 2 * time.Millisecond
		every              = time.Millisecond
	)
	for _, loop := range []string{"closed", TCP, UDP} {
		for _, stops := range []string{From, To} {
			for _, after := range []time.Duration{time.Second, window - 100*time.Millisecond} {
				name := fmt.Sprintf("%s, %s stops after %v", loop, stops, after)
				bubble(t, func(t *testing.T) {
					s := Setup{Method: "ping", Direction: Out, Streams: 1, Warmup: 100 * time.Millisecond, Window: window}
					if loop != "closed" {
						s.Transport, s.Every = loop, every
					}
					// Half a question before it is due.
					begins := Now() + int64(time.Second+s.Warmup+after-every/2)
					stopped := gap{begins, begins + int64(stop)}
					out, in := link{delay: trip / 2}, link{delay: trip / 2}
					if stops == To {
						out.held = stopped
					} else {
						in.held = stopped
					}
					from, to := simulatedEnds(t, s, out, in)
					if stops == From { // its thread has no turn before the end of the stop
						from.setup.sleep = func(ctx context.Context, at int64) bool { return sleepUntil(ctx, stopped.after(at)) }
					}
					a, b, _ := inSimulation(t, from, to, nil)
					if err := errors.Join(a.err, b.err); err != nil {
						t.Fatal(err)
					}
					h, err := DecodeHistogram(a.Histogram)
					if err != nil {
						t.Fatal(err)
					}
					longest, p95, p99 := (stop + trip).Seconds(), trip.Seconds(), trip.Seconds()
					if loop != "closed" {
						hit := float64(min(stop, window-after)/every) / float64(window/every)
						// Of the questions in the stop the k-th of the slowest waited for stop - k * every.
						p95 = max(trip, stop+trip-time.Duration(0.05*float64(window))).Seconds()
						p99 = (stop + trip - time.Duration(0.01*float64(window))).Seconds()
						if hit < 0.05 {
							p95 = trip.Seconds()
						}
						if o := a.Open; o.Due != 3000 || o.Sent != 3000 || o.Answered != 3000 || h.Count() != 3000 {
							t.Errorf("%s: %+v with %d round trips, want 3000", name, o, h.Count())
						}
						late, err := DecodeHistogram(a.Open.Late)
						want := map[string]float64{From: (stop - every/2).Seconds(), To: 0}[stops]
						if err != nil || late.Max() < want*0.99 || late.Max() > want*1.01+1e-9 {
							t.Errorf("%s: sent late by up to %v s, want %v: %v", name, late.Max(), want, err)
						}
					}
					if !within(h.Quantile(0.95), p95, 0.03) || !within(h.Quantile(0.99), p99, 0.03) || !within(h.Max(), longest, 0.02) {
						t.Errorf("%s: p95 %v, p99 %v, longest %v s, want %v, %v, %v", name, h.Quantile(0.95), h.Quantile(0.99), h.Max(), p95, p99, longest)
					}
				})
			}
		}
	}
}

// A link that goes down in the window and comes back: the figure is that of the whole window, the series shows the gap and
// what came after it, and a warning names it, from 300 ms on. A stream with a pace has none: it may have nothing to send.
func TestSimulatedLinkDownAndUp(t *testing.T) {
	for _, c := range []struct {
		down time.Duration
		pace unit.BitRate
		says string
	}{
		{500 * time.Millisecond, 0, "nothing arrived for 500ms, from 600ms after the beginning of the window"},
		{300 * time.Millisecond, 0, "nothing arrived for 300ms, from 600ms after"},
		{200 * time.Millisecond, 0, ""},
		{500 * time.Millisecond, 50e6, ""},
	} {
		bubble(t, func(t *testing.T) {
			s := Setup{Method: "stream", Direction: Out, Streams: 2, Window: 2 * time.Second, Pace: c.pace}
			if c.pace > 0 {
				s.PaceBy = PaceByProgram
			}
			begins := Now() + int64(time.Second+600*time.Millisecond)
			gone := gap{begins, begins + int64(c.down)}
			from, to := simulatedEnds(t, s, link{rate: 100e6, buffer: 64 * unit.KiB, down: gone}, mbit)
			a, b, _ := inSimulation(t, from, to, nil)
			if err := errors.Join(a.err, b.err); err != nil {
				t.Fatal(err)
			}
			if c.says == "" && len(b.Warnings) > 0 || c.says != "" && (len(b.Warnings) != 1 || !contains(b.Warnings[0], c.says)) {
				t.Errorf("%v at %v: warnings %q, want %q", c.down, c.pace, b.Warnings, c.says)
			}
			if c.pace > 0 {
				return
			}
			// A gap makes the mean rate less than that at which data flows: the cut then leaves out up to a twentieth of
			// the window at its beginning.
			if want := 200e6 * (1 - c.down.Seconds()/s.Window.Seconds()); !within(b.Goodput, want, 0.02) {
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
				if !within(rate, want, 0.05) {
					t.Errorf("%v: %v bit/s in slice %d, want %v", c.down, rate, i, want)
				}
			}
		})
	}
}

// The warning names the longest gap of a series, from 300 ms on. A series in which nothing came at all has another warning.
func TestStall(t *testing.T) {
	const step = 100 * time.Millisecond
	for _, c := range []struct {
		series string // a digit for each slice
		want   string
	}{
		{"", ""},
		{"9999999999", ""},
		{"9900999009", ""},
		{"0000000000", ""},
		{"9900099999", "nothing arrived for 300ms, from 200ms after"},
		{"0001000099", "nothing arrived for 400ms, from 400ms after"},
		{"9999990000", "nothing arrived for 400ms, from 600ms after"},
		{"0009900099", "nothing arrived for 300ms, from 0s after"},
	} {
		var series []float64
		for _, d := range c.series {
			series = append(series, float64(d-'0'))
		}
		if got := stall(series, step); c.want == "" && got != "" || !contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.series, got, c.want)
		}
	}
}

// The load keeps the queue before a link full, and a ping that shares it has the whole queue in its round trip.
func TestSimulatedUnderLoad(t *testing.T) {
	const buffer = 64 * unit.KiB
	slow, fast := link{rate: 20e6, delay: time.Millisecond, buffer: buffer}, link{delay: time.Millisecond}
	asks := slow
	asks.buffer = unit.MiB // of its own connection: it never waits to be sent
	for _, loaded := range []bool{false, true} {
		for _, every := range []time.Duration{0, 5 * time.Millisecond} {
			bubble(t, func(t *testing.T) {
				s := Setup{Method: "ping", Direction: Out, Streams: 1, Every: every, Warmup: time.Second, Window: time.Second}
				from, to := simulatedEnds(t, s, asks, fast)
				s = Setup{Method: "stream", Direction: Out, Streams: 2, Warmup: time.Second, Window: time.Second}
				loadFrom, loadTo := simulatedEnds(t, s, slow, fast)
				for _, w := range loadFrom.wires {
					simulatedStream(w).out.queue = simulatedStream(from.wires[0]).out.queue
				}
				done := make(chan float64, 1)
				if loaded {
					go func() {
						_, b, _ := inSimulation(t, loadFrom, loadTo, nil)
						if b.err != nil {
							t.Error(b.err)
						}
						done <- b.Goodput
					}()
				} else {
					done <- 0
				}
				a, _, _ := inSimulation(t, from, to, nil)
				carried := <-done
				if a.err != nil {
					t.Fatal(a.err)
				}
				h, err := DecodeHistogram(a.Histogram)
				if err != nil {
					t.Fatal(err)
				}
				// The ping itself takes the link's time. The senders of the load are ahead of the link by its buffer, and by a chunk each.
				low := 2e-3 + 64*8/20e6
				high := low
				if loaded {
					low += float64(buffer) * 8 / 20e6
					high = low + float64(2*chunkSize)*8/20e6
				}
				if got := h.Quantile(0.5); got < low*0.999 || got > high*1.001 || loaded && !within(carried, 20e6, 0.02) {
					t.Errorf("every %v, loaded %v: p50 %v s, want %v to %v; the load carried %v", every, loaded, got, low, high, carried)
				}
			})
		}
	}
}

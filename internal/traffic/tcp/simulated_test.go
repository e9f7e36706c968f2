package tcp

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/traffictest"
	"linerate/internal/traffic/udp"
)

const ms = int64(time.Millisecond)

// table has the engines that a simulation can have.
func table() traffic.Table { return traffic.Table{Stream(), udp.Stream(), Ping(), udp.Ping()} }

// simulatedEnds are two prepared ends with a link in each direction for every connection.
func simulatedEnds(t *testing.T, s traffic.Setup, out, in traffictest.Link) (from, to simulatedEnd) {
	t.Helper()
	return simulatedWith(t, s, out, in, traffic.SleepUntil)
}

// simulatedEnd is an end with its connections.
type simulatedEnd struct {
	*traffic.End
	conns []*traffictest.Simulated
}

// simulatedWith is simulatedEnds with a sleep of the threads of from.
func simulatedWith(t *testing.T, s traffic.Setup, out, in traffictest.Link,
	sleep func(context.Context, int64) bool) (from, to simulatedEnd) {
	t.Helper()
	at := netip.MustParseAddr("127.0.0.1")
	s.Local, s.Remote, s.SocketsOnly = at, at, true
	entry, err := table().Find(s)
	if err != nil {
		t.Fatal(err)
	}
	asks := s.Method == "latency"
	for range s.Connections() {
		a, b := traffictest.NewSimulated(out, in)
		if s.Transport == traffic.UDP {
			a.Datagram, b.Datagram = true, true
			if asks {
				a.Timeout, b.Timeout = 250*time.Millisecond, 250*time.Millisecond
			}
		}
		from.conns, to.conns = append(from.conns, a), append(to.conns, b)
	}
	end := func(side string, conns []*traffictest.Simulated, sleep func(context.Context, int64) bool) *traffic.End {
		s.Side = side
		l := traffic.Endpoint{Setup: s, Sleep: sleep}
		if s.Transport == traffic.UDP {
			var all []net.Conn
			for _, c := range conns {
				all = append(all, c)
			}
			return traffic.NewEnd(entry, s, udp.NewSimulated(l, asks, all))
		}
		e := &engine{setup: l, service: streaming, size: entry.Size(s)}
		if asks {
			e.service = pinging
		}
		for _, c := range conns {
			e.wires = append(e.wires, simulatedWire(c))
		}
		return traffic.NewEnd(entry, s, e)
	}
	from.End, to.End = end(traffic.From, from.conns, sleep), end(traffic.To, to.conns, traffic.SleepUntil)
	return from, to
}

// simulate runs an experiment over links in simulated time that must end well.
func simulate(t *testing.T, s traffic.Setup, out, in traffictest.Link,
	check func(t *testing.T, from, to *traffic.Outcome, begin int64)) {
	t.Helper()
	traffictest.Bubble(t, func(t *testing.T) {
		from, to := simulatedEnds(t, s, out, in)
		a, b, begin := traffictest.InSimulation(t, from.End, to.End, nil)
		if err := errors.Join(a.Err, b.Err); err != nil {
			t.Fatal(err)
		}
		check(t, a.Outcome, b.Outcome, begin)
	})
}

// mbit is a link of 100 Mb/s and half a millisecond, with a buffer of 64 KiB.
var mbit = traffictest.Link{Rate: 100e6, Delay: 500 * time.Microsecond, Buffer: 64 * unit.KiB}

// A stream carries what its link carries, exactly, in each direction, whatever the number of streams.
func TestSimulatedStream(t *testing.T) {
	for _, direction := range []string{traffic.Out, traffic.In, traffic.Both} {
		for _, streams := range []int{1, 3} {
			s := traffic.Setup{Method: "throughput", Direction: direction, Streams: streams, Warmup: 100 * time.Millisecond,
				Interval: time.Second}
			simulate(t, s, mbit, mbit, func(t *testing.T, from, to *traffic.Outcome, begin int64) {
				for _, o := range []*traffic.Outcome{from, to} {
					want := 0.0
					if receives := o == to && direction != traffic.In || o == from && direction != traffic.Out; receives {
						want = float64(streams) * 100e6
					}
					if !traffictest.Within(o.Goodput, want, 1e-3) {
						t.Errorf("%s, %d streams: %v bit/s, want %v", direction, streams, o.Goodput, want)
					}
					if o.OpenNS != begin+100*ms || o.CloseNS != begin+1100*ms || want > 0 && len(o.Series) != 10 {
						t.Errorf("%s: open %d, close %d ms after the beginning, %d slices", direction, (o.OpenNS-begin)/ms,
							(o.CloseNS-begin)/ms, len(o.Series))
					}
					for i, rate := range o.Series {
						if !traffictest.Within(rate, want, 0.03) { // a slice ends in the middle of a chunk
							t.Errorf("%s, %d streams: %v bit/s in slice %d, want %v", direction, streams, rate, i, want)
						}
					}
				}
				for i := range from.Streams {
					a, b := from.Streams[i], to.Streams[i]
					if a.Active {
						a, b = b, a
					}
					if !a.Drained || !b.Drained || a.Received != b.Sent || !traffictest.Within(a.Goodput, 100e6, 1e-3) {
						t.Errorf("%s: stream %d: %d sent, %d received, drained %v %v, %v bit/s", direction, i, b.Sent, a.Received,
							b.Drained, a.Drained, a.Goodput)
					}
				}
			})
		}
	}
}

// The program keeps a pace to the byte: over the interval, and in every slice of it.
func TestSimulatedPace(t *testing.T) {
	fast := traffictest.Link{Rate: 10e9, Delay: 100 * time.Microsecond, Buffer: unit.MiB}
	for _, rate := range []unit.BitRate{1.6e6, 8e6, 80e6} {
		s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Warmup: 300 * time.Millisecond,
			Interval: time.Second, Pace: rate, PaceBy: traffic.PaceByProgram}
		simulate(t, s, fast, fast, func(t *testing.T, from, to *traffic.Outcome, begin int64) {
			if from.InEffect.PaceBy != traffic.PaceByProgram || from.InEffect.PaceWhy != "" || to.InEffect.PaceBy != "" {
				t.Errorf("%+v, %+v", from.InEffect, to.InEffect)
			}
			if !traffictest.Within(to.Goodput, 2*float64(rate), 1e-6) {
				t.Errorf("%v in the interval, want %v", to.Goodput, 2*rate)
			}
			for i, r := range to.Series {
				if !traffictest.Within(r, 2*float64(rate), 1e-6) {
					t.Errorf("%v in slice %d, want %v", r, i, 2*rate)
				}
			}
			// A message that is due is handed over, so the total is a message at most ahead of the rate.
			until := 1350 * time.Millisecond
			for i, e := range to.Streams {
				exact := int64(float64(rate) / 8 * until.Seconds())
				if ahead := e.Received - exact; ahead < 0 || ahead > int64(float64(rate)/8*traffic.PaceStep.Seconds())+1 {
					t.Errorf("stream %d: %d bytes in %v, want %d", i, e.Received, until, exact)
				}
			}
		})
	}
}

// A sender that stands still for a while makes up for it, and keeps the mean.
func TestPaceAfterAStop(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		p := traffic.NewPacer(8e6, traffic.Now())
		sent, stopped := int64(0), false
		for at := p.Begin; at < p.Begin+int64(time.Second); at = traffic.Now() {
			if !stopped && at >= p.Begin+300*ms {
				stopped = true
				time.Sleep(200 * time.Millisecond)
			}
			p.Wait(sent, p.Begin+int64(time.Second))
			sent += int64(p.Message(1 << 20))
		}
		if sent < 1_000_000 || sent > 1_002_000 {
			t.Errorf("%d bytes in a second at 8 Mb/s", sent)
		}
	})
}

// An amount takes the time that its bytes take, and that is its goodput.
func TestSimulatedAmount(t *testing.T) {
	s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Interval: 20 * time.Second,
		Amount: 10_000_001}
	simulate(t, s, mbit, mbit, func(t *testing.T, from, to *traffic.Outcome, begin int64) {
		// Each of the two links carries 5 000 000 bytes, one of them one more, and the last arrives half a millisecond later.
		took := time.Duration(to.EndNS - begin)
		if want := 400_500 * time.Microsecond; took < want || took > want+time.Microsecond {
			t.Errorf("it took %v, want %v", took, want)
		}
		if to.StartNS != begin || !traffictest.Within(to.Goodput, 10_000_001*8/took.Seconds(), 1e-9) ||
			to.Streams[0].Received+to.Streams[1].Received != 10_000_001 {
			t.Errorf("%v bit/s, %+v", to.Goodput, to.Streams)
		}
	})
}

// An amount that is not complete at the limit is an error that names what arrived and what to do.
func TestAmountLimit(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Interval: 300 * time.Millisecond,
			Amount: 100 * unit.MiB, Pace: 80e6, PaceBy: traffic.PaceByProgram}
		from, to := simulatedEnds(t, s, mbit, mbit)
		a, b, begin := traffictest.InSimulation(t, from.End, to.End, nil)
		for _, err := range []error{a.Err, b.Err} {
			var e *failure.Error
			if !errors.As(err, &e) || e.Code != failure.CodeTimeout ||
				!traffictest.Contains(e.Text, "of 100 MiB were", "--time") {
				t.Errorf("%v", err)
			}
		}
		if took := time.Duration(traffic.Now() - begin); took < 300*time.Millisecond || took > 700*time.Millisecond {
			t.Errorf("it ended after %v", took)
		}
	})
}

// A round trip over a link is twice its delay and the time that the message takes.
func TestSimulatedPing(t *testing.T) {
	wire := traffictest.Link{Delay: 250 * time.Microsecond}
	for _, transport := range []string{traffic.TCP, traffic.UDP} {
		s := traffic.Setup{Method: "latency", Transport: transport, Direction: traffic.Out, Streams: 2,
			Warmup: 10 * time.Millisecond, Interval: 100 * time.Millisecond}
		simulate(t, s, wire, wire, func(t *testing.T, from, to *traffic.Outcome, begin int64) {
			h, err := traffic.DecodeHistogram(from.Histogram)
			if err != nil {
				t.Fatal(err)
			}
			// Each pair asks every half millisecond: 200 times in the interval.
			if from.RTTSamples != 400 || h.Count() != 400 || to.RTTSamples != 0 ||
				!traffictest.Within(h.Quantile(0.01), 500e-6, 1e-3) ||
				!traffictest.Within(h.Max(), 500e-6, 1e-3) {
				t.Errorf("%s: %d round trips, %d in the histogram, %v to %v, %d at the answering end", transport,
					from.RTTSamples, h.Count(), h.Quantile(0.01), h.Max(), to.RTTSamples)
			}
			for i, e := range from.Streams {
				if transport == traffic.UDP && (e.UDP.Sent != 200 || e.UDP.Received != 200) || e.Received != e.Sent ||
					to.Streams[i].Sent != e.Received {
					t.Errorf("%s: pair %d: %+v, %+v", transport, i, e, e.UDP)
				}
			}
		})
	}
}

// A round trip that is under way when the link goes dead counts with its time so far: the stall is visible.
func TestPingStall(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		s := traffic.Setup{Method: "latency", Direction: traffic.Out, Streams: 1, Interval: 100 * time.Millisecond}
		dead := traffic.Now() + int64(time.Second) + 60*ms + 100_000
		from, to := simulatedEnds(t, s, traffictest.Link{Delay: time.Millisecond},
			traffictest.Link{Delay: time.Millisecond, Dead: dead})
		a, _, _ := traffictest.InSimulation(t, from.End, to.End, nil)
		if a.Err != nil {
			t.Fatal(a.Err)
		}
		h, err := traffic.DecodeHistogram(a.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		// Round trips of 2 ms until 60 ms; the next waits until the deadline, 50 ms and a second after the interval.
		if a.RTTSamples != 31 || !traffictest.Within(h.Max(), 1.090, 1e-3) ||
			!traffictest.Within(h.Quantile(0.9), 2e-3, 1e-3) {
			t.Errorf("%d round trips, p90 %v, longest %v", a.RTTSamples, h.Quantile(0.9), h.Max())
		}
	})
}

// A question over UDP whose datagram is lost is given up after its time, and the loss is counted.
func TestSimulatedPingLoss(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		s := traffic.Setup{Method: "latency", Transport: traffic.UDP, Direction: traffic.Out, Streams: 1,
			Interval: time.Second}
		from, to := simulatedEnds(t, s, traffictest.Link{Delay: time.Millisecond},
			traffictest.Link{Delay: time.Millisecond})
		from.conns[0].Fate = func(k int64) []time.Duration {
			if k == 10 {
				return nil
			}
			return []time.Duration{0}
		}
		a, b, _ := traffictest.InSimulation(t, from.End, to.End, nil)
		if err := errors.Join(a.Err, b.Err); err != nil {
			t.Fatal(err)
		}
		// 2 ms each, and 250 ms for the one that is lost.
		if u := a.Streams[0].UDP; u.Sent != 376 || u.Received != 375 || a.RTTSamples != 375 {
			t.Errorf("%+v, %d round trips", u, a.RTTSamples)
		}
	})
}

// Questions of an open loop are sent at their times: none late, each answered after the round trip.
func TestSimulatedOpenLoop(t *testing.T) {
	wire := traffictest.Link{Delay: 3 * time.Millisecond}
	for _, transport := range []string{traffic.TCP, traffic.UDP} {
		for _, direction := range []string{traffic.Out, traffic.Both} {
			s := traffic.Setup{Method: "latency", Transport: transport, Direction: direction, Streams: 2,
				Every:  time.Millisecond,
				Warmup: 50 * time.Millisecond, Interval: 300 * time.Millisecond}
			simulate(t, s, wire, wire, func(t *testing.T, from, to *traffic.Outcome, begin int64) {
				ends := []*traffic.Outcome{from, to}
				if direction == traffic.Out {
					if ends = ends[:1]; to.Open != nil {
						t.Errorf("the end that answers has an open loop: %+v", to.Open)
					}
				}
				for _, o := range ends {
					h, err := traffic.DecodeHistogram(o.Histogram)
					service, err2 := traffic.DecodeHistogram(o.Open.Service)
					late, err3 := traffic.DecodeHistogram(o.Open.Late)
					if err := errors.Join(err, err2, err3); err != nil {
						t.Fatal(err)
					}
					if *o.Open != (traffic.OpenLoop{Due: 600, Sent: 600, Reached: 600, Answered: 600, Service: o.Open.Service,
						Late: o.Open.Late}) || h.Count() != 600 || service.Count() != 600 || late.Count() != 600 {
						t.Errorf("%s %s: %+v with %d round trips, want 600 of everything", transport, direction, o.Open, h.Count())
					}
					if late.Max() > 1e-9 || !traffictest.Within(h.Quantile(0.01), 6e-3, 1e-3) ||
						!traffictest.Within(h.Max(), 6e-3, 1e-3) || !traffictest.Within(service.Max(), 6e-3, 1e-3) {
						t.Errorf("%s %s: response %v to %v, service to %v, late %v", transport, direction, h.Quantile(0.01), h.Max(),
							service.Max(), late.Max())
					}
					for _, e := range o.Streams {
						if (e.RTTSamples != nil) != e.Active || e.Active && e.RTTSamples.Count != 300 {
							t.Errorf("pair %d: %+v", e.Index, e.RTTSamples)
						}
					}
				}
			})
		}
	}
}

// A rate that the link cannot carry differs from one that was kept, and what waits counts with its time.
func TestSimulatedOpenLoopTooFast(t *testing.T) {
	// A message of 1000 bytes each millisecond is 8 Mb/s; the link carries half of it, with 4 messages in its buffer.
	slow := traffictest.Link{Rate: 4e6, Buffer: 4000}
	s := traffic.Setup{Method: "latency", Direction: traffic.Out, Streams: 1, Every: time.Millisecond,
		Interval: time.Second, Size: 1000}
	simulate(t, s, slow, traffictest.Link{Rate: 1e9}, func(t *testing.T, from, to *traffic.Outcome, begin int64) {
		h, err := traffic.DecodeHistogram(from.Histogram)
		if err != nil {
			t.Fatal(err)
		}
		late, err := traffic.DecodeHistogram(from.Open.Late)
		if err != nil {
			t.Fatal(err)
		}
		// In a second 500 are carried and 4 wait in the buffer. Those that follow in the third of the second of grace are
		// late ones.
		if o := from.Open; o.Due != 1000 || o.Reached < 500 || o.Reached > 506 || o.Sent < 680 || o.Sent > 700 ||
			h.Count() != 1000 {
			t.Errorf("%+v, %d round trips", from.Open, h.Count())
		}
		// Question k is answered after 2(k+1) ms: k+2 ms since it was due. The 310 that were not sent count 384 to 694 ms.
		// Half of all lies below 445 ms.
		if !traffictest.Within(h.Quantile(0.5), 0.445, 0.01) || !traffictest.Within(late.Quantile(0.5), 0.34, 0.03) {
			t.Errorf("p50 %v, late by %v", h.Quantile(0.5), late.Quantile(0.5))
		}
	})
}

// An end that vanishes in the interval is an error of the other one, at once.
func TestOtherEndVanishesAtOnce(t *testing.T) {
	for _, method := range []string{"throughput", "latency"} {
		traffictest.Bubble(t, func(t *testing.T) {
			from, to := simulatedEnds(t, traffic.Setup{Method: method, Direction: traffic.Out, Streams: 2,
				Interval: 10 * time.Second}, mbit, mbit)
			begin := traffic.Now() + int64(time.Second)
			time.AfterFunc(time.Second+300*time.Millisecond, from.Close)
			var over sync.WaitGroup
			over.Go(func() {
				_, err := from.Run(t.Context(), begin, func([]traffic.Sample) {})
				if e := (&failure.Error{}); !errors.As(err, &e) || e.Code != failure.CodeStopped {
					t.Errorf("%s: the end that was closed: %v", method, err)
				}
			})
			_, err := to.Run(t.Context(), begin, func([]traffic.Sample) {})
			took := time.Duration(traffic.Now() - begin)
			if e := (&failure.Error{}); !errors.As(err, &e) || e.Code != failure.CodeReset || took < 300*time.Millisecond ||
				took > 310*time.Millisecond {
				t.Errorf("%s: after %v: %v", method, took, err)
			}
			over.Wait()
		})
	}
}

// A stream whose link goes dead in the interval ends at its deadline, and reports for how long nothing arrived.
func TestSimulatedDeadLink(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		dead := traffic.Now() + int64(time.Second) + 400*ms
		from, to := simulatedEnds(t,
			traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 1, Interval: time.Second},
			traffictest.Link{Rate: 100e6, Buffer: 64 * unit.KiB, Dead: dead}, mbit)
		_, b, begin := traffictest.InSimulation(t, from.End, to.End, nil)
		if b.Err != nil {
			t.Fatal(b.Err)
		}
		if !traffictest.Contains(b.Warnings[0], "last 6") || b.EndNS != b.CloseNS ||
			!traffictest.Within(b.Goodput, 40e6, 0.01) {
			t.Errorf("%v bit/s, ends %d ms after the beginning, %q", b.Goodput, (b.EndNS-begin)/ms, b.Warnings)
		}
	})
}

// Samples come at their times, once a period for every connection, and the slices of the series are among them.
func TestSimulatedSamples(t *testing.T) {
	traffictest.Bubble(t, func(t *testing.T) {
		s := traffic.Setup{Method: "throughput", Direction: traffic.Out, Streams: 2, Warmup: 50 * time.Millisecond,
			Interval: time.Second, Samples: 10}
		from, to := simulatedEnds(t, s, mbit, mbit)
		goodput := map[int][]traffic.Sample{}
		emitted := 0
		_, b, begin := traffictest.InSimulation(t, from.End, to.End, func(side string, rows []traffic.Sample) {
			if side != traffic.To {
				return
			}
			emitted++
			for _, r := range rows {
				if r.Metric == "goodput" {
					goodput[r.Stream] = append(goodput[r.Stream], r)
				}
			}
		})
		if b.Err != nil {
			t.Fatal(b.Err)
		}
		if emitted < 2 || emitted > 12 {
			t.Errorf("rows were handed over %d times", emitted)
		}
		for stream := range 2 {
			rows := goodput[stream]
			if len(rows) != 10 {
				t.Fatalf("stream %d: %d rows of goodput", stream, len(rows))
			}
			for i, r := range rows {
				if r.TimeNS != begin+50*ms+int64(i)*100*ms || !traffictest.Within(r.Value, 100e6, 0.03) {
					t.Errorf("stream %d, slice %d: %+v", stream, i, r)
				}
			}
		}
	})
}

// A known number of datagrams is left out, sent late, sent twice: the receiver counts each to the datagram, in
// simulated time between two tasks.
func TestSimulatedUDP(t *testing.T) {
	s := traffic.Setup{Method: "throughput", Transport: traffic.UDP, Direction: traffic.Out, Streams: 1,
		Warmup: 50 * time.Millisecond, Interval: 500 * time.Millisecond, Size: 1000, Pace: 8e6, PaceBy: traffic.PaceByProgram}
	for name, c := range map[string]struct {
		fate                        func(k int64) []time.Duration
		lost, reordered, duplicated int64
	}{
		"all": {fate: func(int64) []time.Duration { return []time.Duration{0} }},
		"each tenth lost": {fate: func(k int64) []time.Duration {
			if k%10 == 3 {
				return nil
			}
			return []time.Duration{0}
		}, lost: 50},
		"each tenth late": {fate: func(k int64) []time.Duration {
			if k%10 == 3 {
				return []time.Duration{2500 * time.Microsecond}
			}
			return []time.Duration{0}
		}, reordered: 50},
		"each tenth twice": {fate: func(k int64) []time.Duration {
			if k%10 == 3 {
				return []time.Duration{0, 300 * time.Microsecond}
			}
			return []time.Duration{0}
		}, duplicated: 50},
	} {
		t.Run(name, func(t *testing.T) {
			traffictest.Bubble(t, func(t *testing.T) {
				from, to := simulatedEnds(t, s, traffictest.Link{Delay: time.Millisecond},
					traffictest.Link{Delay: time.Millisecond})
				from.conns[0].Fate = c.fate
				a, b, _ := traffictest.InSimulation(t, from.End, to.End, nil)
				if err := errors.Join(a.Err, b.Err); err != nil {
					t.Fatal(err)
				}
				// A datagram each millisecond: 500 in the interval.
				out, in := a.Streams[0].UDP, b.Streams[0].UDP
				if out.Sent != 500 || out.Sent-in.Received != c.lost || in.Reordered != c.reordered ||
					in.Duplicated != c.duplicated {
					t.Errorf("%+v sent, %+v received", *out, *in)
				}
				if want := 8e6 * float64(500-c.lost) / 500; !traffictest.Within(b.Goodput, want, 0.01) {
					t.Errorf("%v bit/s, want %v", b.Goodput, want)
				}
			})
		})
	}
}

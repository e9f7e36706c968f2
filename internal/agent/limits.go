package agent

import (
	"fmt"
	"net/netip"
	"time"

	"linerate/internal/base/failure"
	"linerate/internal/base/unit"
	"linerate/internal/traffic"
	"linerate/internal/traffic/engines"
)

// limit is the most that an end allows, whatever the other end asks for.
type limit struct {
	name  string
	max   int64
	owner string // whose limit it is
	print func(int64) string
}

func plain(v int64) string    { return fmt.Sprint(v) }
func size(v int64) string     { return unit.Bytes(v).String() }
func duration(v int64) string { return time.Duration(v).String() }

// limits is the table. Every number from the other end is compared with it before it is used.
func limits() limitTable {
	const agents, protocols = "the agent's limit", "the protocol's limit"
	return limitTable{
		frame:       limit{"frame", 1 << 20, protocols, size},
		streams:     limit{"streams", 1024, agents, plain},
		buffer:      limit{"size", 64 << 20, agents, size},
		amount:      limit{"amount", 1 << 50, agents, size},
		duration:    limit{"duration", int64(24 * time.Hour), agents, duration},
		ahead:       limit{"start", int64(time.Minute), agents, duration},
		memory:      limit{"memory", 4 << 30, agents, size},
		experiments: limit{"experiments at once", 64, agents, plain},
		requests:    limit{"requests at once", 64, agents, plain},
		samples:     limit{"samples of an experiment", 10_000_000, "the controller's limit", plain},
		questions: limit{"every", 1_000_000, agents,
			func(v int64) string { return plain(v) + " questions a second of a pair" }},
		rate: limit{"samples a second", 100, agents, plain},
		echoes: limit{"every", 10_000, agents,
			func(v int64) string { return plain(v) + " ICMP questions a second of all pairs" }},
		targets:  limit{"targets of a probe", 256, agents, plain},
		programs: limit{"programs", 128, agents, plain},
		probeMTU: limit{"mtu", 65535, agents, plain},
		facts:    limit{"facts", 64 << 20, "the controller's limit", size},
	}
}

type limitTable struct {
	frame, streams, buffer, amount, duration, ahead, memory, experiments, requests, samples, questions, echoes, rate,
	targets, programs, probeMTU, facts limit
}

// check returns an error that names the limit, its value and whose it is.
func (l limit) check(v int64) error {
	if v <= l.max {
		return nil
	}
	return failure.Errorf(failure.CodeLimit, l.name, "%s is above %s, %s; ask for less", l.print(v), l.print(l.max),
		l.owner)
}

// smallestProbe is the least MTU of a probe: that of an IPv4 network.
const smallestProbe = 576

// checkSamples refuses a number of samples a second.
func (t limitTable) checkSamples(n int) error {
	if n < 0 || n > int(t.rate.max) {
		return failure.Errorf(failure.CodeInput, "samples", "%d a second is not a number from 0 to %d", n, t.rate.max)
	}
	return nil
}

// checkProbe compares a probe with the table.
func (t limitTable) checkProbe(q probeRequest) error {
	if err := t.targets.check(int64(len(q.Targets))); err != nil {
		return err
	}
	for _, to := range q.Targets {
		a := to.Address
		if !a.IsValid() || a.Is4In6() || a.IsUnspecified() || a.IsLoopback() || a.IsMulticast() ||
			a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			return failure.Errorf(failure.CodeInput, "target", "%v is not an address of one other host", a)
		}
		if to.MTU < smallestProbe {
			return failure.Errorf(failure.CodeInput, "mtu", "%d is less than %d, the least that is tried", to.MTU, smallestProbe)
		}
		if err := t.probeMTU.check(int64(to.MTU)); err != nil {
			return err
		}
	}
	return nil
}

// checkSetup compares an experiment with the table. memory is this host's limit, of which used is in use.
func (t limitTable) checkSetup(s traffic.Setup, memory, used int64) error {
	var questions, echoes int64
	if s.Every > 0 {
		questions = int64(time.Second / s.Every)
		if e, err := engines.All().Find(s); err == nil && e.Uninvited {
			echoes = questions * int64(s.Streams)
		}
	}
	l := t.memory
	if memory > 0 && memory < l.max {
		l.max, l.owner = memory, "a quarter of this host's memory"
	}
	for _, c := range []struct {
		limit
		v int64
	}{
		{t.streams, int64(s.Streams)}, {t.buffer, int64(s.Size)}, {t.questions, questions}, {t.rate, int64(s.Samples)},
		{t.echoes, echoes}, {t.amount, int64(s.Amount)},
		// A sum that overflows has a part that is refused before.
		{t.duration, int64(s.Warmup)}, {t.duration, int64(s.Interval)}, {t.duration, int64(s.Warmup) + int64(s.Interval)},
		{l, int64(engines.All().Memory(s)) + used},
	} {
		if err := c.check(c.v); err != nil {
			return err
		}
	}
	return nil
}

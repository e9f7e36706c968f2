package agent

import (
	"fmt"
	"net/netip"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/traffic"
)

// limit is the most that an end allows of something, whatever the other end asks for.
type limit struct {
	name  string
	max   int64
	owner string // whose limit it is
	print func(int64) string
}

func plain(v int64) string    { return fmt.Sprint(v) }
func size(v int64) string     { return unit.Bytes(v).String() }
func duration(v int64) string { return time.Duration(v).String() }

// limits is the table. Every number that comes from the other end is held against it before it is used.
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
		questions:   limit{"every", 1_000_000, agents, func(v int64) string { return plain(v) + " questions a second of a pair" }},
		rate:        limit{"samples a second", 100, agents, plain},
		echoes:      limit{"every", 10_000, agents, func(v int64) string { return plain(v) + " ICMP questions a second of all pairs" }},
		targets:     limit{"targets of a probe", 256, agents, plain},
		programs:    limit{"programs", 128, agents, plain},
		probeMTU:    limit{"mtu", 65535, agents, plain},
		facts:       limit{"facts", 64 << 20, "the controller's limit", size},
	}
}

type limitTable struct {
	frame, streams, buffer, amount, duration, ahead, memory, experiments, requests, samples, questions, echoes, rate, targets, programs, probeMTU, facts limit
}

// check returns an error that names the limit, its value and whose it is.
func (l limit) check(v int64) error {
	if v <= l.max {
		return nil
	}
	return &traffic.Error{Code: traffic.CodeLimit, Subject: l.name,
		Text: fmt.Sprintf("%s is above %s, %s; ask for less", l.print(v), l.print(l.max), l.owner)}
}

// smallestProbe is the least MTU that a network of IPv4 may have and that a probe tries.
const smallestProbe = 576

// checkProbe holds what a probe asks for against the table.
func (t limitTable) checkProbe(q probeRequest) error {
	if err := t.targets.check(int64(len(q.Targets))); err != nil {
		return err
	}
	for _, to := range q.Targets {
		a := to.Address
		if !a.IsValid() || a.Is4In6() || a.IsUnspecified() || a.IsLoopback() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
			return &traffic.Error{Code: traffic.CodeInput, Subject: "target", Text: fmt.Sprintf("%v is no address of one other host", a)}
		}
		if to.MTU < smallestProbe {
			return &traffic.Error{Code: traffic.CodeInput, Subject: "mtu", Text: fmt.Sprintf("%d is less than %d, the least that is tried", to.MTU, smallestProbe)}
		}
		if err := t.probeMTU.check(int64(to.MTU)); err != nil {
			return err
		}
	}
	return nil
}

// checkSetup holds what a prepare asks for against the table. memory is this host's limit, and what is in use of it.
func (t limitTable) checkSetup(s traffic.Setup, memory, used int64) error {
	if err := t.streams.check(int64(s.Streams)); err != nil {
		return err
	}
	if err := t.buffer.check(int64(s.Size)); err != nil {
		return err
	}
	if s.Every > 0 {
		if err := t.questions.check(int64(time.Second / s.Every)); err != nil {
			return err
		}
	}
	if err := t.rate.check(int64(s.Samples)); err != nil {
		return err
	}
	if s.Transport == traffic.ICMP && s.Every > 0 {
		if err := t.echoes.check(int64(time.Second/s.Every) * int64(s.Streams)); err != nil {
			return err
		}
	}
	if err := t.amount.check(int64(s.Amount)); err != nil {
		return err
	}
	// One after the other: a sum could overflow.
	for _, d := range []time.Duration{s.Warmup, s.Window, s.Warmup/2 + s.Window/2} {
		if err := t.duration.check(int64(d)); err != nil {
			return err
		}
	}
	if err := t.duration.check(int64(s.Warmup) + int64(s.Window)); err != nil {
		return err
	}
	l := t.memory
	if memory > 0 && memory < l.max {
		l.max, l.owner = memory, "a quarter of this host's memory"
	}
	return l.check(int64(s.Memory()) + used)
}

package run

import (
	"fmt"
	"slices"
	"strconv"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/traffic"
)

// overUDP says whether a cell is measured over UDP.
func (c *Cell) overUDP() bool { return c.Exp.Settings["transport"] == traffic.UDP }

// datagrams completes what is asked for with what only UDP needs: the MTU of the path as both ends' facts have it.
func (s *session) datagrams(c *Cell, spec *Spec) {
	if !c.overUDP() {
		return
	}
	spec.Transport = traffic.UDP
	spec.UDP = traffic.UDPOptions{MTU: path.MTU(c.Path, s.conditions(c.Path)), Fragment: c.Exp.Settings["fragment"] == "true"}
}

// chain is the chain of ceilings of a path for a cell's transport and streams.
func (c *Cell) chain(p plan.Path, direction string, conditions path.Conditions) record.Chain {
	conditions.Streams = c.streams()
	if !c.overUDP() {
		return path.TCP(p, direction, conditions)
	}
	size, err := unit.ParseBytes(c.Exp.Settings["size"])
	if err != nil {
		size = 0 // the largest that fits
	}
	return path.UDP(p, direction, int(size), conditions)
}

// streams are the connections in each direction.
func (c *Cell) streams() int {
	if n, err := strconv.Atoi(c.Exp.Settings["streams"]); err == nil && n > 0 {
		return n
	}
	return 1
}

// joinUDP puts together what the two ends of a stream counted of its datagrams. The sender decides which of them belong
// to the window, so that what it sent less what arrived is what was lost.
func joinUDP(out *record.Stream, active, passive *traffic.Datagrams, ping bool) error {
	if active == nil && passive == nil {
		return nil
	}
	if active == nil || passive == nil {
		return fmt.Errorf("the two ends disagree about the transport of connection %d", out.Index)
	}
	received := passive.Received
	if ping {
		received = active.Received
	}
	lost := active.Sent - received
	if lost < 0 {
		return fmt.Errorf("connection %d: %d datagrams arrived of %d that were sent", out.Index, received, active.Sent)
	}
	out.Datagrams, out.Lost = &active.Sent, &lost
	if ping {
		return nil
	}
	missing := max(0, active.Total-passive.Arrived)
	out.Reordered, out.Duplicated, out.Missing, out.Drops = &passive.Reordered, &passive.Duplicated, &missing, passive.Drops
	out.Total, out.Gaps = &active.Total, &passive.Gaps
	if passive.Scatter > 0 {
		out.Scatter = &passive.Scatter
	}
	if passive.Received > 0 {
		out.Jitter = &passive.Jitter
	}
	if passive.Reads > 0 {
		merged := float64(passive.Arrived) / float64(passive.Reads)
		out.Merged = &merged
	}
	return nil
}

// udpInEffect is how both ends handled datagrams, as settings of the record.
func udpInEffect(m map[string]string, from, to *traffic.Outcome) {
	put := func(key, value string) {
		if value != "" && m[key] == "" {
			m[key] = value
		}
	}
	for _, e := range slices.Concat(from.Streams, to.Streams) {
		if e.UDP == nil {
			return
		}
		put("transport", traffic.UDP)
		put("udp_send", e.UDP.Send)
		put("udp_receive", e.UDP.Receive)
		if e.UDP.PerCall > 0 {
			put("udp_per_call", fmt.Sprint(e.UDP.PerCall))
		}
		if e.UDP.Buffer > 0 {
			put("udp_receive_buffer", unit.Bytes(e.UDP.Buffer).String())
		}
	}
	put("size", fmt.Sprintf("%d B", int64(from.Size)))
}

// summarizeUDP adds what the repeats counted of datagrams.
func summarizeUDP(e *record.Experiment) error {
	e.UDP = nil
	var all record.UDP
	add := func(to **int64, v *int64) {
		if v == nil {
			return
		}
		if *to == nil {
			*to = new(int64)
		}
		**to += *v
	}
	var jitter []float64
	for _, r := range e.Repeats {
		for _, s := range r.Streams {
			if s.Datagrams == nil {
				continue
			}
			e.UDP = &all
			add(&all.Datagrams, s.Datagrams)
			add(&all.Lost, s.Lost)
			add(&all.Reordered, s.Reordered)
			add(&all.Duplicated, s.Duplicated)
			add(&all.Missing, s.Missing)
			add(&all.Drops, s.Drops)
			add(&all.Total, s.Total)
			add(&all.Gaps, s.Gaps)
			if s.Jitter != nil {
				jitter = append(jitter, *s.Jitter)
			}
		}
	}
	if len(jitter) == 0 {
		return nil
	}
	s, err := stat.Summarize(jitter)
	if err != nil {
		return fmt.Errorf("jitter of %s: %w", e.Name, err)
	}
	all.Jitter = &s.Median
	return nil
}

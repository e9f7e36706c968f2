package network

import (
	"fmt"
	"slices"

	"linerate/internal/base/stat"
	"linerate/internal/base/unit"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/traffic"
)

// transport adds what a transport other than TCP needs: UDP the MTU of the path from both ends' facts, MPTCP the names
// of the links.
func transport(s experiment.Session, c *experiment.Combination, p plan.Path, spec *Spec) {
	switch {
	case overUDP(c):
		spec.Transport = traffic.UDP
		spec.UDP = traffic.UDPOptions{MTU: path.MTU(p, experiment.ConditionsOf(s, p)),
			Fragment: c.Record.Settings["fragment"] == "true"}
	case overMPTCP(c):
		spec.Transport, spec.Links = traffic.MPTCP, linkLabels(s.Plan())
	}
}

// joinUDP combines the datagram counts of the two ends of a stream. The sender decides which of them belong to the
// interval, so that sent less received is lost.
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
	out.Reordered, out.Duplicated = &passive.Reordered, &passive.Duplicated
	out.Missing, out.Drops = &missing, passive.Drops
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

// udpInEffect adds how both ends handled datagrams to the settings of the record.
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

// summarizeUDP adds up the datagram counts of the repeats.
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

package explain

import (
	"fmt"
	"slices"

	"linerate/internal/facts"
	"linerate/internal/record"
)

// rdmaUnmarked: the card has flow control for a priority, and RDMA is sent in another one, because nobody marks it: where a queue is full it is
// dropped like everything else. The identity is the bytes sent in other priorities against those that were measured.
var rdmaUnmarked = Cause{
	ID: "rdma-unmarked", Title: "RDMA outside of its lossless class", Transport: "rdma",
	Test: func(c *Case) *Match {
		nic := c.Sender.NIC()
		if c.Share() >= atCeiling || nic == nil || nic.Effect == nil || c.Repeat == nil {
			return nil
		}
		lossless, why := nic.Effect.PFC()
		if why != "" || len(lossless) == 0 {
			return nil
		}
		at := proofPort{device: c.Sender.Host, port: nic.Name, shots: c.Sender.Shots}
		var within, without float64
		var in []record.Evidence
		var most record.Evidence // of the priorities that nobody pauses
		class := -1
		for k := range 8 {
			count, why := at.count(facts.ClassBytesSent, k)
			if why != "" {
				return nil // what is not counted may be where it belongs
			}
			grew := float64(grewBy(count))
			e := record.Evidence{Host: count.Device, Source: count.Source, Counter: fmt.Sprintf("bytes of priority %d", k), Before: ptr(0), After: ptr(grew), Unit: "bytes",
				Text: fmt.Sprintf("%s sent %s in priority %d", nic.Name, countedBytes(grew), k)}
			if slices.Contains(lossless, k) {
				within += grew
				e.Text += ", which is the one that can be paused"
				in = append(in, e)
				continue
			}
			without += grew
			if class < 0 || grew > *most.After {
				class, most = k, e
			}
		}
		measured := 0.0
		for _, r := range c.Exp.Repeats {
			measured += along(&r, c.direction) * r.Seconds / 8
		}
		if measured <= 0 || without < measured || within > 0.05*measured {
			return nil
		}
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: the mark of RDMA on %s", c.Sender.Host, nic.Name),
			Sentence: fmt.Sprintf("%s is held back by losses that its class would be spared: RDMA is sent in priority %d, and %s of %s can be paused for priority %d alone.",
				c.subject(), class, nic.Name, c.Sender.Host, lossless[0]),
			Evidence:    append([]record.Evidence{most}, in...),
			NextCeiling: c.nextCeiling(""),
			Fix:         c.with("traffic_class", fmt.Sprintf("%d", markFor(nic, lossless[0])<<2)) + "\nfor everything else that speaks RDMA on that host, what linerate check says of the mark of RoCE",
			Undo:        c.without("traffic_class"),
		}
		if f := c.state("rdma-unmarked", c.Sender, ""); f != nil {
			m.Fix, m.Undo = fromCheck(c.Sender.Host, f.Fix), fromCheck(c.Sender.Host, f.Undo)
		}
		list, missing, ends := c.sequenceErrors()
		if missing < tellingSequence {
			return m
		}
		for _, k := range list {
			m.Evidence = append(m.Evidence, k.evidence())
		}
		if ends > 0 {
			m.Strength = Likely
		}
		return m
	},
}

// markFor is the least DSCP that the card sorts into a priority; that of the priority in its upper bits where it does not say.
func markFor(nic *facts.Interface, priority int) int {
	best := -1
	for dscp, class := range nic.Effect.DSCP {
		if class == priority && (best < 0 || dscp < best) {
			best = dscp
		}
	}
	if best < 0 {
		return priority << 3
	}
	return best
}

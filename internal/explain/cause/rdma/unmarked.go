package rdma

import (
	"fmt"
	"slices"

	"linerate/internal/explain/judge"
	"linerate/internal/explain/proof"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// Unmarked is the cause where the NIC has flow control for a priority, and RDMA is sent in another one, because it is
// not marked: at a full queue it is dropped like all other traffic. The identity compares the bytes sent in other
// priorities with those that were measured.
var Unmarked = judge.Cause{
	ID: "rdma-unmarked", Title: "RDMA outside of its lossless class", Applies: judge.RDMA,
	Test: func(c *judge.Case) *judge.Match {
		nic := c.Sender.NIC()
		if c.Share() >= judge.AtCeiling || nic == nil || nic.Effect == nil || c.Repeat == nil {
			return nil
		}
		lossless, why := nic.Effect.PFC()
		if why != "" || len(lossless) == 0 {
			return nil
		}
		at := proof.Port{Device: c.Sender.Host, Port: nic.Name, Shots: c.Sender.Shots}
		var within, without float64
		var in []record.Evidence
		var most record.Evidence // of the priorities without PFC
		class := -1
		for k := range 8 {
			count, why := at.Count(facts.ClassBytesSent, k)
			if why != "" {
				return nil // bytes without a counter may be in the right priority
			}
			grew := float64(proof.CounterGrowth(count))
			e := judge.Rise(count.Device, count.Source, fmt.Sprintf("bytes of priority %d", k), grew, "bytes",
				"%s sent %s in priority %d", nic.Name, judge.CountedBytes(grew), k)
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
			measured += judge.GoodputOf(&r, c.Direction) * r.Seconds / 8
		}
		if measured <= 0 || without < measured || within > 0.05*measured {
			return nil
		}
		m := c.Candidate(fmt.Sprintf("%s: the mark of RDMA on %s", c.Sender.Host, nic.Name), "is held back by losses that "+
			"its class would be spared: RDMA is sent in priority %d, and %s of %s can be paused for priority %d alone.", class,
			nic.Name, c.Sender.Host, lossless[0])
		m.Evidence = append([]record.Evidence{most}, in...)
		m.Fix = c.With("traffic_class", fmt.Sprintf("%d", markFor(nic, lossless[0])<<2)) + "\nfor everything else that " +
			"speaks RDMA on that host, what linerate check says of the mark of RoCE"
		m.Undo = c.Without("traffic_class")
		if f := c.State("rdma-unmarked", c.Sender, ""); f != nil {
			m.FromCheck(c.Sender.Host, f)
		}
		list, missing, ends := sequenceErrors(c)
		if missing < tellingSequence {
			return m
		}
		for _, k := range list {
			m.Add(k.evidence())
		}
		if ends > 0 {
			m.Strength = judge.Likely
		}
		return m
	},
}

// markFor returns the lowest DSCP that the NIC maps to a priority. If its map is not known, it is the DSCP with the
// priority in its upper bits.
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

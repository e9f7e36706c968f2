package show

import (
	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/facts/parse"
)

// QueueDrop is a queue's dropped and sent packets.
type QueueDrop struct {
	Port  string
	Queue int
	Lost  uint64
	Sent  unit.Opt[uint64] // packets
	facts.Proof
}

// settleQueueDrops marks drops of queues whose class is lossless.
func settleQueueDrops(f *parse.Builder) {
	for _, d := range StateOf(f).QueueDrops {
		what := facts.QueueDrops
		n := f.Interface(d.Port)
		for _, c := range []*facts.Classes{n.Effect, n.Asked} {
			if c == nil {
				continue
			}
			if pfc, why := c.PFC(); why == "" {
				for _, class := range pfc {
					if class == d.Queue {
						what = facts.LosslessDrops
					}
				}
				break
			}
		}
		f.Counts = append(f.Counts, facts.Count{What: what, Subject: d.Port, Value: d.Lost, Of: d.Sent,
			Proof: d.Proof})
	}
	StateOf(f).QueueDrops = nil
}

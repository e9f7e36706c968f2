package facts

import (
	"fmt"
)

// Slowest returns the interface's queueing discipline with the lowest rate; false: none limits the rate.
func (n *Interface) Slowest() (best Qdisc, found bool) {
	for _, q := range n.Qdiscs {
		rate, ok := q.Rate.Get()
		if !ok || rate <= 0 {
			continue
		}
		if b, _ := best.Rate.Get(); !found || rate < b {
			best, found = q, true
		}
	}
	return best, found
}

// Restore returns the command that restores the discipline of an interface if all of its settings are known; else what
// to save before it is deleted.
func (q Qdisc) Restore(nic string) string {
	rate, ok1 := q.Rate.Get()
	burst, ok2 := q.Burst.Get()
	limit, ok3 := q.Limit.Get()
	if q.Kind == "tbf" && ok1 && ok2 && ok3 {
		return fmt.Sprintf("tc qdisc replace dev %s root tbf rate %.0fbit burst %d limit %d", nic, float64(rate),
			int64(burst), int64(limit))
	}
	return fmt.Sprintf("keep the output of: tc qdisc show dev %s; tc class show dev %s", nic, nic)
}

package traffic

import (
	"fmt"
	"time"
)

// stallAfter is how long nothing may arrive in a stream at full speed before that is said.
const stallAfter = 300 * time.Millisecond

// stall says when nothing arrived for a while in the middle of a window: bytes of each slice, all connections together.
func stall(series []float64, step time.Duration) string {
	longest, at, run, total := 0, 0, 0, 0.0
	for i, v := range series {
		total += v
		if run++; v > 0 {
			run = 0
		}
		if run > longest {
			longest, at = run, i-run+1
		}
	}
	if d := time.Duration(longest) * step; total > 0 && d >= stallAfter {
		return fmt.Sprintf("nothing arrived for %v, from %v after the beginning of the window; look whether the link went down (ip -s link, the switch's log) or the host stood still",
			d, time.Duration(at)*step)
	}
	return ""
}

package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"linerate/internal/base/method"
	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// inlineJumps adds a remark to every sweep of RDMA latencies over sizes that jumps at the inline limit.
func inlineJumps(r *record.Run) {
	sweeps := map[string][]*record.Experiment{}
	for _, e := range r.Experiments {
		if !method.Named(e.Method).UsesRDMA || e.Latency == nil || e.Verbs == nil || len(e.Verbs.Ends) == 0 {
			continue
		}
		e.Remark = ""
		key := []string{e.Name, e.Variant, e.From, e.To, e.Direction}
		for _, k := range slices.Sorted(maps.Keys(e.Settings)) {
			if k != "size" {
				key = append(key, k, e.Settings[k])
			}
		}
		text := strings.Join(key, "\x00")
		sweeps[text] = append(sweeps[text], e)
	}
	for _, combinations := range sweeps {
		size := func(e *record.Experiment) unit.Bytes { n, _ := unit.ParseBytes(e.Settings["size"]); return n }
		slices.SortFunc(combinations, func(a, b *record.Experiment) int { return cmp.Compare(size(a), size(b)) })
		var sweep []inlinePoint
		for _, e := range combinations {
			sweep = append(sweep, inlinePoint{Size: size(e), P50: e.Latency.P50, Inline: unit.Bytes(e.Verbs.Ends[0].Inline)})
		}
		if at, text := inlineJump(sweep); text != "" {
			combinations[at].Remark = text
		}
	}
}

// inlinePoint is one size of a sweep of RDMA latencies.
type inlinePoint struct {
	Size   unit.Bytes
	P50    float64 // seconds
	Inline unit.Bytes
}

// jumpFactor is the factor by which a latency must rise at the inline limit to be a jump, beyond its rise between other
// neighbouring sizes.
const jumpFactor = 1.1

// inlineJump finds the jump of latencies above the inline limit, where a request no longer carries its payload: the NIC
// then fetches it from memory, one more round trip over PCI Express. at is the first point above the limit. text is
// empty where the sweep does not contain the limit, or does not jump there. Sizes ascend.
func inlineJump(sweep []inlinePoint) (at int, text string) {
	at = -1
	usual := 1.0
	for i := 1; i < len(sweep); i++ {
		a, b := sweep[i-1], sweep[i]
		if a.P50 <= 0 || b.P50 <= 0 {
			continue
		}
		if a.Inline > 0 && a.Inline == b.Inline && a.Size <= a.Inline && b.Size > b.Inline {
			at = i
			continue
		}
		usual = max(usual, b.P50/a.P50)
	}
	if at < 0 || len(sweep) < 4 {
		return -1, ""
	}
	a, b := sweep[at-1], sweep[at]
	factor := b.P50 / a.P50
	if factor < usual*jumpFactor || math.IsInf(factor, 0) {
		return -1, ""
	}
	return at, fmt.Sprintf("between %v and %v the latency jumps from %s to %s, to %.1f times as much, and between "+
		"other sizes to at most %.1f; up to %v the request carries its payload in itself (inline), above that the NIC "+
		"has to fetch it from memory",
		a.Size, b.Size, unit.Seconds(a.P50), unit.Seconds(b.P50), factor, usual, a.Inline)
}

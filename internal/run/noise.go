package run

import (
	"fmt"

	"linerate/internal/record"
)

// foreignLimit is how many cores other work may use before a figure is flagged. With both ends on one machine the
// controller, which captures evidence meanwhile, is other work, too.
const (
	foreignLimit         = 0.1
	foreignLimitTogether = 0.2
)

// otherWork adds what other work took of a machine, in cores, and flags the repeat if that is above limit.
func otherWork(r *record.Repeat, cores, limit float64) {
	r.Foreign += cores
	if cores > limit {
		r.Noisy = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("other work kept %.2f cores busy", cores))
	}
}

// stolen adds up what the hypervisor gave of these hosts' cores to others, each of a machine of its own, and flags the
// repeat if that is felt.
func stolen(r *record.Repeat, hosts ...string) {
	for _, c := range r.CPU {
		for _, h := range hosts {
			if c.Host == h && c.Core >= 0 {
				r.Stolen += c.Steal
			}
		}
	}
	if r.Stolen > foreignLimit {
		r.Noisy = true
		r.Warnings = append(r.Warnings, fmt.Sprintf("the hypervisor gave %.2f cores to others (steal)", r.Stolen))
	}
}

package report

import (
	"fmt"

	"linerate/internal/record"
)

// noisy says in one sentence that a machine was too busy for its figures to be
// taken as they are: when other work, or a hypervisor, took more than a figure bears in more
// than a third of all repeats. Empty: it was not.
func noisy(r *record.Run) string {
	n, all, most := 0, 0, 0.0
	for _, e := range r.Experiments {
		for _, p := range e.Repeats {
			all++
			if p.Noisy {
				n++
				most = max(most, p.Foreign)
			}
		}
	}
	if n == 0 || 3*n <= all {
		return ""
	}
	s := fmt.Sprintf("The machine was noisy: other work or a hypervisor took processor time in %d of %s", n, count(all, "repeat"))
	if most >= 0.05 {
		s += fmt.Sprintf(", other work up to %.1f cores", most)
	}
	return s + "; on a quiet one figures are higher and closer together."
}

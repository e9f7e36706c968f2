package run

import (
	"linerate/internal/agent"
	"linerate/internal/base/unit"
)

// guestSpans is the most that the files of an experiment have on one guest of a lab, together: they are in its memory, which is small, and those of
// the experiment before may still be there.
const guestSpans = 64 * unit.MiB

// FitGuests makes the files of storage experiments as small as the guests of a lab can hold.
func FitGuests(cells []*Cell, guest func(host string) bool) {
	for _, c := range cells {
		if c.block == nil {
			continue
		}
		files := map[string]map[string]bool{} // by host
		put := func(host, file string) {
			if files[host] == nil {
				files[host] = map[string]bool{}
			}
			files[host][file] = true
		}
		for _, w := range c.block.workers {
			switch {
			case w.served != nil:
				put(w.served.owner, w.served.name)
			case w.target == agent.TemporaryFolder:
				put(w.host, w.of)
			}
		}
		for host, of := range files {
			if guest(host) {
				c.block.job.Span = min(c.block.job.Span, max(8*unit.MiB, guestSpans/unit.Bytes(len(of))/unit.MiB*unit.MiB))
			}
		}
	}
}

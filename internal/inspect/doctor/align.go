package doctor

import "time"

// sampleStep is the time between two readings of a run (run --samples 10).
const sampleStep = 100 * time.Millisecond

var topicAlign = Topic{
	ID: "offset", Why: "what both ends saw at one moment is put side by side by it",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case h.Here:
			return nil
		case h.Aligned == 0:
			return []Line{notKnown("the clocks of both ends were not compared")}
		case h.Aligned > sampleStep/2:
			return []Line{warning("a run can relate its clock to this machine's within %s alone, more than half of the %s between two readings: what both ends saw at one moment may be one reading apart",
				short(h.Aligned.Seconds()), short(sampleStep.Seconds())).here("ping -c 10 " + h.address() + "   # a way of less delay to the host, or run linerate on one of the hosts")}
		}
		return []Line{ok("a run relates its clock to this machine's within %s", short(h.Aligned.Seconds()))}
	},
}

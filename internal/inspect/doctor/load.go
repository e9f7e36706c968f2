package doctor

import (
	"fmt"

	"linerate/internal/facts"
)

// loaded is the share of the processors that others may have before figures suffer: with more, one of a handful of cores is somebody else's most of the time.
const loaded = 0.15

var topicLoad = Topic{
	ID: "load", Why: "what others do on the machine now is taken from what is measured",
	host: func(g *Gathered, h *Host) []Line {
		if h.Needs == nil || h.Needs.Busy == nil {
			return []Line{notKnown("the processors' time was not read%s", map[bool]string{true: ": only Linux is asked for it", false: ""}[h.OS != "linux"])}
		}
		b := h.Needs.Busy
		text := share(b)
		if b.Share > loaded {
			return []Line{warning("%s: what they take is missing in figures, and repeats scatter", text).do("top -b -n 1 | head -n 15")}
		}
		return []Line{ok("%s", text)}
	},
}

func share(b *facts.Busy) string {
	return fmt.Sprintf("others have %.0f %% of the %d processors now (seen for %s)", 100*b.Share, b.Cores, short(b.Window.Seconds()))
}

package doctor

import (
	"fmt"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/facts"
)

// loaded is the share of the CPUs that other processes may use before figures suffer. With more, one of a few cores is
// mostly in use by others.
const loaded = 0.15

var topicLoad = Topic{
	ID: "load", Why: "what others do on the machine now is taken from what is measured",
	host: func(g *Gathered, h *Host) []Line {
		if h.Needs == nil || h.Needs.Busy == nil {
			return []Line{notKnown("the CPUs' time was not read%s", unit.If(!h.traits().Proc,
				": only Linux is asked for it", ""))}
		}
		b := h.Needs.Busy
		text := share(b)
		if b.Share > loaded {
			return []Line{warning("%s: figures can be too low, and repeats can differ",
				text).do("top -b -n 1 | head -n 15")}
		}
		return []Line{ok("%s", text)}
	},
}

func share(b *facts.Busy) string {
	return fmt.Sprintf("other programs use %s of the %d CPUs now (measured for %s)", unit.Percent(b.Share), b.Cores,
		short(b.Interval.Seconds()))
}

// deep is the wake-up time from which on it is reported: a request over a fast network takes some tens of microseconds,
// and as long again with a CPU this slow.
const deep = 50 * time.Microsecond

var topicIdle = Topic{
	ID: "idle", Why: "a CPU that sleeps deeply answers a single question late",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case !h.traits().Proc:
			return nil
		case h.Needs == nil || h.Needs.Idle == nil:
			return []Line{notKnown("the system shows no states of idling: a virtual machine's CPUs sleep as the " +
				"machine below it lets them")}
		}
		var deepest facts.Sleep
		for _, s := range h.Needs.Idle {
			if s.Latency >= deepest.Latency {
				deepest = s
			}
		}
		if deepest.Latency > deep {
			return []Line{warning("CPUs sleep as deep as %s, which they leave after %s: single questions and answers "+
				"wait for it, streams do not", deepest.Name, short(deepest.Latency.Seconds())).
				do(h.root("cpupower idle-set -D 10") + "   # and back: " + h.root("cpupower idle-set -E"))}
		}
		return []Line{ok("CPUs sleep no deeper than %s, which they leave after %s", deepest.Name,
			short(deepest.Latency.Seconds()))}
	},
}

var topicPower = Topic{
	ID: "governor", Why: "a CPU that saves power does less for each packet, and answers later",
	host: func(g *Gathered, h *Host) []Line {
		if h.Facts == nil {
			return []Line{notKnown("its facts were not read")}
		}
		fine := notKnown("the system shows no governor: a virtual machine's clock is governed by the machine below it")
		if f := h.Facts.CPU.Frequency; f != nil {
			names := xslices.Map(f.Governors, func(v facts.Governor) string { return v.Name })
			fine = ok("%s", strings.Join(names, ", "))
			if f.Driver != "" {
				fine.Text += " (driver " + f.Driver + ")"
			}
		} else if h.traits().PowerShell {
			fine = ok("the power plan holds nothing back")
			if h.Facts.Windows == nil {
				fine = notKnown("the power plan was not read")
			}
		} else if !h.traits().Proc {
			return nil
		}
		return g.findings(h, fine, "cpu-power-state", "cpu-quota")
	},
}

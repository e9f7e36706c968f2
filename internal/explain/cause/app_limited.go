package cause

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// AppLimited is the cause where the sending program does not hand over enough. The kernel
// reports it (app_limited), and the connection was idle with nothing to send.
var AppLimited = judge.Cause{
	ID: "app-limited", Title: "the program that sends", Label: "the program",
	Plain:   "The network is ready for more, and the program that sends does not hand over more.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		busy, idle, ok := nothingToSend(c)
		if !ok {
			return nil
		}
		flagged := appLimited(c)
		if flagged == 0 && idle < mostlyIdle || c.Exp.Seconds != nil && c.Exp.Settings["pace"] == "" {
			// a connection that has sent its share of an amount has nothing more to send, whatever limited it before
			return nil
		}
		host := c.Sender.Host
		m := c.Candidate(host+": the sending program", "is held back by the program that sends on %s: it hands over %s, "+
			"and the connection waits for more.", host, handed(c.Goodput))
		m.Fix = "give the program a faster source (memory in place of a file), more streams, or take a limit of its own " +
			"away: the network waits for it"
		m.Undo = judge.NoSettingChanged
		if flagged > 0 {
			m.Add(judge.Reading(host, "TCP_INFO", "app_limited", float64(flagged), "streams", "the kernel calls %d of %d "+
				"connections limited by the application", flagged, len(c.Streams)))
		}
		if pace := c.Exp.Settings["pace"]; pace != "" {
			m.Sentence = fmt.Sprintf("%s is held back by the rate that was asked for: the program on %s sends at %s a stream.",
				c.Subject(), host, pace)
			m.Fix, m.Undo = c.Without("pace"), c.With("pace", pace)
			paceIdentity(c, m, pace)
		}
		left, leftOK := c.Sum(false, judge.Integer(func(s *record.Socket) *int64 { return s.NotSent }))
		b, small := sendBufferOf(c)
		// A thread without CPU time hands over nothing either, and the kernel attributes that to the application, too. Where
		// nothing arrived at all, it may have had no CPU time at all.
		starved := c.Exp.Settings["pace"] == "" &&
			(starved(c, c.Sender) || (flagged == 0 || c.Goodput <= 0) && noTime(c, c.Sender) || cpuBound(c) != nil)
		nothing := leftOK && left <= c.Goodput/8*waiting
		used, timed := ownTime(c, host)
		rests := timed && used < 0.5 // a program that waits works little
		waits := idle                // the share of the time in which the connection may have waited for the program
		if timed {
			// While a thread prepares the next data, its connection may have nothing to send: without a delay on the path,
			// everything is acknowledged by then.
			waits -= used / float64(len(c.Streams))
		}
		if idle >= 0.1 {
			standing := ""
			if nothing {
				standing = ", and nothing waits unsent"
			}
			m.Add(judge.Reading(host, "TCP_INFO", "busy", busy, "s", "the connections had nothing to send %s of the time%s",
				unit.Percent(idle), standing))
		}
		if idle >= mostlyIdle && rests {
			m.Add(judge.Reading(host, "/proc/self/task", "own", used, "cores", "the sending process used %s of a core",
				unit.Percent(used)))
		}
		enough := flagged > 0 && nothing || idle >= mostlyIdle && (flagged > 0 || nothing || rests)
		if waits >= 0.1 && enough && !(small && b.short()) && !starved {
			m.Strength = max(m.Strength, judge.Likely)
		}
		return m
	},
}

// handed describes what a program hands over.
func handed(goodput float64) string {
	if goodput <= 0 {
		return "nothing"
	}
	return judge.Rate(goodput)
}

// nothingToSend returns for how many seconds the sender's connections had data to send, added up, and the share of the
// steady interval in which they had none; ok is false if that is not known.
func nothingToSend(c *judge.Case) (busy, idle float64, ok bool) {
	busy, ok = c.Sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	if !ok || c.Interval <= 0 || len(c.Streams) == 0 {
		return 0, 0, false
	}
	return busy, 1 - busy/(c.Interval*float64(len(c.Streams))), true
}

// appLimited counts the sender's connections that the kernel calls application-limited.
func appLimited(c *judge.Case) (n int) {
	for _, s := range c.Streams {
		if s.Socket != nil && s.Socket.AppLimited != nil && *s.Socket.AppLimited {
			n++
		}
	}
	return n
}

// paced is the cause where the sender's kernel was asked to keep a rate. The program then fills the send buffer and
// never runs out of data. The evidence is that the rate arrives, and the limit of the socket.
var paced = judge.Cause{
	ID: AppLimited.ID, Title: AppLimited.Title, Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		pace := c.Exp.Settings["pace"]
		if pace == "" || c.Exp.InEffect["pace_by"] != "kernel" {
			return nil
		}
		host := c.Sender.Host
		m := asPaced(c, host+": the pace of its streams", fmt.Sprintf("the kernel of %s paces each stream to %s", host, pace),
			pace)
		if m == nil {
			return nil
		}
		m.Evidence = []record.Evidence{{Host: host, Source: "settings", Counter: "pace", After: askedPace(c, pace),
			Unit: "bit/s", Text: m.Identity.Left + ", and " + m.Identity.Right}}
		if v, ok := c.Median(false, func(s *record.Socket) *float64 { return s.MaxPacingRate }); ok {
			m.Add(record.Evidence{Host: host, Source: "TCP_INFO", Counter: "max_pacing_rate", After: new(v), Unit: "bit/s",
				Text: "the kernel lets each connection have " + judge.Rate(v)})
		}
		return m
	},
}

// mostlyIdle is the share of time without data to send that is enough evidence, whatever is queued when the socket is
// read.
const mostlyIdle = 0.3

// waiting is the amount of unsent data, in seconds of sending, that still counts as none.
const waiting = 0.01

// asPaced returns the requested rate as the bottleneck; nil if that rate does not arrive, because there is another
// bottleneck.
func asPaced(c *judge.Case, component, who, pace string) *judge.Match {
	m := &judge.Match{Component: component,
		Sentence: fmt.Sprintf("%s is held back by the rate that was asked for: %s.", c.Subject(), who),
		Fix:      c.Without("pace"), Undo: c.With("pace", pace), NextCeiling: c.NextCeiling("")}
	if paceIdentity(c, m, pace); m.Identity == nil {
		return nil
	}
	return m
}

// paceIdentity compares the requested rate with goodput.
func paceIdentity(c *judge.Case, m *judge.Match, pace string) {
	asked := askedPace(c, pace)
	if asked == nil {
		return
	}
	m.Proves(*asked, c.Goodput, "pace x streams = "+judge.Rate(*asked), "goodput "+judge.Rate(c.Goodput))
}

// askedPace returns the pace of all streams together, in bits per second; nil if there is none.
func askedPace(c *judge.Case, pace string) *float64 {
	r, err := unit.ParseBitRate(pace)
	if err != nil {
		return nil
	}
	return new(float64(r) * float64(len(c.Streams)))
}

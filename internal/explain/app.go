package explain

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// appLimited: the program that sends does not hand over enough. The kernel says
// so itself (app_limited), and the connection stood idle with nothing to send.
var appLimited = Cause{
	ID: "app-limited", Title: "the program that sends", Transport: "tcp",
	Test: func(c *Case) *Match {
		busy, idle, ok := c.nothingToSend()
		if !ok {
			return nil
		}
		flagged := c.appLimited()
		if flagged == 0 && idle < mostlyIdle || c.Exp.Seconds != nil && c.Exp.Settings["pace"] == "" {
			return nil // a connection that has carried its share of an amount has nothing more to send, whatever held it back before
		}
		host := c.Sender.Host
		m := &Match{
			Strength: Candidate, Component: host + ": the sending program",
			Sentence: fmt.Sprintf("%s is held back by the program that sends on %s: it hands over %s, and the connection waits for more.", c.subject(), host, handed(c.Goodput)),
			Fix:      "give the program a faster source (memory in place of a file), more streams, or take a limit of its own away: the network waits for it", Undo: nothingSet,
			NextCeiling: c.nextCeiling(""),
		}
		if flagged > 0 {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "app_limited", After: ptr(float64(flagged)), Unit: "streams",
				Text: fmt.Sprintf("the kernel calls %d of %d connections limited by the application", flagged, len(c.Streams))})
		}
		if pace := c.Exp.Settings["pace"]; pace != "" {
			m.Sentence = fmt.Sprintf("%s is held back by the rate that was asked for: the program on %s sends at %s a stream.", c.subject(), host, pace)
			m.Fix, m.Undo = c.without("pace"), c.with("pace", pace)
			c.paceIdentity(m, pace)
		}
		left, leftOK := c.sum(false, count(func(s *record.Socket) *int64 { return s.NotSent }))
		b, small := c.sendBuffer()
		// A thread that has no time hands over nothing either, and the kernel calls that the application, too. Where nothing arrived at all, it may
		// have had no time at all.
		starved := c.Exp.Settings["pace"] == "" &&
			(c.starved(c.Sender) || (flagged == 0 || c.Goodput <= 0) && c.noTime(c.Sender) || c.processorBound() != nil)
		nothing := leftOK && left <= c.Goodput/8*waiting
		used, timed := c.ownTime(host)
		rests := timed && used < 0.5 // a program that waits itself works little
		waits := idle                // the share of the time in which the connection may have waited for the program
		if timed {
			// While a thread works on what it hands over next, its connection may have nothing to send: without a delay on the path all is
			// acknowledged by then.
			waits -= used / float64(len(c.Streams))
		}
		if idle >= 0.1 {
			standing := ""
			if nothing {
				standing = ", and nothing waits unsent"
			}
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "busy", After: ptr(busy), Unit: "s",
				Text: fmt.Sprintf("the connections had nothing to send %s of the time%s", unit.Percent(idle), standing)})
		}
		if idle >= mostlyIdle && rests {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "/proc/self/task", Counter: "own", After: ptr(used), Unit: "cores",
				Text: fmt.Sprintf("the sending process used %s of a core", unit.Percent(used))})
		}
		enough := flagged > 0 && nothing || idle >= mostlyIdle && (flagged > 0 || nothing || rests)
		if waits >= 0.1 && enough && !(small && b.short()) && !starved {
			m.Strength = max(m.Strength, Likely)
		}
		return m
	},
}

// handed is what a program hands over, in words.
func handed(goodput float64) string {
	if goodput <= 0 {
		return "nothing"
	}
	return rate(goodput)
}

// nothingToSend is how many seconds the sender's connections had something to send, all together, and the share of the steady window in which they
// had nothing; ok is false if that is not known.
func (c *Case) nothingToSend() (busy, idle float64, ok bool) {
	busy, ok = c.sum(false, func(s *record.Socket) *float64 { return s.BusySeconds })
	if !ok || c.Window <= 0 || len(c.Streams) == 0 {
		return 0, 0, false
	}
	return busy, 1 - busy/(c.Window*float64(len(c.Streams))), true
}

// appLimited is how many of the sender's connections the kernel calls limited by the application.
func (c *Case) appLimited() (n int) {
	for _, s := range c.Streams {
		if s.Socket != nil && s.Socket.AppLimited != nil && *s.Socket.AppLimited {
			n++
		}
	}
	return n
}

// paced: the sender's kernel was asked to keep a rate. The program then hands over all that there is room for, so that it is
// never short of bytes; that the rate arrives, and the limit that the socket itself names, are the evidence.
var paced = Cause{
	ID: appLimited.ID, Title: appLimited.Title, Transport: "tcp",
	Test: func(c *Case) *Match {
		pace := c.Exp.Settings["pace"]
		if pace == "" || c.Exp.InEffect["pace_by"] != "kernel" {
			return nil
		}
		host := c.Sender.Host
		m := c.asPaced(host+": the pace of its streams", fmt.Sprintf("the kernel of %s paces each stream to %s", host, pace), pace)
		if m == nil {
			return nil
		}
		m.Evidence = []record.Evidence{{Host: host, Source: "settings", Counter: "pace", After: c.askedPace(pace), Unit: "bit/s", Text: m.Identity.Left + ", and " + m.Identity.Right}}
		if v, ok := c.median(false, func(s *record.Socket) *float64 { return s.MaxPacingRate }); ok {
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "max_pacing_rate", After: ptr(v), Unit: "bit/s",
				Text: "the kernel lets each connection have " + rate(v)})
		}
		return m
	},
}

// mostlyIdle is the share of the time without anything to send that says enough by itself, whatever waits at the moment of looking.
const mostlyIdle = 0.3

// waiting is how many seconds' worth of bytes may stand unsent at the moment of
// looking without anything being short of them.
const waiting = 0.01

// asPaced is the rate that was asked for as what holds a flow back; nil if that rate does not arrive: something holds it
// back further.
func (c *Case) asPaced(component, who, pace string) *Match {
	m := &Match{
		Component: component, Sentence: fmt.Sprintf("%s is held back by the rate that was asked for: %s.", c.subject(), who),
		Fix: c.without("pace"), Undo: c.with("pace", pace),
		NextCeiling: c.nextCeiling(""),
	}
	if c.paceIdentity(m, pace); m.Identity == nil {
		return nil
	}
	return m
}

// paceIdentity holds what the program was asked to hand over against goodput.
func (c *Case) paceIdentity(m *Match, pace string) {
	asked := c.askedPace(pace)
	if asked == nil {
		return
	}
	if d, ok := closes(*asked, c.Goodput); ok {
		m.Strength = Proved
		m.Identity = &record.Identity{Left: "pace x streams = " + rate(*asked), Right: "goodput " + rate(c.Goodput), Difference: d}
	}
}

// askedPace is the pace of all streams together, in bits per second; nil if it is none.
func (c *Case) askedPace(pace string) *float64 {
	r, err := unit.ParseBitRate(pace)
	if err != nil {
		return nil
	}
	return ptr(float64(r) * float64(len(c.Streams)))
}

package explain

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

// busyDrive is the share of the time with a request under way from which on a drive is the one that is waited for. A program that waits for
// something else leaves its drive alone meanwhile.
const busyDrive = 0.9

// mediaLimit: the file that is sent comes from a drive that does not deliver more. The drive has a request under way all the time, what it
// delivers is what arrives, and the connection waits for more. That a request is always under way says that no more is to be had
// the way it is asked; several at once may get more out of some drives.
var mediaLimit = Cause{
	ID: "media-limit", Title: "the drive that the file comes from", Transport: "tcp",
	Test: func(c *Case) *Match {
		a := c.account("drive", c.Sender.Host)
		device, unknown := c.sourceDevice()
		if c.Exp.Settings["source"] == "" || c.Exp.Settings["pace"] != "" || a == nil || unknown != "" || a.Left.Value == nil || a.Seconds == nil || *a.Right.Value <= 0 {
			return nil
		}
		delivered, sent, seconds := *a.Left.Value, *a.Right.Value, *a.Seconds
		busy, ok := c.driveBusy(device)
		if closes := a.Closes != nil && *a.Closes; !ok || busy < busyDrive || !closes && delivered < sent {
			return nil // the page cache had it, or the drive was not asked all the time
		}
		s := c.by("source")
		if s != nil && s.change["source"] == "" && s.ratio(c) < 1+2*alikeShare {
			return nil // memory carries no more: what comes after the drive holds it back
		}
		host := c.Sender.Host
		what := device + c.onWhat(device)
		m := &Match{
			Strength: Candidate, Component: fmt.Sprintf("%s: the drive %s", host, what),
			Sentence: fmt.Sprintf("%s is held back by the drive that the file comes from: %s of %s is busy all the time and delivers %s/s.",
				c.subject(), what, host, countedBytes(delivered/seconds)),
			Evidence: []record.Evidence{{Host: host, Source: "/proc/diskstats", Counter: "io_ticks of " + device, After: ptr(busy), Unit: "share of the time",
				Text: fmt.Sprintf("%s had a request under way %s of the time", device, unit.Percent(busy))}},
			Fix: "put the file on a faster drive, or on several side by side; one that fits into memory can be read into it before it is sent:\n" +
				"on " + host + ": cat " + quote(c.Exp.Settings["source"]) + " >/dev/null",
			Undo: nothingSet, NextCeiling: c.nextCeiling(""),
		}
		if lower := c.busyBelow(device); lower != "" {
			m.Component += ", by " + lower + " below it"
		}
		text := fmt.Sprintf("%s delivered %s in %s, and %s of the file were sent", device, countedBytes(delivered), unit.Seconds(seconds), countedBytes(sent))
		own := strings.HasPrefix(c.Exp.InEffect["source_from"], "drive:")
		if *a.Share <= sameShare {
			m.Identity = &record.Identity{Left: device + " delivered " + countedBytes(delivered), Right: countedBytes(sent) + " of the file were sent", Difference: *a.Share}
		} else if own {
			text += "; the sending process had all of its bytes from the drive"
		}
		m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "/proc/diskstats", Counter: "sectors read of " + device, After: &delivered, Unit: "bytes", Text: text})
		_, idle, _ := c.nothingToSend()
		if idle >= 0.1 {
			text := fmt.Sprintf("the connections had nothing to send %s of the time", unit.Percent(idle))
			if flagged := c.appLimited(); flagged > 0 {
				text += fmt.Sprintf("; the kernel calls %d of %d limited by the application", flagged, len(c.Streams))
			}
			m.Evidence = append(m.Evidence, record.Evidence{Host: host, Source: "TCP_INFO", Counter: "busy", After: ptr(1 - idle), Unit: "share of the time", Text: text})
		}
		if (m.Identity != nil || own) && idle >= 0.1 {
			m.Strength = Likely
		}
		if s == nil {
			m.Ask = &record.Next{Change: map[string]string{"source": ""}, Why: "if memory carries more, it is the drive; if not, what comes after it"}
			return m
		}
		m.Evidence = append(m.Evidence, s.evidence(c))
		if m.Strength == Likely {
			m.Strength = Proved
		}
		return m
	},
}

// onWhat says what a block device lies on: " (on sda)", " (on the file /var/disk)"; empty: it lies on none, or that is not known.
func (c *Case) onWhat(device string) string {
	f := c.Sender.Shots.After
	if f == nil {
		return ""
	}
	l := f.Layer(device)
	switch {
	case l == nil:
		return ""
	case len(l.On) > 0:
		return " (on " + strings.Join(l.On, ", ") + ")"
	case l.File != "":
		return " (on the file " + l.File + ")"
	}
	return ""
}

// busyBelow is the lowest of the devices below one that is as busy; empty: none is, and what is in between is what takes the time.
func (c *Case) busyBelow(device string) string {
	f := c.Sender.Shots.After
	if f == nil {
		return ""
	}
	below := f.Below(device)
	for i := len(below) - 1; i >= 0; i-- {
		if busy, ok := c.driveBusy(below[i]); ok && busy >= busyDrive {
			return below[i]
		}
	}
	return ""
}

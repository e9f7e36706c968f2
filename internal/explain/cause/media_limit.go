package cause

import (
	"fmt"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/explain/cause/storage"
	"linerate/internal/explain/judge"
	"linerate/internal/record"
)

// MediaLimit is the cause where the file that is sent comes from a drive that does not deliver more. The drive always
// has a request in flight, it delivers exactly what arrives, and the connection waits for data. It cannot deliver more
// with this queue depth. More requests at once may be faster on some drives.
var MediaLimit = judge.Cause{
	ID: "media-limit", Title: "the drive that the file comes from",
	Plain:   "The drive has something to do all the time: it is the limit, and not the network.",
	Applies: judge.TCP,
	Test: func(c *judge.Case) *judge.Match {
		a := c.Account("drive", c.Sender.Host)
		device, unknown := c.SourceDevice()
		if c.Exp.Settings["source"] == "" || c.Exp.Settings["pace"] != "" || a == nil || unknown != "" ||
			a.Left.Value == nil || a.Seconds == nil || *a.Right.Value <= 0 {
			return nil
		}
		delivered, sent, seconds := *a.Left.Value, *a.Right.Value, *a.Seconds
		busy, ok := c.DriveBusy(device)
		if closes := a.Closes != nil && *a.Closes; !ok || busy < storage.BusyDrive || !closes && delivered < sent {
			return nil // the page cache had the file, or the drive was not always busy
		}
		s := c.StepBy("source")
		if s != nil && s.Change["source"] == "" && s.Ratio(c) < 1+2*judge.SameGoodputShare {
			return nil // from memory goodput is the same: the bottleneck comes after the drive
		}
		host := c.Sender.Host
		what := device + onWhat(c, device)
		m := c.Candidate(fmt.Sprintf("%s: the drive %s", host, what), "is held back by the drive that the file comes from: "+
			"%s of %s is busy all the time and delivers %s/s.", what, host, judge.CountedBytes(delivered/seconds))
		m.Add(judge.Reading(host, "/proc/diskstats", "io_ticks of "+device, busy, "share of the time", "%s had a request "+
			"under way %s of the time", device, unit.Percent(busy)))
		m.Fix = "put the file on a faster drive, or on several side by side; one that fits into memory can be read into it " +
			"before it is sent:\non " + host + ": cat " + judge.Quote(c.Exp.Settings["source"]) + " >/dev/null"
		m.Undo = judge.NoSettingChanged
		if lower := busyBelow(c, device); lower != "" {
			m.Component += ", by " + lower + " below it"
		}
		text := fmt.Sprintf("%s delivered %s in %s, and %s of the file were sent", device, judge.CountedBytes(delivered),
			unit.Seconds(seconds), judge.CountedBytes(sent))
		own := strings.HasPrefix(c.Exp.InEffect["source_from"], "drive:")
		if *a.Share <= judge.AccountTolerance {
			m.Identity = &record.Identity{Left: device + " delivered " + judge.CountedBytes(delivered),
				Right: judge.CountedBytes(sent) + " of the file were sent", Difference: *a.Share}
		} else if own {
			text += "; the sending process had all of its bytes from the drive"
		}
		m.Add(record.Evidence{Host: host, Source: "/proc/diskstats", Counter: "sectors read of " + device, After: &delivered,
			Unit: "bytes", Text: text})
		_, idle, _ := nothingToSend(c)
		if idle >= 0.1 {
			text := fmt.Sprintf("the connections had nothing to send %s of the time", unit.Percent(idle))
			if flagged := appLimited(c); flagged > 0 {
				text += fmt.Sprintf("; the kernel calls %d of %d limited by the application", flagged, len(c.Streams))
			}
			m.Add(record.Evidence{Host: host, Source: "TCP_INFO", Counter: "busy", After: new(1 - idle),
				Unit: "share of the time", Text: text})
		}
		if (m.Identity != nil || own) && idle >= 0.1 {
			m.Strength = judge.Likely
		}
		if s == nil {
			m.Ask = &record.Next{Change: map[string]string{"source": ""}, Why: "if memory carries more, it is the drive; if " +
				"not, what comes after it"}
			return m
		}
		m.Add(s.Evidence(c))
		if m.Strength == judge.Likely {
			m.Strength = judge.Proved
		}
		return m
	},
}

// onWhat names the device below a block device: " (on sda)", " (on the file /var/disk)"; empty: there is none, or that
// is not known.
func onWhat(c *judge.Case, device string) string {
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

// busyBelow returns the lowest device below another one that is as busy; empty: none is, and the layer above takes the
// time.
func busyBelow(c *judge.Case, device string) string {
	f := c.Sender.Shots.After
	if f == nil {
		return ""
	}
	below := f.Below(device)
	for i := len(below) - 1; i >= 0; i-- {
		if busy, ok := c.DriveBusy(below[i]); ok && busy >= storage.BusyDrive {
			return below[i]
		}
	}
	return ""
}

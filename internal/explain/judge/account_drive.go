package judge

import (
	"fmt"
	"math"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/device/families"
	"linerate/internal/facts"
	"linerate/internal/record"
)

// accountDrive compares the bytes that the drive of a file delivered with those of the file that were sent in the same
// time. Less means that the rest came from the page cache, more that another process read. They match within 5 %, or,
// where the sending process reports that everything came from the drive, within one read of each stream. Both are
// counted between the first and the last snapshot in the steady interval.
func accountDrive(c *Case) []record.Account {
	file := c.Exp.Settings["source"]
	if file == "" && c.Exp.Bytes == nil {
		return nil
	}
	a := record.Account{Name: "drive", Unit: "bytes",
		Left: record.Entry{What: "bytes moved by the drive", Host: c.Sender.Host, Source: "/proc/diskstats"},
		Right: record.Entry{What: "bytes on the wire", Host: c.Receiver.Host, Source: "goodput of all repeats",
			Value: new(c.IntervalBytes())}}
	if file == "" {
		open(&a, "which drive is meant is not known")
		return []record.Account{a}
	}
	c.drive(&a)
	return []record.Account{a}
}

func (c *Case) drive(a *record.Account) {
	host := c.Sender.Host
	device, why := c.SourceDevice()
	if why != "" {
		open(a, why)
		return
	}
	a.Left.What = "bytes that " + device + " delivered"
	first, last, why := c.inInterval(c.Sender)
	if why != "" {
		open(a, why)
		return
	}
	read, why := c.Sender.Shots.GrowthOf(device, "drive.read_bytes", first, last)
	if why != "" {
		open(a, fmt.Sprintf("%s: what %s delivered: %s", host, device, why))
		return
	}
	a.Left.Value, a.Seconds = &read.Net, &read.Seconds
	a.Right.What, a.Right.Source = "bytes of the file that were sent", "goodput of repeat 1"
	a.Right.Value = new(GoodputOf(&c.Exp.Repeats[0], c.Direction) / 8 * read.Seconds)
	// A stream reads in pieces as large as its writes. One piece of each stream may be in between at either end.
	pieces := 0.0
	if piece, err := unit.ParseBytes(c.Exp.InEffect["send_buffer"]); err == nil {
		pieces = float64(piece) * float64(StreamsOf(c.Exp))
	}
	// The interface's bytes were counted at the same times as the drive's. Goodput is of the whole interval.
	if c.Sender.Port != nil {
		wire, _, why := c.payload(c.Sender, "tx", first, last)
		if why == "" && math.Abs(wire-*a.Right.Value) <= max(pieces, AccountTolerance**a.Right.Value) {
			a.Right.Value, a.Right.Source = &wire, "counters of "+c.Sender.Port.Interface
			a.Right.Host = host
		}
	}
	settle(a, false)
	if strings.HasPrefix(c.Exp.InEffect["source_from"], "drive:") && math.Abs(*a.Difference) <= pieces {
		*a.Closes = true
	}
	a.Sentence = fmt.Sprintf("%s of %s delivered %s in %s, and %s of the file were sent", device, host,
		CountedBytes(read.Net), unit.Seconds(read.Seconds), CountedBytes(*a.Right.Value))
	switch {
	case *a.Closes:
		a.Sentence += ": all of it came from the drive."
	case *a.Difference > 0:
		a.Sentence += ": the rest was read by somebody else, or ahead."
	default:
		a.Sentence += ": the rest came from the page cache."
	}
	if said := c.Exp.InEffect["source_from"]; said != "" && !strings.HasPrefix(said, "not known") {
		a.Sentence = strings.TrimSuffix(a.Sentence, ".") + fmt.Sprintf(" (the sending process says: %s).", said)
	}
}

// CountedBytes formats a count of bytes in decimal units, because counts are seldom whole in binary ones.
func CountedBytes(v float64) string { return unit.Bytes(math.Round(v/1000) * 1000).String() }

// SourceDevice returns the block device of the file, by the name that both the sending process and the counters use.
// why is the reason why it is not known.
func (c *Case) SourceDevice() (device, why string) {
	host, from := c.Sender.Host, c.Exp.InEffect["source_from"]
	var shot *facts.Facts
	for _, f := range []*facts.Facts{c.Sender.Shots.After, c.Sender.Shots.Before} {
		if f != nil {
			shot = f
		}
	}
	device = c.Exp.InEffect["source_device"]
	switch {
	case strings.HasPrefix(from, "memory"):
		return "", fmt.Sprintf("%s: the file is in %s: no drive takes part", host, from)
	case shot != nil && shot.OS != "" && !families.Traits(shot.OS).Proc:
		return "", fmt.Sprintf("%s: the snapshots of %s have no counters of drives", host, shot.OS)
	case c.Exp.Direction == "both" && c.Direction == "in":
		return "", host + ": which drive its file is on is known for the other direction only"
	case device == "":
		return "", host + ": which block device the file is on is not known: it is on none of its own, on a server, or " +
			"the agent is an older one"
	case strings.Contains(device, ";"):
		return "", fmt.Sprintf("%s: the file was not on one drive in all repeats (%s)", host, device)
	}
	return device, ""
}

// DriveBusy returns the share of the steady interval in which a block device of the sender had a request in flight; ok
// is false if that is not known.
func (c *Case) DriveBusy(device string) (share float64, ok bool) {
	first, last, why := c.inInterval(c.Sender)
	if why != "" {
		return 0, false
	}
	busy, why := c.Sender.Shots.GrowthOf(device, "drive.busy_ms", first, last)
	if why != "" || busy.Seconds <= 0 {
		return 0, false
	}
	return min(1, busy.Gross/1000/busy.Seconds), true
}

// driveReadings returns a counter of a block device in two snapshots: read_bytes, written_bytes, busy_ms.
func driveReadings(device, name string, a, b *facts.Facts) (was, now uint64, narrow bool, why string) {
	p, q := a.Block(device), b.Block(device)
	switch {
	case a.Storage.Blocks == nil || b.Storage.Blocks == nil:
		return 0, 0, false, notThere
	case p == nil && q == nil:
		return 0, 0, false, "the host has no such drive"
	case p == nil || q == nil:
		return 0, 0, false, "the drive was there in one snapshot alone"
	}
	switch name {
	case "read_bytes":
		return p.ReadBytes, q.ReadBytes, false, ""
	case "written_bytes":
		return p.WrittenBytes, q.WrittenBytes, false, ""
	case "busy_ms":
		return p.BusyMillis, q.BusyMillis, true, ""
	}
	return 0, 0, false, "no drive has such a counter"
}

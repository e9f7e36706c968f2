package snapshot

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
)

// Schema is the format of a snapshot, a text archive. Its comment has lines "key value": schema, bytes (length of the
// rest), host, when, settings (see Renew), os, kernel, level, version, boot, uptime, cost (CPU seconds of the snapshot,
// without the programs that it ran), lab (scale of the host's lab), and one "unknown SUBJECT: REASON" for each source
// that could not be read. Its files are the sources, each with its unchanged text and named by its path without the
// leading slash ("proc/stat") or its command ("ip -j addr").
const Schema = "linerate/snapshot/1"

// olderSchema is what the first builds wrote for the same format. People keep such files, and what a device printed
// once
// cannot be asked again, so they stay readable. No other code knows this name.
const olderSchema = "linerate/capture/1"

// IsSnapshot reports whether a file that begins with head is a snapshot, of this or another version of the format.
func IsSnapshot(head string) bool {
	for _, schema := range []string{Schema, olderSchema} {
		if strings.HasPrefix(head, "schema "+strings.TrimSuffix(schema, "1")) {
			return true
		}
	}
	return false
}

// Header is the comment of a snapshot.
type Header struct {
	Host, OS, Kernel, Version, Boot string
	Level                           facts.Level
	When                            time.Time
	settings                        time.Time // of a renewed snapshot: time of everything except statistics
	Uptime, Cost                    unit.Opt[time.Duration]
	Lab                             float64
	Bytes                           int // length after the header, as written; 0: unknown
	Unknown                         []facts.Unknown
}

func (h *Header) Text() string {
	var b strings.Builder
	line := func(key, value string) {
		if value = facts.OneLine(value); value != "" {
			fmt.Fprintf(&b, "%s %s\n", key, value)
		}
	}
	line("schema", Schema)
	line("host", h.Host)
	line("when", h.When.Format(time.RFC3339Nano))
	if !h.settings.IsZero() {
		line("settings", h.settings.Format(time.RFC3339Nano))
	}
	line("os", h.OS)
	line("kernel", h.Kernel)
	line("level", string(h.Level))
	line("version", h.Version)
	line("boot", h.Boot)
	if up, ok := h.Uptime.Get(); ok {
		line("uptime", strconv.FormatFloat(up.Seconds(), 'f', 9, 64))
	}
	if cost, ok := h.Cost.Get(); ok {
		line("cost", strconv.FormatFloat(cost.Seconds(), 'f', 6, 64))
	}
	for _, u := range h.Unknown {
		line("unknown", facts.OneLine(u.Subject)+": "+facts.OneLine(u.Reason))
	}
	return b.String()
}

// InLab records in a snapshot that its host was in a lab, whose links have scale times their rates.
func InLab(snapshot []byte, scale float64) []byte {
	head, rest, _ := strings.Cut(string(snapshot), "\n")
	return fmt.Appendf(nil, "%s\nlab %s\n%s", head, strconv.FormatFloat(scale, 'g', -1, 64), rest)
}

// ReadHeader reads the comment of a snapshot. It ignores unknown lines, so that a newer program may add some. It fails
// on a schema of another version; a text without a schema is a paste and allowed.
func ReadHeader(comment string) (*Header, error) {
	h := new(Header)
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		switch key {
		case "schema":
			if value != Schema && value != olderSchema {
				return nil, fmt.Errorf("snapshot: its schema is %q; this program reads %s; use the program that wrote it, or a "+
					"newer one", value, Schema)
			}
		case "host":
			h.Host = value
		case "when":
			t, err := time.Parse(time.RFC3339Nano, value)
			if err != nil {
				h.Unknown = append(h.Unknown, facts.Unknown{Subject: "when", Reason: fmt.Sprintf("%q is not a RFC 3339 "+
					"time", value)})
			}
			h.When = t
		case "settings":
			h.settings, _ = time.Parse(time.RFC3339Nano, value) // it is for people
		case "os":
			h.OS = value
		case "kernel":
			h.Kernel = value
		case "level":
			h.Level = facts.Level(value)
		case "version":
			h.Version = value
		case "boot":
			h.Boot = value
		case "uptime":
			s, err := strconv.ParseFloat(value, 64)
			if err != nil || !(s >= 0 && s < 1e9) {
				h.Unknown = append(h.Unknown, facts.Unknown{Subject: "uptime",
					Reason: fmt.Sprintf("%q is not a number of seconds", value)})
				continue
			}
			h.Uptime = unit.Known(time.Duration(s * float64(time.Second)))
		case "cost":
			if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 && s < 1e6 {
				h.Cost = unit.Known(time.Duration(s * float64(time.Second)))
			}
		case "bytes":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				h.Bytes = n
			}
		case "lab":
			scale, err := strconv.ParseFloat(value, 64)
			if err != nil || !(scale > 0 && scale <= 1) {
				h.Unknown = append(h.Unknown, facts.Unknown{Subject: "lab", Reason: fmt.Sprintf("%q is not a scale of a "+
					"lab", value)})
				continue
			}
			h.Lab = scale
		case "unknown":
			subject, reason, _ := strings.Cut(value, ": ")
			reason = cmp.Or(reason, "no reason is given")
			h.Unknown = append(h.Unknown, facts.Unknown{Subject: subject, Reason: reason})
		}
	}
	return h, nil
}

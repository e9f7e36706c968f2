package facts

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"linerate/internal/base/unit"
)

// Schema is the format of a capture: a text archive whose comment holds lines
// "key value" (schema, bytes (how long the rest is), host, when, settings (see Renew), os, kernel, level, version, boot, uptime, cost (seconds of
// processor time that looking took, without that of programs that were asked), lab (the scale of the lab that the host was in) and one "unknown SUBJECT: REASON" for each source that could not be read), and
// whose files are the sources, each named by its path without the leading slash
// ("proc/stat") or by its command ("ip -j addr") and holding its text as it was.
const Schema = "linerate/capture/1"

// Level is how much a capture looks at.
type Level string

const (
	// Counters is what changes under load, cheap enough for once a second:
	// processor time, softnet, TCP and interface counters, queueing disciplines.
	Counters Level = "counters"
	// Statistics is everything that counts: Counters, and those of cards and RDMA devices (ethtool -S, counters, hw_counters). It renews a full
	// capture (Renew). Where reading them by themselves saves nothing, such a capture is a full one.
	Statistics Level = "statistics"
	// Full is everything.
	Full Level = "full"
)

// header is the comment of a capture.
type header struct {
	host, os, kernel, version, boot string
	level                           Level
	when                            time.Time
	settings                        time.Time // of a renewed capture: when what is no statistics was read
	uptime, cost                    unit.Opt[time.Duration]
	lab                             float64
	bytes                           int // behind the head, as it was written; 0: it does not say
	unknown                         []Unknown
}

func (h *header) text() string {
	var b strings.Builder
	line := func(key, value string) {
		if value = oneLine(value); value != "" {
			fmt.Fprintf(&b, "%s %s\n", key, value)
		}
	}
	line("schema", Schema)
	line("host", h.host)
	line("when", h.when.Format(time.RFC3339Nano))
	if !h.settings.IsZero() {
		line("settings", h.settings.Format(time.RFC3339Nano))
	}
	line("os", h.os)
	line("kernel", h.kernel)
	line("level", string(h.level))
	line("version", h.version)
	line("boot", h.boot)
	if up, ok := h.uptime.Get(); ok {
		line("uptime", strconv.FormatFloat(up.Seconds(), 'f', 9, 64))
	}
	if cost, ok := h.cost.Get(); ok {
		line("cost", strconv.FormatFloat(cost.Seconds(), 'f', 6, 64))
	}
	for _, u := range h.unknown {
		line("unknown", oneLine(u.Subject)+": "+oneLine(u.Reason))
	}
	return b.String()
}

// InLab adds to a capture that its host was in a lab, whose links carry scale times their rates.
func InLab(capture []byte, scale float64) []byte {
	head, rest, _ := strings.Cut(string(capture), "\n")
	return fmt.Appendf(nil, "%s\nlab %s\n%s", head, strconv.FormatFloat(scale, 'g', -1, 64), rest)
}

// parseHeader reads the comment of a capture. Lines it does not know are left
// out, so that a newer program may add some. The error is a schema of another
// version; a text without a schema is a paste and allowed.
func parseHeader(comment string) (*header, error) {
	h := new(header)
	for line := range strings.Lines(comment) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		switch key {
		case "schema":
			if value != Schema {
				return nil, fmt.Errorf("capture: its schema is %q; this program reads %s; use the program that wrote it, or a newer one", value, Schema)
			}
		case "host":
			h.host = value
		case "when":
			t, err := time.Parse(time.RFC3339Nano, value)
			if err != nil {
				h.unknown = append(h.unknown, Unknown{"when", fmt.Sprintf("%q is no RFC 3339 time", value)})
			}
			h.when = t
		case "settings":
			h.settings, _ = time.Parse(time.RFC3339Nano, value) // it is for people
		case "os":
			h.os = value
		case "kernel":
			h.kernel = value
		case "level":
			h.level = Level(value)
		case "version":
			h.version = value
		case "boot":
			h.boot = value
		case "uptime":
			s, err := strconv.ParseFloat(value, 64)
			if err != nil || !(s >= 0 && s < 1e9) {
				h.unknown = append(h.unknown, Unknown{"uptime", fmt.Sprintf("%q is no number of seconds", value)})
				continue
			}
			h.uptime = unit.Known(time.Duration(s * float64(time.Second)))
		case "cost":
			if s, err := strconv.ParseFloat(value, 64); err == nil && s >= 0 && s < 1e6 {
				h.cost = unit.Known(time.Duration(s * float64(time.Second)))
			}
		case "bytes":
			if n, err := strconv.Atoi(value); err == nil && n > 0 {
				h.bytes = n
			}
		case "lab":
			scale, err := strconv.ParseFloat(value, 64)
			if err != nil || !(scale > 0 && scale <= 1) {
				h.unknown = append(h.unknown, Unknown{"lab", fmt.Sprintf("%q is no scale of a lab", value)})
				continue
			}
			h.lab = scale
		case "unknown":
			subject, reason, _ := strings.Cut(value, ": ")
			if reason == "" {
				reason = "no reason is given"
			}
			h.unknown = append(h.unknown, Unknown{subject, reason})
		}
	}
	return h, nil
}

// oneLine makes a text safe for one line of the header.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

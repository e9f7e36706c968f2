package doctor

import (
	"fmt"
	"strings"
	"time"
)

var topicConnection = Topic{
	ID: "connection", Why: "linerate sends its agent over it, and talks to the agent over it",
	host: func(g *Gathered, h *Host) []Line {
		switch f := h.Failure; {
		case h.Connection == "" && !h.Here:
			return []Line{notKnown("%s has no connection in the file", h.Name).here("linerate measure latency " + h.Name +
				"   # if that answers, write into the file at " + h.Name + ": connect: ssh root@" + h.Name)}
		case f != nil:
			l := problem("%s", f.Said)
			if f.Then != "" {
				l.Text += "; " + f.Then
			}
			if f.Try != "" {
				l = l.here(f.Try)
			}
			return []Line{l.here(again(h))}
		case h.Here:
			return []Line{ok("this machine")}
		case strings.HasPrefix(h.Connection, "ssh "):
			return []Line{ok("%s: it lets in without a question (batch mode), its key is known, and the agent runs there, "+
				"after %s", h.Connection, seconds(h.Took))}
		}
		return []Line{ok("%s: the agent runs there, after %s", h.Connection, seconds(h.Took))}
	},
}

// again returns the command that examines the host again.
func again(h *Host) string {
	if name, ok := strings.CutPrefix(h.Connection, "ssh "); ok {
		return "linerate doctor " + name
	}
	if strings.ContainsAny(h.Connection, " ") {
		return fmt.Sprintf("linerate doctor %q", h.Connection)
	}
	return "linerate doctor " + h.Connection
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

var topicVersions = Topic{
	ID: "versions", Why: "both ends speak one protocol, and what a kernel reports differs from one to the next",
	host: func(g *Gathered, h *Host) []Line {
		system := h.OS + " " + h.Arch
		if h.Needs != nil && h.Needs.System != "" {
			system = h.Needs.System + ", " + system
		}
		if h.Facts != nil && h.Facts.Kernel != "" {
			system += ", kernel " + h.Facts.Kernel
		}
		if h.Version != g.Version {
			return []Line{warning("linerate %s there and %s here (%s): what one of them does not know yet is refused", h.Version,
				g.Version, system).do("linerate version   # then start the agent there with the program that is here")}
		}
		return []Line{ok("linerate %s; %s", h.Version, system)}
	},
}

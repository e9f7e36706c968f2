package doctor

import (
	"fmt"
	"strings"
	"time"
)

var topicReach = Topic{
	ID: "reach", Why: "linerate sends its agent over it, and talks to the agent over it",
	host: func(g *Gathered, h *Host) []Line {
		switch f := h.Failure; {
		case h.Reach == "" && !h.Here:
			return []Line{notKnown("%s has no reach in the file", h.Name).here("linerate measure ping " + h.Name + "   # if that answers, write into the file at " + h.Name + ": reach: ssh root@" + h.Name)}
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
		case strings.HasPrefix(h.Reach, "ssh "):
			return []Line{ok("%s: it lets in without a question (batch mode), its key is known, and the agent runs there, after %s", h.Reach, seconds(h.Took))}
		}
		return []Line{ok("%s: the agent runs there, after %s", h.Reach, seconds(h.Took))}
	},
}

// again is how the host is looked at once more.
func again(h *Host) string {
	if name, ok := strings.CutPrefix(h.Reach, "ssh "); ok {
		return "linerate doctor " + name
	}
	if strings.ContainsAny(h.Reach, " ") {
		return fmt.Sprintf("linerate doctor %q", h.Reach)
	}
	return "linerate doctor " + h.Reach
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

package doctor

import (
	"strings"
	"time"
)

// wrongDate is from where on a host's dates mislead who reads its captures and logs beside others'.
const wrongDate = 2 * time.Second

var topicDate = Topic{
	ID: "date", Why: "captures and logs of several hosts are read side by side by their dates",
	host: func(g *Gathered, h *Host) []Line {
		switch ahead := h.Ahead.Abs(); {
		case h.Here:
			return nil
		case h.Within == 0:
			return []Line{notKnown("the host did not say what time it has")}
		case ahead > wrongDate+h.Within:
			word := "ahead of"
			if h.Ahead < 0 {
				word = "behind"
			}
			l := warning("its calendar clock is %s %s this machine's: its captures and logs have other dates than their neighbours; figures do not suffer", short(ahead.Seconds()), word)
			switch h.OS {
			case "linux":
				return []Line{l.do(h.root("timedatectl set-ntp true"))}
			case "freebsd":
				return []Line{l.do(h.root("ntpd -gq"))}
			case "windows":
				return []Line{l.do("w32tm /resync")}
			}
			return []Line{l}
		}
		return []Line{ok("its calendar clock agrees with this machine's within %s", short((h.Ahead.Abs() + h.Within).Seconds()))}
	},
}

// address is where the host is, as ping takes it.
func (h *Host) address() string {
	words := strings.Fields(h.Reach)
	if len(words) == 0 {
		return h.Name
	}
	last := words[len(words)-1]
	if _, at, ok := strings.Cut(last, "@"); ok {
		return at
	}
	return last
}

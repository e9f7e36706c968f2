package doctor

import "strings"

var topicRing = Topic{
	ID: "io_uring", Why: "block experiments ask through it; threads in its place cost more of a core for each request",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case h.OS != "linux":
			return nil
		case h.Needs == nil:
			return []Line{notKnown("the agent did not say")}
		case h.Needs.NoRing == "":
			return []Line{ok("a ring was opened: block experiments use it")}
		}
		l := warning("%s: block experiments use threads, which cost more of a core for each request", h.Needs.NoRing)
		switch {
		case strings.Contains(h.Needs.NoRing, "io_uring_disabled"):
			l = l.do(h.root("sysctl -w kernel.io_uring_disabled=0"))
		case strings.Contains(h.Needs.NoRing, "filter of system calls"):
			l = l.do("grep Seccomp /proc/self/status   # 2: the container's filter; start it with --security-opt seccomp=unconfined")
		}
		return []Line{l}
	},
}

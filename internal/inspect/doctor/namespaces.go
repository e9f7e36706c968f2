package doctor

import "strings"

var topicNamespaces = Topic{
	ID: "namespaces", Why: "a lab is built of network namespaces, and a loop of two ports lies in two",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case h.OS != "linux" || !h.Here: // labs and loops are made on the machine that is typed on
			return nil
		case h.Needs == nil:
			return []Line{notKnown("the agent did not say")}
		case h.Needs.NoNamespaces == "":
			return []Line{ok("a network namespace was made and is gone again: labs work")}
		case strings.HasPrefix(h.Needs.NoNamespaces, "not tried"):
			return []Line{notKnown("it was %s", h.Needs.NoNamespaces)}
		}
		l := warning("labs and --loop do not work: %s", h.Needs.NoNamespaces)
		if h.Needs.UID == 0 {
			return []Line{l.do("docker run --privileged ..   # or run linerate outside of the container")}
		}
		return []Line{l.do("sudo sysctl -w user.max_user_namespaces=15000 user.max_net_namespaces=15000   # or as root: sudo linerate lab up FABRIC.yaml",
			"sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0   # Ubuntu from 23.10 on")}
	},
}

package doctor

import "strings"

var topicGuests = Topic{
	ID: "guests", Why: "what a namespace does not have (RDMA, storage of the kernel's) a lab has in guests",
	all: func(g *Gathered) []Line {
		l := g.Lab
		if l == nil {
			return nil
		}
		var out []Line
		if l.Problem != "" {
			w := warning("a lab has namespaces alone: %s", l.Problem)
			if l.Try != "" {
				w = w.here(l.Try)
			}
			return []Line{w}
		}
		if l.NoKVM != "" {
			w := warning("%s, and guests are emulated, some ten times slower: %s", l.QEMU, l.NoKVM)
			if strings.Contains(l.NoKVM, "usermod") {
				w = w.here("sudo usermod -aG kvm $USER   # and log in again")
			} else {
				w = w.here("ls -l /dev/kvm; grep -c -w -e vmx -e svm /proc/cpuinfo   # 0: the firmware, or the machine below, " +
					"does not offer it")
			}
			out = append(out, w)
		} else {
			out = append(out, ok("%s with KVM", l.QEMU))
		}
		switch {
		case l.Cache != "":
			out = append(out, notKnown("%s", l.Cache))
		case len(l.Missing) > 0:
			have := ""
			if len(l.Images) > 0 {
				have = strings.Join(l.Images, ", ") + " is built; "
			}
			out = append(out, warning("%snot built yet: %s; the first lab that wants it builds it, some minutes and some "+
				"hundred MB of packages", have, strings.Join(l.Missing, ", ")).here(builds(l.Missing)...))
		default:
			out = append(out, ok("images: %s", strings.Join(l.Images, ", ")))
		}
		return out
	},
}

// builds returns the commands that build images ahead.
func builds(names []string) (out []string) {
	for _, n := range names {
		if n == "small" {
			out = append(out, "linerate lab build")
		} else {
			out = append(out, "linerate lab build --image "+n)
		}
	}
	return out
}

var topicNamespaces = Topic{
	ID: "namespaces", Why: "a lab is built of network namespaces, and a loop of two ports lies in two",
	host: func(g *Gathered, h *Host) []Line {
		switch {
		case !h.traits().Proc || !h.Here: // labs and loops are built on this machine
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
		return []Line{l.do("sudo sysctl -w user.max_user_namespaces=15000 user.max_net_namespaces=15000   # or as root: "+
			"sudo linerate lab up FABRIC.yaml",
			"sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0   # Ubuntu from 23.10 on")}
	},
}

package doctor

import "strings"

var topicGuests = Topic{
	ID: "guests", Why: "what a namespace lacks (RDMA, storage of the kernel's) a lab has in guests",
	all: func(g *Gathered) []Line {
		l := g.Lab
		if l == nil {
			return nil
		}
		var out []Line
		if l.Lacks != "" {
			w := warning("a lab has namespaces alone: %s", l.Lacks)
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
				w = w.here("ls -l /dev/kvm; grep -c -w -e vmx -e svm /proc/cpuinfo   # 0: the firmware, or the machine below, does not offer it")
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
			out = append(out, warning("%snot built yet: %s; the first lab that wants it builds it, some minutes and some hundred MB of packages", have, strings.Join(l.Missing, ", ")).here(builds(l.Missing)...))
		default:
			out = append(out, ok("images: %s", strings.Join(l.Images, ", ")))
		}
		return out
	},
}

// builds are the commands that build images ahead.
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

package run

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
)

// Unreached is the error of a run none of whose hosts could be used: nothing was measured, and nothing can be.
type Unreached struct {
	Hosts []record.HostState // that were tried, each with its error
}

// shownHosts bounds the hosts of one sentence.
const shownHosts = 5

func (u *Unreached) Error() string {
	var each []string
	for _, h := range u.Hosts[:min(len(u.Hosts), shownHosts)] {
		s := h.Name
		if h.Reach != "" {
			s += " (reach: " + h.Reach + ")"
		}
		each = append(each, s+": "+h.Error)
	}
	if more := len(u.Hosts) - shownHosts; more > 0 {
		each = append(each, fmt.Sprintf("and %d more hosts", more))
	}
	return "no host could be used, so nothing can be measured:\n  " + strings.Join(each, "\n  ")
}

// unreached says that no session has a host, and no experiment a figure from before; nil: there is one.
func unreached(all []*session) error {
	u := &Unreached{}
	for _, s := range all {
		if len(s.clients) > 0 || slices.ContainsFunc(s.cfg.Cells, func(c *Cell) bool { return len(c.Exp.Repeats) > 0 }) {
			return nil
		}
		for _, st := range s.run.Hosts {
			if st.Error != "" && !slices.ContainsFunc(u.Hosts, func(h record.HostState) bool { return h.Name == st.Name }) {
				u.Hosts = append(u.Hosts, st)
			}
		}
	}
	if len(u.Hosts) == 0 {
		return nil
	}
	return u
}

// Unusable says that an experiment has no figure because a host of it could not be used, which was told of all of them together.
func Unusable(x *record.Experiment) bool {
	return len(x.Repeats) == 0 && strings.HasSuffix(x.Failed, unusable(""))
}

// without fails the cells of hosts that could not be used at once, so that nothing waits for them, and says how many they are.
func (s *session) without() {
	n, of := 0, 0
	var hosts []string
	for _, c := range s.cfg.Cells {
		if c.Exp.NotRun != "" || c.done() {
			continue
		}
		of++
		for _, h := range c.Hosts() {
			if s.broken[h] == "" {
				continue
			}
			if c.Exp.Failed == "" {
				n++
				c.Exp.Failed = unusable(s.nameOf(h))
			}
			if name := s.nameOf(h); !slices.Contains(hosts, name) {
				hosts = append(hosts, name)
			}
		}
	}
	if n == 0 || s.cfg.Progress == nil {
		return
	}
	s.cfg.Progress(Step{Text: fmt.Sprintf("%d of %d experiments to be measured are left out: %s", n, of, unusable(few(hosts, shownHosts)))})
}

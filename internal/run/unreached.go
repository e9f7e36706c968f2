package run

import (
	"fmt"
	"slices"
	"strings"

	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/remote"
)

// Unreached is the error of a run without any usable host.
type Unreached struct {
	Hosts []record.HostState // that were tried, each with its error
}

// maxShownHosts is the maximum of hosts in one sentence.
const maxShownHosts = 5

func (u *Unreached) Error() string {
	var each []string
	for _, h := range u.Hosts[:min(len(u.Hosts), maxShownHosts)] {
		s := h.Name
		if h.Connection != "" {
			s += " (connect: " + h.Connection + ")"
		}
		each = append(each, s+": "+h.Error)
	}
	if more := len(u.Hosts) - maxShownHosts; more > 0 {
		each = append(each, fmt.Sprintf("and %d more hosts", more))
	}
	return "no host could be used, so nothing can be measured:\n  " + strings.Join(each, "\n  ")
}

// unreachedBy is the error if no session has a host, and no experiment an earlier figure; else nil.
func unreachedBy(all []*session) error {
	u := &Unreached{}
	for _, s := range all {
		if len(s.clients) > 0 ||
			slices.ContainsFunc(s.cfg.Combinations, func(c *experiment.Combination) bool { return len(c.Record.Repeats) > 0 }) {
			return nil
		}
		for _, st := range s.run.Hosts {
			if st.Error != "" &&
				!slices.ContainsFunc(u.Hosts, func(h record.HostState) bool { return h.Name == st.Name }) {
				u.Hosts = append(u.Hosts, st)
			}
		}
	}
	if len(u.Hosts) == 0 {
		return nil
	}
	return u
}

// Unusable reports whether an experiment has no figure because a host of it could not be used, which is reported once
// for all.
func Unusable(x *record.Experiment) bool {
	return len(x.Repeats) == 0 && strings.HasSuffix(x.Failed, unusable(""))
}

// leaveOutUnreached fails the combinations of unusable hosts at once, and reports their number.
func (s *session) leaveOutUnreached() {
	n, of := 0, 0
	var hosts []string
	for _, c := range s.cfg.Combinations {
		if c.Record.NotRun != "" || c.Done() {
			continue
		}
		of++
		for _, h := range c.Hosts() {
			if s.broken[h] == "" {
				continue
			}
			if c.Record.Failed == "" {
				n++
				c.Record.Failed = unusable(s.Name(h))
			}
			if name := s.Name(h); !slices.Contains(hosts, name) {
				hosts = append(hosts, name)
			}
		}
	}
	if n == 0 || s.cfg.Progress == nil {
		return
	}
	s.cfg.Progress(
		Step{
			Text: fmt.Sprintf("%d of %d tests are left out: %s", n, of,
				unusable(remote.Few(hosts, maxShownHosts))),
		},
	)
}

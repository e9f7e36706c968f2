package explain

import (
	"slices"
	"strings"

	"linerate/internal/record"
)

// typed turns the commands of a match into what is typed on this machine: a host in a network namespace or in a lab that is up is reached by a
// command in front. Others are typed on the host itself, which the report names. A fix is a step a line, see record.StepsOf; a command is for
// the host of the component unless "on HOST: " says another.
func (c *Case) typed(m *Match) {
	host, _, _ := strings.Cut(m.Component, ": ")
	if !c.hasHost(host) {
		_, host, _ = strings.Cut(m.Component, " of ") // "tbf on nic0 of nas"
	}
	m.Fix, m.Undo = c.typedAt(host, m.Fix), c.typedAt(host, m.Undo)
}

func (c *Case) hasHost(name string) bool {
	return c.side(name) != nil || slices.ContainsFunc(c.Switches, func(s SwitchSide) bool { return s.Name == name })
}

func (c *Case) typedAt(host, text string) string {
	var out []string
	for _, s := range record.StepsOf(text) {
		at := host
		if s.Host != "" {
			at = s.Host
		}
		before := c.way(at)
		switch {
		case s.Command && before != "" && !strings.HasPrefix(s.Text, "echo "): // a namespace has the files of this machine
			all := strings.Split(s.Text, " && ")
			for i := range all {
				all[i] = before + all[i]
			}
			s.Text = strings.Join(all, " && ")
		case s.Host != "":
			s.Text = "on " + s.Host + ": " + s.Text
		}
		out = append(out, s.Text)
	}
	return strings.Join(out, "\n")
}

// way is what stands before a command that is run on a host from this machine; empty: it is typed there.
func (c *Case) way(host string) string {
	if host == "" || !c.hasHost(host) {
		return ""
	}
	switch kind, name, _ := strings.Cut(c.Reaches[host], " "); kind {
	case "netns":
		return "ip netns exec " + quote(name) + " "
	case "lab":
		return "linerate lab exec " + quote(name) + " -- "
	}
	for _, s := range c.Switches { // those of a lab are in it, too
		if id, _, ok := strings.Cut(strings.TrimPrefix(c.Reaches[c.Sender.Host], "lab "), "/"); ok && s.Name == host && strings.HasPrefix(c.Reaches[c.Sender.Host], "lab ") {
			return "linerate lab exec " + quote(id+"/"+host) + " -- "
		}
	}
	return ""
}

// reachesOf are the reaches of a run's hosts; those of a lab that ended with the run are no way to anything.
func reachesOf(r *record.Run) map[string]string {
	out := map[string]string{}
	gone := r.Lab != nil && strings.HasPrefix(labFlag(r), "--lab ")
	for _, h := range r.Hosts {
		if h.Name != "" && h.Reach != "" && !(gone && strings.HasPrefix(h.Reach, "lab ")) {
			out[h.Name] = h.Reach
		}
	}
	return out
}

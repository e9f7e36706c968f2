package judge

import (
	"slices"
	"strings"

	"linerate/internal/record"
)

// Typed turns the commands of a match into commands for this machine. Commands for a host in a network namespace or in
// a running lab get a prefix. Others are typed on the host itself, which the report names. A fix has one step a line,
// see record.StepsOf; a command is for the host of the component unless "on HOST: " precedes it.
func (c *Case) Typed(m *Match) {
	host, _, _ := strings.Cut(m.Component, ": ")
	if !c.hasHost(host) {
		_, host, _ = strings.Cut(m.Component, " of ") // "tbf on nic0 of nas"
	}
	m.Fix, m.Undo = c.TypedAt(host, m.Fix), c.TypedAt(host, m.Undo)
}

func (c *Case) hasHost(name string) bool {
	return c.Side(name) != nil || slices.ContainsFunc(c.Switches, func(s SwitchSide) bool { return s.Name == name })
}

// TypedAt is Typed for a text whose commands are for this host.
func (c *Case) TypedAt(host, text string) string {
	var out []string
	for _, s := range record.StepsOf(text) {
		at := host
		if s.Host != "" {
			at = s.Host
		}
		before := c.wayTo(at)
		switch {
		case s.Command && before != "" && !strings.HasPrefix(s.Text, "echo "): // a namespace shares the files of this machine
			all := strings.Split(s.Text, " && ")
			for i := range all {
				all[i] = before + all[i]
			}
			s.Text = strings.Join(all, " && ")
		case s.Host != "":
			s.Text = s.String()
		}
		out = append(out, s.Text)
	}
	return strings.Join(out, "\n")
}

// wayTo returns the prefix of a command that is run on a host from this machine; empty: it is typed on the host.
func (c *Case) wayTo(host string) string {
	if host == "" || !c.hasHost(host) {
		return ""
	}
	switch kind, name, _ := strings.Cut(c.Connections[host], " "); kind {
	case "netns":
		return "ip netns exec " + Quote(name) + " "
	case "lab":
		return "linerate lab exec " + Quote(name) + " -- "
	}
	for _, s := range c.Switches { // switches of a lab are in it, too
		if id, _, ok := strings.Cut(strings.TrimPrefix(c.Connections[c.Sender.Host], "lab "), "/"); ok && s.Name == host &&
			strings.HasPrefix(c.Connections[c.Sender.Host], "lab ") {
			return "linerate lab exec " + Quote(id+"/"+host) + " -- "
		}
	}
	return ""
}

// ConnectionsOf returns the connections to a run's hosts, without those of a lab that ended with the run.
func ConnectionsOf(r *record.Run) map[string]string {
	out := map[string]string{}
	gone := r.Lab != nil && strings.HasPrefix(LabFlag(r), "--lab ")
	for _, h := range r.Hosts {
		if h.Name != "" && h.Connection != "" && !(gone && strings.HasPrefix(h.Connection, "lab ")) {
			out[h.Name] = h.Connection
		}
	}
	return out
}

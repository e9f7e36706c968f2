package plan

import (
	"linerate/internal/record"
	"slices"
	"strings"
)

var ruleDeadlock = Rule{
	ID:    "pfc-deadlock",
	Title: "rings in which everybody waits for everybody",
	Why:   "PFC stops the sender before: around a ring the stops can meet, and then the class stands still until somebody restarts it",
	Worst: record.Warning,
	check: func(c *checkup) []record.Problem {
		if len(c.lossless()) == 0 {
			return nil
		}
		var out []record.Problem
		for _, g := range c.rings() {
			if g.pairs < len(g.switches) {
				continue // cables side by side between two switches are no ring
			}
			if c.tiers(g) {
				out = append(out, said(record.Info, "switches "+names(g.switches), 0, "switch the PFC watchdog on",
					"no ring of stops can form while packets go up one tier and down again; a flooded packet or a wrong route can close one"))
				continue
			}
			out = append(out, said(record.Warning, "switches "+names(g.switches), 0, "take out a cable, or switch the PFC watchdog on and route so that no packet goes around",
				"they form a ring with a lossless class"))
		}
		return append(out, c.hostRings()...)
	},
}

// tiers says whether the switches of a ring are in two tiers: those with hosts have
// no cable between them, and neither have the others.
func (c *checkup) tiers(g ring) bool {
	leaf := map[string]bool{}
	for _, s := range g.switches {
		for _, i := range c.bySwitch[s] {
			if c.sides[i][0].host != nil || c.sides[i][1].host != nil {
				leaf[s] = true
			}
		}
	}
	for _, s := range g.switches {
		for _, i := range c.bySwitch[s] {
			if a, b := c.sides[i][0].sw, c.sides[i][1].sw; a != nil && b != nil && leaf[a.Name] == leaf[b.Name] {
				return false
			}
		}
	}
	return true
}

// hostRings looks at hosts that are joined without a switch. Stops can only go
// around where hosts forward from one link to the next.
func (c *checkup) hostRings() []record.Problem {
	near := map[string][]string{}
	for _, both := range c.sides {
		if a, b := both[0].host, both[1].host; a != nil && b != nil && !slices.Contains(near[a.Name], b.Name) {
			near[a.Name], near[b.Name] = append(near[a.Name], b.Name), append(near[b.Name], a.Name)
		}
	}
	var out []record.Problem
	seen := map[string]bool{}
	for _, h := range c.p.Hosts {
		if seen[h.Name] || len(near[h.Name]) == 0 {
			continue
		}
		group, edges := []string{}, 0
		for queue := []string{h.Name}; len(queue) > 0; queue = queue[1:] {
			if seen[queue[0]] {
				continue
			}
			seen[queue[0]] = true
			group = append(group, queue[0])
			edges += len(near[queue[0]])
			queue = append(queue, near[queue[0]]...)
		}
		n := len(group)
		if edges /= 2; edges < n {
			continue // a tree
		}
		var forward []string
		for _, name := range group {
			if forwards(c.p.Host(name)) {
				forward = append(forward, name)
			}
		}
		switch {
		case len(forward) > 0:
			out = append(out, said(record.Warning, "hosts "+names(group), 0, "do not forward between lossless links: give every pair that talks a cable, or take a switch",
				"they form a ring with a lossless class, and %s between its links", forwarding(forward)))
		case edges < n*(n-1)/2:
			out = append(out, said(record.Info, "hosts "+names(group), 0, "give every pair that talks a cable, or take a switch",
				"not every pair of them has a cable; once a host forwards for two others, stops can go around the ring"))
		}
	}
	return out
}

func forwarding(hosts []string) string {
	if len(hosts) == 1 {
		return hosts[0] + " forwards"
	}
	return names(hosts) + " forward"
}

// forwardingKeys are the settings of a host with which the file says that it forwards packets.
var forwardingKeys = []string{"forwarding", "ip-forward", "ip_forward"}

// forwards says whether the file has a host forward packets.
func forwards(h *Host) bool {
	for _, key := range forwardingKeys {
		switch strings.ToLower(h.Decl.Settings[key]) {
		case "on", "true", "yes", "1":
			return true
		}
	}
	return false
}

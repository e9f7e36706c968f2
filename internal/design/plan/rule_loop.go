package plan

import (
	"slices"
	"strings"

	"linerate/internal/base/unit"
	"linerate/internal/base/xslices"
	"linerate/internal/record"
)

var ruleLoop = Rule{
	ID:    "switch-loop",
	Title: "loops of switches",
	Why: "Ethernet has no way out of a loop: one broadcast circles for ever, unless a spanning tree blocks the " +
		"loop's links",
	Worst: record.Warning,
	check: func(c *checkup) {
		for _, g := range c.rings() {
			c.warn("switches "+names(g.switches), 0,
				"join cables between the same two switches in one bond (LACP), and let switches that act as one (MLAG) or "+
					"routing do the rest",
				"%s between them form a loop: a spanning tree uses %d and blocks %d, whose rate is lost",
				unit.Counted(g.cables, "cable"), len(g.switches)-1, g.cables-len(g.switches)+1)
		}
	},
}

// ring is a set of switches that are joined by more cables than a tree takes.
type ring struct {
	switches []string
	cables   int
	pairs    int // pairs of switches that are joined; cables between one pair counted once
	vlan     int
}

// rings finds the sets of switches that cables join in loops, for each VLAN.
func (c *checkup) rings() []ring {
	type key struct {
		vlan int
		name string
	}
	root := map[key]key{}
	var find func(k key) key
	find = func(k key) key {
		if r, ok := root[k]; ok && r != k {
			root[k] = find(r)
			return root[k]
		}
		root[k] = k
		return k
	}
	var order []key
	cables, pairs := map[key]int{}, map[key]map[string]bool{}
	each := func(visit func(i int, a, b key)) {
		for i, l := range c.p.Links {
			a, b := c.sides[i][0], c.sides[i][1]
			if a.sw == nil || b.sw == nil || infiniBandOnly(a) || infiniBandOnly(b) {
				continue
			}
			visit(i, key{l.VLAN, a.sw.Name}, key{l.VLAN, b.sw.Name})
		}
	}
	each(func(_ int, a, b key) {
		for _, k := range []key{a, b} {
			if _, ok := root[k]; !ok {
				order = append(order, k)
			}
			find(k)
		}
		root[find(b)] = find(a)
	})
	each(func(_ int, a, b key) {
		r := find(a)
		cables[r]++
		if pairs[r] == nil {
			pairs[r] = map[string]bool{}
		}
		pairs[r][min(a.name, b.name)+" "+max(a.name, b.name)] = true
	})
	members := map[key][]string{}
	for _, k := range order {
		members[find(k)] = append(members[find(k)], k.name)
	}
	var out []ring
	for _, k := range order {
		if m := members[k]; find(k) == k && cables[k] >= len(m) {
			out = append(out, ring{switches: m, cables: cables[k], pairs: len(pairs[k]), vlan: k.vlan})
		}
	}
	return out
}

func infiniBandOnly(s side) bool {
	return s.part != nil && s.part.Speeds == nil && len(s.part.InfiniBand) > 0
}

// names lists names in their order, of many the first.
func names(all []string) string { return first(slices.Sorted(slices.Values(all)), "") }

var ruleDeadlock = Rule{
	ID:    "pfc-deadlock",
	Title: "rings in which everybody waits for everybody",
	Why: "PFC stops the sender before: around a ring the stops can meet, and then the class stands still until " +
		"somebody restarts it",
	Worst: record.Warning,
	check: func(c *checkup) {
		if len(c.lossless()) == 0 {
			return
		}
		for _, g := range c.rings() {
			if g.pairs < len(g.switches) {
				continue // several cables between two switches do not form a ring
			}
			if c.tiers(g) {
				c.info("switches "+names(g.switches), 0, "switch the PFC watchdog on",
					"no ring of stops can form while packets go up one tier and down again; a flooded packet or a wrong route can "+
						"close one")
				continue
			}
			c.warn("switches "+names(g.switches), 0,
				"take out a cable, or switch the PFC watchdog on and route so that no packet goes around",
				"they form a ring with a lossless class")
		}
		c.hostRings()
	},
}

// tiers reports whether the switches of a ring are in two tiers: no cable joins two switches with hosts, or two
// without.
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

// hostRings checks hosts that are joined without a switch. Pause frames propagate in a circle only where hosts forward
// from one link to the next.
func (c *checkup) hostRings() {
	near := map[string][]string{}
	for _, both := range c.sides {
		if a, b := both[0].host, both[1].host; a != nil && b != nil && !slices.Contains(near[a.Name], b.Name) {
			near[a.Name], near[b.Name] = append(near[a.Name], b.Name), append(near[b.Name], a.Name)
		}
	}
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
		forward := xslices.Filter(group, func(name string) bool { return c.p.Host(name).Forwards() })
		switch {
		case len(forward) > 0:
			c.warn("hosts "+names(group), 0,
				"do not forward between lossless links: give every pair that talks a cable, or take a switch",
				"they form a ring with a lossless class, and %s between its links", forwarding(forward))
		case edges < n*(n-1)/2:
			c.info("hosts "+names(group), 0, "give every pair that talks a cable, or take a switch",
				"not every pair of them has a cable; once a host forwards for two others, stops can go around the ring")
		}
	}
}

func forwarding(hosts []string) string {
	if len(hosts) == 1 {
		return hosts[0] + " forwards"
	}
	return names(hosts) + " forward"
}

// forwardingKeys are the settings of a host that make it forward packets.
var forwardingKeys = []string{"forwarding", "ip-forward", "ip_forward"}

// Forwards reports whether the fabric file has the host forward packets from one of its links to another.
func (h *Host) Forwards() bool {
	for _, key := range forwardingKeys {
		switch strings.ToLower(h.Decl.Settings[key]) {
		case "on", "true", "yes", "1":
			return true
		}
	}
	return false
}

package plan

import (
	"fmt"

	"linerate/internal/base/unit"
	"linerate/internal/record"
)

var ruleMesh = Rule{
	ID:    "mesh-or-switch",
	Title: "a mesh of four and more hosts",
	Why:   "a mesh of n hosts takes n(n-1)/2 cables and n(n-1) ports; a switch takes n of each",
	Worst: record.Info,
	check: func(c *checkup) {
		near := map[string]map[string]bool{}
		order := map[string][]string{}
		var rate unit.BitRate
		longest := 0.0
		for i, both := range c.sides {
			a, b := both[0].host, both[1].host
			if a == nil || b == nil {
				continue
			}
			rate, longest = slower(rate, c.p.Links[i].Speed), max(longest, c.p.Links[i].LengthM.Or(0))
			for _, pair := range [][2]string{{a.Name, b.Name}, {b.Name, a.Name}} {
				if near[pair[0]] == nil {
					near[pair[0]] = map[string]bool{}
				}
				if !near[pair[0]][pair[1]] {
					near[pair[0]][pair[1]] = true
					order[pair[0]] = append(order[pair[0]], pair[1])
				}
			}
		}
		n := 0 // of the largest mesh: hosts that are all joined with each other
		for _, h := range c.p.Hosts {
			mesh := []string{h.Name}
			for _, o := range order[h.Name] {
				all := true
				for _, m := range mesh {
					all = all && near[o][m]
				}
				if all {
					mesh = append(mesh, o)
				}
			}
			n = max(n, len(mesh))
		}
		if n < 4 {
			return
		}
		fix := fmt.Sprintf("compare both: linerate suggest --hosts %d", n)
		if rate > 0 {
			fix += fmt.Sprintf(" --speed %gG", float64(rate)/1e9)
		}
		if longest > 0 {
			fix += fmt.Sprintf(" --distance %gm", longest)
		}
		c.info("plan", 0, fix,
			"%d hosts in a mesh take %d cables and %d ports of NICs, and the next host %d cables and %d ports more; "+
				"consider a switch, with %d cables and %d ports of NICs",
			n, n*(n-1)/2, n*(n-1), n, 2*n, n, n)
	},
}

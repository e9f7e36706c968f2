package storage

import (
	"math"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/inspect/path"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

const clusterFabric = `
fabric: cluster
hosts:
  "n[1-4]": {os: linux, nics: {a: {part: {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}, drives: {scm: {path: /scm}}}
  pc: {os: linux, nics: {a: {part: {kind: nic, speed: 25G, ports: 1, cage: sfp28}}}}
switches:
  sw: {part: {kind: switch, speed: 25G, ports: 8, cage: sfp28}}
links:
  - {ends: ["n[1-4].a", "sw.[1-4]"], subnet: 10.9.0.0/24, cable: {part: {kind: cable, media: dac, ends: [sfp28, sfp28], length: 1m}}}
  - {ends: [pc.a, sw.5], subnet: 10.9.0.0/24, cable: {part: {kind: cable, media: dac, ends: [sfp28, sfp28], length: 1m}}}
volumes:
  csv: {of: ["n[1-4].scm"], layout: mirror3, path: /csv}
  heap: {of: ["n[1-4].scm"], layout: in a heap, path: /heap}
`

// Three copies on four nodes that all write: each sends 2.25 bytes for each written byte, four nodes at once. The
// network limits neither reads nor a workload on some of the nodes.
func TestCopiesCeiling(t *testing.T) {
	catalog := runtest.Catalog(t)
	f, problems := fabric.Parse("cluster.yaml", []byte(clusterFabric), fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p := plan.Build(f)
	all := []string{"n1", "n2", "n3", "n4"}
	of := func(to string, asks []string, read float64) *record.Chain {
		return copiesCeiling(p, to, asks, read, unit.MiB, "smb",
			func(plan.Path) path.Conditions { return path.Conditions{Scale: 1} })
	}
	way, why := experiment.PathBetween(p, "n1", "n2", nil)
	if why != "" {
		t.Fatal(why)
	}
	link := float64(path.Storage(way, "out", "smb", unit.MiB, path.Conditions{Scale: 1}).Limit)
	for read, times := range map[float64]float64{0: 4 / 2.25, 0.5: 8 / 2.25} {
		c := of("csv", all, read)
		if c == nil || link <= 0 || math.Abs(float64(c.Limit)/link/times-1) > 1e-9 || len(c.Hops) != 1 ||
			c.Hops[0].Kind != "copies" ||
			!strings.Contains(c.Component, "4 nodes, 3 copies") ||
			c.Lowest() == nil {
			t.Errorf("read %v: %+v, want %v times %v", read, c, times, link)
		}
	}
	for name, c := range map[string]*record.Chain{"reads": of("csv", all, 1), "some nodes": of("csv", all[:2], 0),
		"a host outside": of("csv", append(all[:4:4], "pc"), 0), "a layout without copies": of("heap", all, 0),
		"no volume": of("n1.scm", all, 0)} {
		if c != nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"linerate/internal/design/catalog"
	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/device/render"
)

// leafSpine is a fabric file in which every leaf has 50 links to hosts and 16 to spines. Hosts have three links, and
// the first ones a fourth, so that 60 leaves make 1,000 hosts and 4,000 links.
func leafSpine(leaves, spines int) (text string, hosts, links int) {
	hosts = leaves * 50 / 3
	uplinks := 16
	text = fmt.Sprintf(`fabric: leaf-spine-%d
mtu: 9000
addressing: {pool: 10.0.0.0/8, prefix: 16}
subnets: {a: {range: 10.1.0.0/16}, b: {range: 10.2.0.0/16}, c: {range: 10.3.0.0/16}, d: {range: 10.4.0.0/16}}
hosts:
  "n[0001-%04d]": {os: linux, memory: 64GB, nics: {"c[1-2]": {part: MCX516A-CCAT, slot: pcie3x16, rdma: rocev2}}}
switches:
  "leaf[01-%02d]": {part: &sw {kind: switch, speed: 100G, ports: 1024, cage: qsfp28}, os: onyx, version: 3.10.4606}
  "spine[1-%d]": {part: *sw, os: cumulus, version: "5.15"}
links:
`, leaves, hosts, leaves, spines)
	ports := make([]int, leaves) // used so far
	host := func(n int, port, subnet string) {
		leaf := links % leaves
		ports[leaf]++
		text += fmt.Sprintf("  - {ends: [n%04d.%s, leaf%02d.%d], subnet: %s}\n", n, port, leaf+1, ports[leaf], subnet)
		links++
	}
	for i, port := range []string{"c1.1", "c1.2", "c2.1"} {
		for n := 1; n <= hosts; n++ {
			host(n, port, string("abc"[i]))
		}
	}
	spinePorts := make([]int, spines)
	for leaf := range leaves {
		for u := range uplinks {
			s := u % spines
			spinePorts[s]++
			ports[leaf]++
			text += fmt.Sprintf("  - {ends: [leaf%02d.%d, spine%d.%d], subnet: a}\n", leaf+1, ports[leaf], s+1, spinePorts[s])
			links++
		}
	}
	for n := 1; links < hosts*4; n++ {
		host(n, "c2.2", "d")
	}
	return text + "classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 60%}}\ntrust: " +
		"dscp\ndcbx: switch\n", hosts, links
}

func load(tb testing.TB, catalog *catalog.Catalog, text string) *fabric.Fabric {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "fabric.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
	f, problems := fabric.Load(path, fabric.Options{Catalog: catalog})
	if len(problems) > 0 {
		tb.Fatal(problems[0])
	}
	return f
}

// The fabric has the size that the goal names, and all its devices are rendered.
func TestFabric(t *testing.T) {
	catalog, err := catalog.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ leaves, spines, hosts, links int }{{6, 4, 100, 400}, {60, 4, 1000, 4000}} {
		text, hosts, links := leafSpine(c.leaves, c.spines)
		if hosts != c.hosts || links != c.links {
			t.Fatalf("%d leaves: %d hosts and %d links, want %d and %d", c.leaves, hosts, links, c.hosts, c.links)
		}
		p := plan.Build(load(t, catalog, text))
		if len(p.Hosts) != c.hosts || len(p.Switches) != c.leaves+c.spines || len(p.Links) != c.links {
			t.Errorf("the plan has %d hosts, %d switches, %d links", len(p.Hosts), len(p.Switches), len(p.Links))
		}
		if s := render.Render(p); len(s.Devices) != c.hosts+c.leaves+c.spines {
			t.Errorf("%d devices; refused: %d, first %q", len(s.Devices), len(s.Refused), first(s.Refused))
		}
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// BenchmarkPlanAndRender reads a file, plans it, and renders every device: of a tenth of the fabric, and of all of it.
func BenchmarkPlanAndRender(b *testing.B) {
	catalog, err := catalog.Load()
	if err != nil {
		b.Fatal(err)
	}
	for _, leaves := range []int{6, 60} {
		text, hosts, links := leafSpine(leaves, 4)
		b.Run(fmt.Sprintf("%d-hosts", hosts), func(b *testing.B) {
			var heap runtime.MemStats
			b.ReportAllocs()
			for b.Loop() {
				s := render.Render(plan.Build(load(b, catalog, text)))
				b.StopTimer()
				runtime.GC()
				runtime.ReadMemStats(&heap)
				if len(s.Devices)+len(s.Refused) != hosts+leaves+4 {
					b.Fatal(len(s.Devices), len(s.Refused))
				}
				runtime.KeepAlive(s)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(links), "us/link")
			b.ReportMetric(float64(heap.HeapAlloc)/1e6, "MB-kept")
		})
	}
}

// BenchmarkSteps measures each of the three steps alone.
func BenchmarkSteps(b *testing.B) {
	catalog, err := catalog.Load()
	if err != nil {
		b.Fatal(err)
	}
	text, _, _ := leafSpine(60, 4)
	f := load(b, catalog, text)
	p := plan.Build(f)
	b.Run("load", func(b *testing.B) {
		for b.Loop() {
			load(b, catalog, text)
		}
	})
	b.Run("plan", func(b *testing.B) {
		for b.Loop() {
			plan.Build(f)
		}
	})
	b.Run("render", func(b *testing.B) {
		for b.Loop() {
			render.Render(p)
		}
	})
}

package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"linerate/internal/design/fabric"
	"linerate/internal/design/plan"
	"linerate/internal/record"
)

// largeFabric writes a two-tier fabric. With 1000 hosts it has three or four cables a host, 4000 links and 64 switches,
// 16 of them spines; others are in proportion. This measures the growth from 100 hosts to 1000:
//
//	go test ./internal/design/plan -run XXX -bench "Read|Plan" -benchtime 5x
func largeFabric(hosts int) string {
	leaves, spines := max(hosts*48/1000, 2), max(hosts*16/1000, 1)
	var s strings.Builder
	fmt.Fprintf(&s, "fabric: large-%d\nmtu: 9000\naddressing: {pool: 10.0.0.0/8, prefix: 16}\nhosts:\n", hosts)
	for i := range hosts {
		system := []string{"linux", "proxmox", "freebsd", "windows"}[i%4]
		fmt.Fprintf(&s, "  h%d: {os: %s, version: \"12\", nics: {a: {part: MCX516A-CCAT, slot: pcie3x16, rdma: rocev2}, "+
			"b: {part: MCX516A-CCAT, slot: pcie3x16}}}\n", i, system)
	}
	fmt.Fprint(&s, "switches:\n")
	for i := range leaves {
		fmt.Fprintf(&s, "  leaf%d: {part: {kind: switch, speed: 100G, ports: 256, cage: qsfp28}, os: sonic}\n", i)
	}
	for i := range spines {
		fmt.Fprintf(&s, "  spine%d: {part: {kind: switch, speed: 100G, ports: 256, cage: qsfp28}, os: sonic}\n", i)
	}
	const cable = "cable: {part: {kind: cable, media: dac, ends: [qsfp28, qsfp28], length: 2m}}"
	fmt.Fprint(&s, "links:\n")
	used := make([]int, leaves)
	links := 0
	link := func(host, port, leaf int) {
		used[leaf]++
		links++
		fmt.Fprintf(&s, "  - {ends: [h%d.%c.%d, leaf%d.%d], %s}\n", host, 'a'+port/2, port%2+1, leaf, used[leaf], cable)
	}
	for port := range 3 {
		for i := range hosts {
			link(i, port, i%leaves)
		}
	}
	for i := range leaves {
		for j := range spines {
			used[i]++
			links++
			fmt.Fprintf(&s, "  - {ends: [leaf%d.%d, spine%d.%d], %s}\n", i, used[i], j, i+1, cable)
		}
	}
	for i := 0; i < hosts && links < 4*hosts; i++ {
		link(i, 3, i%leaves)
	}
	fmt.Fprint(&s, "classes: {roce: {priority: 3, dscp: 26, lossless: true, ecn: true, share: 50%}}\ntrust: dscp\n")
	return s.String()
}

// TestLarge expects a plan without errors, and a list of problems that does not grow with the fabric.
func TestLarge(t *testing.T) {
	small, large := plan.Build(parse(t, largeFabric(100))), plan.Build(parse(t, largeFabric(1000)))
	if len(large.Hosts) != 1000 || len(large.Switches) != 64 || len(large.Links) != 4000 {
		t.Fatalf("%d hosts, %d switches, %d links", len(large.Hosts), len(large.Switches), len(large.Links))
	}
	for _, p := range large.Problems {
		if p.Severity == record.Error {
			t.Errorf("%+v", p)
		}
	}
	if len(large.Problems) > len(small.Problems)+20 {
		t.Errorf("%d problems of 100 hosts, %d of 1000", len(small.Problems), len(large.Problems))
	}
	seen := map[string]bool{}
	for _, h := range large.Hosts {
		for _, port := range h.Ports {
			if port.Link == "" {
				continue
			}
			if a := port.Address.String(); !port.Address.IsValid() || seen[a] {
				t.Fatalf("%s has address %s", port.ID, a)
			}
			seen[port.Address.String()] = true
			if large.Port(port.ID) != port {
				t.Fatalf("port %s is not found", port.ID)
			}
		}
	}
}

func benchmarkPlan(b *testing.B, hosts int) {
	f := parse(b, largeFabric(hosts))
	b.ResetTimer()
	b.ReportAllocs()
	for range b.N {
		plan.Build(f)
	}
}

func benchmarkRead(b *testing.B, hosts int) {
	text, options := []byte(largeFabric(hosts)), withCatalog(b)
	b.ResetTimer()
	b.ReportAllocs()
	for range b.N {
		if _, problems := fabric.Parse("large.yaml", text, options); len(problems) > 0 {
			b.Fatal(problems[0])
		}
	}
}

func BenchmarkPlan100(b *testing.B)  { benchmarkPlan(b, 100) }
func BenchmarkPlan1000(b *testing.B) { benchmarkPlan(b, 1000) }
func BenchmarkRead100(b *testing.B)  { benchmarkRead(b, 100) }
func BenchmarkRead1000(b *testing.B) { benchmarkRead(b, 1000) }

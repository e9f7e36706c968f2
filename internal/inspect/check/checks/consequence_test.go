package checks

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"

	"linerate/internal/base/unit"
	"linerate/internal/facts"
	"linerate/internal/inspect/check"
	"linerate/internal/inspect/check/address"
	"linerate/internal/inspect/check/rdma"
	"linerate/internal/record"
)

// many returns findings of all checks about some hosts and interfaces, each about one or two things.
func many(n int, rng *rand.Rand) []record.Finding {
	var all []record.Finding
	checks := All()
	for i := range n {
		k := checks[rng.IntN(len(checks))]
		host := fmt.Sprintf("h%d", rng.IntN(n/20+1))
		f := record.Finding{ID: k.ID, Subject: record.PartsOf(host, fmt.Sprintf("e%d", i%4)), Have: fmt.Sprint(i)}
		f.About = []record.Subject{f.Subject}
		if i%3 == 0 {
			f.About = append(f.About, record.PartsOf(host))
		}
		all = append(all, f)
	}
	return all
}

// plainConsequences is the plain form of WithConsequences: each finding is compared with every other one.
func plainConsequences(checks []check.Check, all []record.Finding) []record.Finding {
	reason := func(f record.Finding) int {
		i := slices.IndexFunc(checks, func(k check.Check) bool { return k.ID == f.ID })
		return slices.IndexFunc(all, func(g record.Finding) bool {
			return slices.Contains(checks[i].Because, g.ID) && slices.ContainsFunc(g.About,
				func(a record.Subject) bool { return slices.ContainsFunc(f.About, a.Is) })
		})
	}
	gone := map[int]bool{}
	for i, f := range all {
		at := reason(f)
		if at >= 0 && at != i {
			for range checks {
				up := reason(all[at])
				if up < 0 || up == at || up == i {
					break
				}
				at = up
			}
			all[at].Explains = append(all[at].Explains, record.Explained{ID: f.ID, Subject: f.Subject, Have: f.Have})
			gone[i] = true
		}
	}
	out := []record.Finding{}
	for i, f := range all {
		if !gone[i] {
			out = append(out, f)
		}
	}
	return out
}

// The result is the same as when each finding is compared with every other one.
func TestConsequences(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	explained := 0
	for range 100 {
		all := many(1+rng.IntN(300), rng)
		want := plainConsequences(All(), slices.Clone(all))
		got := check.WithConsequences(All(), slices.Clone(all))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d findings: %d are left, want %d", len(all), len(got), len(want))
		}
		explained += len(all) - len(got)
	}
	if explained == 0 {
		t.Error("nothing was a consequence of anything")
	}
}

// BenchmarkConsequences shows that the time grows with the number of findings, not with its square.
func BenchmarkConsequences(b *testing.B) {
	checks := All()
	for _, n := range []int{1000, 10000} {
		all := many(n, rand.New(rand.NewPCG(1, 2)))
		for _, way := range []struct {
			name string
			find func([]check.Check, []record.Finding) []record.Finding
		}{{"each against each", plainConsequences}, {"WithConsequences", check.WithConsequences}} {
			b.Run(fmt.Sprintf("%s/%d", way.name, n), func(b *testing.B) {
				for b.Loop() {
					way.find(checks, slices.Clone(all))
				}
			})
		}
	}
}

// Two ends without an echo from each other are reported. One end alone may face a firewall that drops echoes, and one
// with an ARP answer certainly does.
func TestNoEcho(t *testing.T) {
	a, b := netip.MustParseAddr("10.1.0.1"), netip.MustParseAddr("10.1.0.2")
	for _, c := range []struct {
		name         string
		fromA, fromB []netip.Addr
		answers      []string
		found        bool
	}{
		{"both", []netip.Addr{b}, []netip.Addr{a}, nil, true},
		{"one", []netip.Addr{b}, nil, nil, false},
		{"a firewall", []netip.Addr{b}, []netip.Addr{a}, []string{"02:00:00:00:00:02"}, false},
	} {
		w := load(t, nil)
		w.Hosts[0].Facts.Probes.Silent, w.Hosts[1].Facts.Probes.Silent = c.fromA, c.fromB
		if c.answers != nil {
			w.Hosts[0].Facts.Probes.Owners = []facts.OwnerProbe{{Address: b, Interface: "e1", Answers: c.answers}}
		}
		r := check.Run(All(), w, check.Choice{})
		if got := slices.ContainsFunc(r.Findings, func(f record.Finding) bool {
			return f.ID == "no-answer"
		}); got != c.found || len(r.Findings) > 1 {
			t.Errorf("%s: %+v", c.name, r.Findings)
		}
	}
}

// Namespaces of one machine have one kernel: what its queues dropped is reported once, with all of the namespaces. Two
// machines are reported separately.
func TestBacklogOncePerMachine(t *testing.T) {
	counts := "backlog-drops - 265298 120000000: 00358fe3 00006283 00000000\n"
	for boot, want := range map[string]int{"4e1f": 1, "": 2} {
		w := load(t, []part{{"a/counts", counts}, {"b/counts", counts}})
		for _, h := range w.Hosts {
			h.Facts.Boot = boot
		}
		got := check.Run(All(), w, check.Choice{Only: []string{"backlog-drop"}})
		if len(got.Findings) != want {
			t.Errorf("boot %q: %d findings, want %d: %v", boot, len(got.Findings), want, said(got))
		}
		if shared := strings.Contains(said(got), "of the one machine that a and b are on"); shared != (boot != "") {
			t.Errorf("boot %q: %s", boot, said(got))
		}
	}
}

// A host with two names is one machine: nothing is reported twice. Another boot with the same NICs is a clone.
func TestOneHostTwice(t *testing.T) {
	for boot, want := range map[string]int{"b1": 0, "b2": 2} {
		w := load(t, nil)
		a, b := w.Hosts[0], w.Hosts[1]
		twin := *a.Facts
		a.Facts.Boot, twin.Boot = "b1", boot
		b.Facts = &twin
		found := 0
		for _, f := range check.Run(All(), w, check.Choice{}).Findings {
			if f.ID == address.DuplicateMAC.ID && f.Subject.Has("b", "e1") || f.ID == address.DuplicateAddress.ID &&
				f.Subject.String() == "address 10.1.0.1" {
				found++
			}
		}
		if found != want {
			t.Errorf("boots b1 and %s: %d found, want %d", boot, found, want)
		}
	}
}

// The replacement of InfiniBand in a lab is not an error of its hosts; on hardware it is.
func TestInfiniBandOfALab(t *testing.T) {
	for _, scale := range []float64{0, 0.1} {
		w := load(t, split("-- fabric.yaml --\nfabric: pair\nhosts:\n  a: {os: linux, nics: {card: {part: &nic MT25408, "+
			"mode: ib, rdma: ib, ports: [e1, e2]}}}\n"+
			"  b: {os: linux, nics: {card: {part: *nic, mode: ib, rdma: ib, ports: [e1, e2]}}}\nlinks:\n  - {ends: "+
			"[a.card.1, b.card.1], subnet: 10.1.0.0/24}\n"))
		w.Hosts[0].Facts.Lab = scale
		w.Hosts[0].Facts.RDMA = []facts.RDMADevice{{Name: "rxe0", Ports: []facts.RDMAPort{{Port: 1,
			Interface: unit.Known("e1"), LinkLayer: unit.Known("Ethernet"),
			GIDs: []facts.GID{{Index: 1, Type: unit.Known("RoCE v2"), Interface: unit.Known("e1")}}}}}}
		found := 0
		for _, f := range check.Run(All(), w, check.Choice{}).Findings {
			if f.ID == rdma.Transport.ID || f.ID == rdma.PortType.ID {
				found++
			}
		}
		if want := unit.If(scale == 0, 2, 0); found != want {
			t.Errorf("scale %v: found %d times, want %d", scale, found, want)
		}
	}
}

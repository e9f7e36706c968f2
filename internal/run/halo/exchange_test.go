package halo

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"linerate/internal/base/method"
	"linerate/internal/record"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
	"linerate/internal/traffic"
)

// The combinations of an exchange: hosts and processes, or the reason in NotRun.
func TestHaloCombinations(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // "among HOSTS: processes x tile, paths", or a part of the reason
	}{
		{`method: halo, on: "n[1-4]", processes: [2, 4, 6, 32], tiles: 16`,
			[]string{"n[1-2]: 2 x 16, 1", "n[1-4]: 4 x 16, 4", "n[1-4]: 6 x 16, 5", "n[1-4]: 32 x 16, 4"}},
		{`method: halo, on: "n[1-3]"`, []string{"n[1-3]: 3 x 2, 3"}},
		{`method: halo, on: "n[1-2]", tiles: [0, 2..4]`,
			[]string{"n[1-2]: 2 x 0, 1", "n[1-2]: 2 x 2, 1", "n[1-2]: 2 x 4, 1"}},
		{`method: halo, from: n2, to: n4, exchange: [sendrecv, one-phase]`, []string{"n2, n4: 2 x 2, 1", "n2, n4: 2 x 2, 1"}},
		{`method: halo, on: n1, processes: 4`, []string{"all processes would be on n1, and nothing would cross the network"}},
		{`method: halo, on: "n[1-4]", processes: 1`, []string{"one process has no neighbour but itself"}},
		{`method: halo, on: [n1, alone]`, []string{"no link joins n1 and alone"}},
		{`method: halo, on: [n1, twin]`, []string{"there are several paths from n1 to twin"}},
		{`method: halo, on: [n1, twin], via: [twin.c.1, twin.c.2]`, []string{"n1, twin: 2 x 2, 1", "n1, twin: 2 x 2, 1"}},
		{`method: halo, on: links`, []string{"write on: \"n[1-4]\""}},
		{`method: halo, on: "n[1-2]", threads: 2`, []string{"the setting threads: 2 is not part of this version"}},
		{`method: halo, on: "n[1-2]", processes: 4096`, []string{"are 2048 a host, above 1024, the agents' limit"}},
	} {
		combinations := runtest.Expand(runtest.StarPlan(t, c.text), experiment.Options{}, Expand)
		if len(combinations) != len(c.want) {
			t.Errorf("%s: %d combinations; want %d", c.text, len(combinations), len(c.want))
			continue
		}
		seen := map[string]bool{}
		for i, combination := range combinations {
			x := combination.Record
			if seen[x.ID] {
				t.Errorf("%s: two combinations have the id %s", c.text, x.ID)
			}
			seen[x.ID] = true
			if x.NotRun != "" {
				if !strings.Contains(x.NotRun, c.want[i]) {
					t.Errorf("%s: %q; want %q", c.text, x.NotRun, c.want[i])
				}
				continue
			}
			have := fmt.Sprintf("%s: %d x %d, %d", x.From, exchangeOf(combination).processes, exchangeOf(combination).tile,
				len(combination.Paths()))
			if have != c.want[i] || len(x.Ends) != len(combination.Hosts()) || len(x.Links) == 0 ||
				x.Path() != "among "+x.From && x.Path() != "among ("+x.From+")" {
				t.Errorf("%s: %q, %d ends, %q; want %q", c.text, have, len(x.Ends), x.Path(), c.want[i])
			}
		}
	}
}

// Adapters with RDMA exchange over RDMA, unless TCP is configured.
func TestHaloTransport(t *testing.T) {
	for text, want := range map[string][]string{
		`method: halo, on: "n[1-2]", via: [r, t, i], tiles: 2`:      {"rdma", "tcp", "rdma"},
		`method: halo, on: "n[1-2]", via: [r, t], transport: tcp`:   {"tcp", "tcp"},
		`method: halo, on: "n[1-2]", via: t, transport: [rdma]`:     {"rdma"},
		`method: halo, on: "n[1-2]", via: r, transport: [tcp, mpi]`: {"tcp", "mpi"},
		`method: halo, on: "n[1-2]", via: r, transport: mpi, spin: true`: {"spin: true is of tcp; over mpi the " +
			"library polls by itself"},
		`method: halo, on: "n[1-2]", via: [i], transport: rdma, tiles: 2`: {"rdma"},
	} {
		p := runtest.Plan(t, strings.Replace(`
fabric: ways
hosts:
  "n[1-2]":
    nics:
      r: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: rocev2}
      t: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}
      i: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}, rdma: iwarp}
links:
  - {ends: [n1.r, n2.r], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
  - {ends: [n1.t, n2.t], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
  - {ends: [n1.i, n2.i], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments: {x: {EXPERIMENT}}
`, "EXPERIMENT", text, 1))
		combinations := runtest.Expand(p, experiment.Options{}, Expand)
		if len(combinations) != len(want) {
			t.Fatalf("%s: %d combinations", text, len(combinations))
		}
		for i, c := range combinations {
			have := exchangeOf(c).transport
			if c.Record.NotRun != "" {
				have = c.Record.NotRun
			}
			if !strings.HasPrefix(have, want[i]) {
				t.Errorf("%s: %q, want %q", text, have, want[i])
			}
		}
	}
}

// A mesh without a switch is refused: a host would need several addresses.
func TestHaloMesh(t *testing.T) {
	combinations := runtest.Expand(runtest.Plan(t, `
fabric: mesh
hosts:
  "m[1-3]":
    nics: {c: {part: {kind: nic, speed: 10G, ports: 2, cage: sfp+}}}
links: {mesh: ["m1.c", "m2.c", "m3.c"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}
experiments: {x: {method: halo, on: "m[1-3]", processes: 6}}
`), experiment.Options{}, Expand)
	if !strings.Contains(combinations[0].Record.NotRun, "halo needs one port a host that reaches all of them") {
		t.Errorf("%+v", combinations[0].Record.NotRun)
	}
}

func haloAgents(t *testing.T, n int) (ends []End) {
	for i := range n {
		a, _ := runtest.TwoAgents(t)
		ends = append(ends, End{Client: a, Host: fmt.Sprintf("h%d", i+1), Address: netip.MustParseAddr("127.0.0.1")})
	}
	return ends
}

func haloOf(processes int) Spec {
	return Spec{Processes: processes, Tile: 32, Exchange: traffic.TwoPhase, Warmup: 50 * time.Millisecond,
		Interval: time.Second, Seed: 1, Samples: experiment.DefaultSamples, Lead: 2 * time.Second}
}

// Three agents run seven processes.
func TestRepeatHalo(t *testing.T) {
	t.Parallel()
	r, samples, err := Repeat(t.Context(), haloAgents(t, 3), haloOf(7), nil)
	if err != nil {
		t.Fatal(err)
	}
	h := r.Halo
	if h == nil || h.Seconds <= 0 || h.Exchanges < 1 || len(h.Ranks) != 7 || h.Columns != 7 || h.Rows != 1 ||
		h.Checked != 7*4*32 {
		t.Fatalf("%+v", h)
	}
	// The row of seven is cut between rank 6 and rank 0, which are both on h1.
	if h.Remote != 12 || h.Local != 2 || h.Self != 14 || h.Hosts[0].Ranks != 3 || h.Hosts[2].Ranks != 2 ||
		h.Ranks[5].Host != "h3" ||
		h.Ranks[6].Remote != 1 {
		t.Errorf("%+v", h)
	}
	d, err := traffic.DecodeHistogram(r.Histogram)
	if err != nil || d.Count() < (h.Exchanges-10)*7 || r.P50 <= 0 {
		t.Errorf("%v %v of %d exchanges", err, d, h.Exchanges)
	}
	if len(samples) == 0 || len(r.CPU) == 0 || r.Goodput != 0 {
		t.Errorf("%d samples, %d rows of CPUs, goodput %v", len(samples), len(r.CPU), r.Goodput)
	}
	x := &record.Experiment{Method: method.Halo, Repeats: []record.Repeat{r}}
	if err := (&exchange{c: &experiment.Combination{Record: x}}).Summarize(); err != nil || x.Seconds == nil ||
		x.Seconds.Median != h.Seconds ||
		x.Halo != h ||
		x.Goodput != nil {
		t.Errorf("%v %+v", err, x.Seconds)
	}
}

func exchangeOf(c *experiment.Combination) *exchange { return c.Measurement.(*exchange) }

func TestMain(m *testing.M) { runtest.AgentMain(m) }

package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"linerate/internal/facts"
	"linerate/internal/run/experiment"
	"linerate/internal/run/runtest"
)

// Between combinations of one experiment only counters are read. Settings count as unchanged for a minute, unless the
// host was rebooted.
func TestSnapshots(t *testing.T) {
	boot, n := "b1", 0
	var levels []facts.Level
	ask := func(_ context.Context, level facts.Level) ([]byte, error) {
		n++
		levels = append(levels, level)
		text := fmt.Sprintf(
			"schema linerate/snapshot/1\nhost h\nwhen 2026-01-02T03:04:%02dZ\nos linux\nlevel %s\nboot %s\n-- proc/stat "+
				"--\ncpu %d\n",
			n,
			level,
			boot,
			n,
		)
		if level == facts.Full {
			text += "-- proc/modules --\nm 1 0 - Live 0x0\n"
		}
		return []byte(text), nil
	}
	s := &snapshots{}
	get := func(level facts.Level) string {
		t.Helper()
		text, err := s.read(t.Context(), "h", level, ask)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	later := func(d time.Duration) {
		s.last["h"].at, s.last["h"].fullAt = s.last["h"].at.Add(-d), s.last["h"].fullAt.Add(-d)
	}

	get(facts.Statistics) // there are no facts yet
	first := get(facts.Statistics)
	if !strings.Contains(first, "cpu 1\n") || strings.Contains(first, "settings") {
		t.Errorf("what was said a moment ago is asked again: %s", first)
	}
	later(2 * maxNowAge)
	text := get(facts.Statistics)
	for _, want := range []string{"cpu 2\n", "-- proc/modules --", "level full", "settings 2026-01-02T03:04:01Z",
		"when 2026-01-02T03:04:02Z"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	get(facts.Counters)
	later(2 * maxNowAge)
	boot = "b2"
	if text := get(facts.Statistics); strings.Contains(text, "settings") || !strings.Contains(text, "boot b2") {
		t.Errorf("what was set before a restart is reported after it: %s", text)
	}
	later(2 * maxFullAge)
	get(facts.Statistics)
	get(facts.Full)
	if got := fmt.Sprint(levels); got != "[full statistics counters statistics full full full]" {
		t.Error(got)
	}
	// However short a repeat was: facts from before it are not those after it.
	get(facts.Statistics)
	s.measuring()
	before := n
	if text := get(facts.Statistics); n != before+1 || !strings.Contains(text, fmt.Sprintf("cpu %d\n", n)) {
		t.Errorf("what was said before a repeat counts as said after it: %s", text)
	}
	if get(facts.Statistics); n != before+1 {
		t.Error("between two combinations a host is asked twice")
	}
	failed := errors.New("gone")
	later(2 * maxNowAge)
	if _, err := s.read(t.Context(), "h", facts.Statistics,
		func(context.Context, facts.Level) ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}

// Combinations of one experiment follow each other without full facts in between, also where the next one has more
// hosts. With an MTU that is set, or another experiment, everything is read.
func TestSweeps(t *testing.T) {
	combinations, err := Combinations(runtest.Plan(t, `
fabric: sweep
hosts:
  "n[1-3]": {nics: {c: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
switches: {sw: {part: {kind: switch, speed: 10G, ports: 4, cage: sfp+}}}
links: [{ends: ["n[1-3].c.1", "sw.[1-3]"], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 1m}}}]
experiments:
  x: {method: halo, on: "n[1-3]", processes: [2, 3]}
  y: {method: halo, on: "n[1-3]", processes: 3}
  z: {method: throughput, from: n1, to: [n2, n3], mtu: 1500}
`), experiment.Options{})
	if err != nil || len(combinations) != 5 {
		t.Fatalf("%d combinations, %v", len(combinations), err)
	}
	s := &session{}
	of := func(i int) turn { return turn{{s, combinations[i]}} }
	if len(combinations[0].Hosts()) != 2 || len(combinations[1].Hosts()) != 3 {
		t.Fatalf("%v, %v", combinations[0].Hosts(), combinations[1].Hosts())
	}
	for pair, want := range map[[2]int]bool{{0, 1}: true, {1, 2}: false, {3, 4}: false, {3, 3}: true} {
		if got := of(pair[0]).sweeps(of(pair[1])); got != want {
			t.Errorf("%v: %v", pair, got)
		}
	}
}

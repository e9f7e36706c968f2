package main

import (
	"os"
	"strings"
	"testing"

	"linerate/internal/testenv"
)

const nobody = `fabric: two
hosts:
  a: {os: linux, REACH nics: {x: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
  b: {os: linux, nics: {x: {part: {kind: nic, speed: 10G, ports: 1, cage: sfp+}}}}
links:
  - {ends: [a.x, b.x], cable: {part: {kind: cable, media: dac, ends: [sfp+, sfp+], length: 3m}}}
experiments:
  raw: {method: stream, from: a, to: b, streams: [1, 8], time: 200ms, repeats: 1}
`

// Where no host can be got at, a run ends at once and leaves nothing; where one can, the others are told once.
func TestRunUnreached(t *testing.T) {
	testenv.Need(t, testenv.Live)
	t.Parallel()
	p := newPlace(t)
	file, dir := p.path("two.yaml"), p.path("r")
	run := func(reach string) answer {
		if err := os.WriteFile(file, []byte(strings.Replace(nobody, "REACH", reach, 1)), 0o644); err != nil {
			t.Fatal(err)
		}
		return p.linerate(t, "run", file, "-o", dir)
	}
	for reach, says := range map[string][]string{
		"": {"no host can be reached, so nothing can be measured", "a, b have no reach in " + file, "reach: ssh USER@a", "linerate run " + file + " --lab"},
		"reach: netns no-such-namespace-of-linerate,": {"no host could be used, so nothing can be measured", "no-such-namespace-of-linerate", "b: it has no reach"},
	} {
		a := run(reach)
		for _, s := range says {
			if !strings.Contains(a.err, s) {
				t.Errorf("%q: no %q in %s", reach, s, a)
			}
		}
		if a.code != exitIncomplete || fileThere(dir) || strings.Contains(a.err, "failed") || strings.Contains(a.out, "report") {
			t.Errorf("%q: want exit code %d and no run folder: %s", reach, exitIncomplete, a)
		}
	}
	a := run("reach: local,")
	if a.code != exitIncomplete || strings.Count(a.err, "experiments to be measured are left out: b could not be used") != 1 || strings.Contains(a.err, "[1/") {
		t.Errorf("one of two: %s", a)
	}
	if strings.Contains(a.out, "--resume") {
		t.Errorf("nothing was measured, and --resume is advised: %s", a)
	}
	for _, part := range []string{"Nothing could be measured", "failed  "} {
		if !strings.Contains(a.out, part) {
			t.Errorf("no %q: %s", part, a)
		}
	}
}

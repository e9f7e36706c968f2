package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
	"linerate/internal/testenv"
)

const narrowEdges = `
fabric: edge
hosts:
  a: {os: linux, nics: {x: {part: &nic {kind: nic, speed: 40G, cage: qsfp+, bus: pcie2x4}}}}
  b: {os: linux, nics: {x: {part: *nic}}}
links: [{ends: [a.x, b.x], cable: {part: {kind: cable, media: dac, ends: [qsfp+, qsfp+], length: 3m}}}]
`

// The README that config writes and ceiling print one ceiling for one path.
func TestOneCeiling(t *testing.T) {
	row := regexp.MustCompile(`(?m)^ +(\S+) +(\S+) +ping .* -P 8 +([0-9.]+ [MG]b/s) `)
	ceiling := regexp.MustCompile(`(?m)^(\S+) -> (\S+): at most ([0-9.]+ [MG]b/s) `)
	compared := map[string]int{}
	edge := filepath.Join(t.TempDir(), "edge.yaml") // its NICs carry less than the link, and no slot is in the file
	testenv.WriteFile(t, edge, []byte(narrowEdges), 0o644)
	for name, file := range map[string]string{"mesh-10g": example("mesh-10g"), "nas-40g": example("nas-40g"),
		"roce-100g": example("roce-100g"), "exam": example("exam"), "edge": edge} {
		folder := filepath.Join(t.TempDir(), name)
		a := call(t, nil, "config", file, "-o", folder)
		if a.code != cli.ExitDone && a.code != cli.ExitIncomplete {
			t.Fatalf("%s: %s", name, a)
		}
		b := call(t, nil, "ceiling", file).ends(t, cli.ExitDone)
		of := map[string][]string{}
		for _, m := range ceiling.FindAllStringSubmatch(b.out, -1) {
			of[m[1]+" "+m[2]] = append(of[m[1]+" "+m[2]], m[3])
		}
		text := string(testenv.Must(os.ReadFile(filepath.Join(folder, "README.md")))(t))
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			if list := of[m[1]+" "+m[2]]; list != nil {
				compared[name]++
				if !slices.Contains(list, m[3]) {
					t.Errorf("%s, %s to %s: the README has %s, ceiling has %s", name, m[1], m[2], m[3], strings.Join(list, ", "))
				}
			}
		}
	}
	if compared["mesh-10g"] < 3 || compared["edge"] == 0 {
		t.Errorf("few ceilings were compared: %v", compared)
	}
}

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

// The README that config writes and ceiling print one ceiling for one path.
func TestOneCeiling(t *testing.T) {
	row := regexp.MustCompile(`(?m)^ +(\S+) +(\S+) +ping .* -P 8 +([0-9.]+ [MG]b/s) `)
	ceiling := regexp.MustCompile(`(?m)^(\S+) -> (\S+): at most ([0-9.]+ [MG]b/s) `)
	compared := 0
	for _, name := range []string{"mesh-10g", "nas-40g", "roce-100g", "exam"} {
		folder := filepath.Join(t.TempDir(), name)
		a := call(t, nil, "config", example(name), "-o", folder)
		if a.code != cli.ExitDone && a.code != cli.ExitIncomplete {
			t.Fatalf("%s: %s", name, a)
		}
		b := call(t, nil, "ceiling", example(name)).ends(t, cli.ExitDone)
		of := map[string][]string{}
		for _, m := range ceiling.FindAllStringSubmatch(b.out, -1) {
			of[m[1]+" "+m[2]] = append(of[m[1]+" "+m[2]], m[3])
		}
		text := string(testenv.Must(os.ReadFile(filepath.Join(folder, "README.md")))(t))
		for _, m := range row.FindAllStringSubmatch(text, -1) {
			if list := of[m[1]+" "+m[2]]; list != nil {
				compared++
				if !slices.Contains(list, m[3]) {
					t.Errorf("%s, %s to %s: the README has %s, ceiling has %s", name, m[1], m[2], m[3], strings.Join(list, ", "))
				}
			}
		}
	}
	if compared < 5 {
		t.Errorf("only %d ceilings were compared", compared)
	}
}

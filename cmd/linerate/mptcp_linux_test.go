package main

import (
	"os"
	"regexp"
	"testing"

	"linerate/internal/cli"
)

// A connection over MPTCP uses both links of a lab, which configures the endpoints, and the record names the links with
// what each transferred.
func TestMultipathInLab(t *testing.T) {
	t.Parallel()
	needLab(t)
	if on, err := os.ReadFile("/proc/sys/net/mptcp/enabled"); err != nil || string(on) != "1\n" {
		t.Skipf("this kernel does not have MPTCP, or has it off: %q, %v", on, err)
	}
	p := newPlace(t)
	fabric := copyFile(t, "testdata/two-links.yaml", p.path("two-links.yaml"))
	a := p.linerate(t, "run", fabric, "--lab", "--scale", "0.01", "--json").ends(t, cli.ExitDone)
	x := a.run(t).Experiments[0]
	paths := x.Repeats[0].InEffect["multipath"]
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`link (\w+) \([^)]*\): [1-9]`).FindAllStringSubmatch(paths, -1) {
		used[m[1]] = true
	}
	if x.Goodput == nil || len(used) != 2 {
		t.Errorf("goodput %v; paths %q, want two links with what each carried", x.Goodput, paths)
	}
}

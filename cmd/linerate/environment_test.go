package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/cli/manual"
)

// A variable is a flag that was not typed; a flag wins; what cannot be read is said by the variable's name, all of it together.
func TestEnvironmentOfFlags(t *testing.T) {
	typed := call(t, nil, "ceiling", "--rate", "40G", "--mtu", "9000")
	for _, vars := range [][]string{
		{"LINERATE_CEILING_RATE=40G", "LINERATE_CEILING_MTU=9000"},
		{"LINERATE_CEILING_RATE=40G", "LINERATE_CEILING_MTU=9000", "LINERATE_MEASURE_RATE=1G", "LINERATE_CEILING_VLAN="}, // another command's, and an empty one
	} {
		if a := call(t, vars, "ceiling"); a != typed || a.code != exitDone {
			t.Errorf("%v: %s\nwith flags: %s", vars, a, typed)
		}
	}
	if a := call(t, []string{"LINERATE_CEILING_RATE=10G", "LINERATE_CEILING_MTU=1500"}, "ceiling", "--rate", "40G", "--mtu", "9000"); a != typed {
		t.Errorf("flags do not win: %s", a)
	}
	if a := call(t, []string{"LINERATE_VERSION_JSON=true"}, "version"); !strings.HasPrefix(a.out, "{") {
		t.Errorf("a flag without a value: %s", a)
	}
	a := call(t, []string{"LINERATE_CEILING_MTU=big", "LINERATE_CEILING_VLAN=perhaps", "LINERATE_CEILING_RATE=40G"}, "ceiling")
	for _, want := range []string{"2 mistakes", "LINERATE_CEILING_MTU=big: write a whole number", "LINERATE_CEILING_VLAN=perhaps: write true or false"} {
		if a.code != exitInput || a.out != "" || !strings.Contains(a.err, want) {
			t.Errorf("want %q: %s", want, a)
		}
	}
	a = call(t, []string{"LINERATE_CEILING_RATE=10g"}, "ceiling")
	if a.code != exitInput || !strings.Contains(a.err, "--rate is of the environment: LINERATE_CEILING_RATE=10g") {
		t.Errorf("a value that only the command can judge: %s", a)
	}
	if a := call(t, nil, "ceiling", "--rate", "10g"); a.code != exitInput || strings.Contains(a.err, "environment") {
		t.Errorf("a value that was typed: %s", a)
	}
}

// What permits something is typed, and no two flags have one variable.
func TestEnvironmentVariables(t *testing.T) {
	e := &env{}
	seen := map[string]string{"LINERATE_FABRIC": "the file", "LINERATE_SOURCES": "the lab's"}
	for _, c := range manual.Commands(e.root()) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name, of := variable(c, f), c.CommandPath()+" --"+f.Name
			permits := strings.HasPrefix(f.Name, "allow") || f.Name == "destroy"
			switch {
			case permits && name != "":
				t.Errorf("%s can be given by %s", of, name)
			case name == "" && !permits && f.Name != "help" && !f.Hidden:
				t.Errorf("%s has no variable", of)
			case name != "" && seen[name] != "":
				t.Errorf("%s stands for %s and %s", name, seen[name], of)
			case strings.HasPrefix(name, "LINERATE_SECRET_"):
				t.Errorf("%s of %s is the name of a secret", name, of)
			}
			if name != "" {
				seen[name] = of
			}
		})
	}
	if seen["LINERATE_RUN_OUTPUT"] != "linerate run --output" || seen["LINERATE_LAB_UP_SHARE"] == "" || seen["LINERATE_MEASURE_BLOCK_SPAN"] == "" || len(seen) < 150 {
		t.Errorf("%d variables: %v", len(seen), seen)
	}
	hidden := &cobra.Command{Use: "x", Hidden: true}
	hidden.Flags().String("y", "", "")
	if variable(hidden, hidden.Flags().Lookup("y")) != "" {
		t.Error("a hidden command's flag has a variable")
	}
}

// Whom this program starts for itself has no flags of the environment, and all else of it.
func TestWithoutFlags(t *testing.T) {
	rest := []string{"PATH=/bin", "LINERATE_SECRET_NAS=x", "LINERATE_SOURCES=/s", "LINERATE_TEST=live"}
	got := withoutFlags(append([]string{"LINERATE_RUN_REPEATS=1", "LINERATE_EXPLAIN_JSON=true", "LINERATE_LAB_EXAM_SEED=4"}, rest...), (&env{}).root())
	if !slices.Equal(got, rest) {
		t.Errorf("%v", got)
	}
}

package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"linerate/internal/cli"
	"linerate/internal/cli/manual"
	"linerate/internal/testenv"
)

// A variable replaces a missing flag; a flag takes precedence; invalid values are reported by the variable's name, all
// together.
func TestEnvironmentOfFlags(t *testing.T) {
	typed := call(t, nil, "ceiling", "--link", "40G", "--mtu", "9000")
	for _, vars := range [][]string{
		{"LINERATE_CEILING_LINK=40G", "LINERATE_CEILING_MTU=9000"},
		// one of another command, and an empty one
		{"LINERATE_CEILING_LINK=40G", "LINERATE_CEILING_MTU=9000", "LINERATE_MEASURE_RATE=1G", "LINERATE_CEILING_VLAN="},
	} {
		if a := call(t, vars, "ceiling"); a != typed || a.code != cli.ExitDone {
			t.Errorf("%v: %s\nwith flags: %s", vars, a, typed)
		}
	}
	if a := call(t, []string{"LINERATE_CEILING_LINK=10G", "LINERATE_CEILING_MTU=1500"}, "ceiling", "--link", "40G",
		"--mtu", "9000"); a != typed {
		t.Errorf("flags do not win: %s", a)
	}
	if a := call(t, []string{"LINERATE_VERSION_JSON=true"}, "version"); !strings.HasPrefix(a.out, "{") {
		t.Errorf("a flag without a value: %s", a)
	}
	a := call(t, []string{"LINERATE_CEILING_MTU=big", "LINERATE_CEILING_VLAN=perhaps", "LINERATE_CEILING_LINK=40G"},
		"ceiling")
	for _, want := range []string{"LINERATE_CEILING_MTU=big is not valid\nhelp: write a whole number",
		"LINERATE_CEILING_VLAN=perhaps is not valid\nhelp: write true or false"} {
		if a.code != cli.ExitInput || a.out != "" || !strings.Contains(a.err, want) {
			t.Errorf("want %q: %s", want, a)
		}
	}
	a = call(t, []string{"LINERATE_CEILING_LINK=10g"}, "ceiling")
	if a.code != cli.ExitInput || !strings.Contains(a.err, "--link is of the environment: LINERATE_CEILING_LINK=10g") {
		t.Errorf("a value that only the command can judge: %s", a)
	}
	if a := call(t, nil, "ceiling", "--link", "10g"); a.code != cli.ExitInput || strings.Contains(a.err, "environment") {
		t.Errorf("a value that was typed: %s", a)
	}
}

// Flags that give permissions have no variable, and no two flags share one.
func TestEnvironmentVariables(t *testing.T) {
	e := &cli.Env{}
	seen := map[string]string{"LINERATE_FABRIC": "the file", "LINERATE_SOURCES": "the lab's"}
	for _, c := range manual.Commands(commandTree(e)) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			name, of := cli.Variable(c, f), c.CommandPath()+" --"+f.Name
			permits := strings.HasPrefix(f.Name, "allow") || f.Name == "destroy"
			switch {
			case permits && name != "":
				t.Errorf("%s can be given by %s", of, name)
			case name == "" && !permits && f.Name != "help" && f.Name != "version" && !f.Hidden:
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
	if seen["LINERATE_RUN_OUTPUT"] != "linerate run --output" || seen["LINERATE_LAB_UP_SHARE"] == "" ||
		seen["LINERATE_MEASURE_STORAGE_SPAN"] == "" || len(seen) < 150 {
		t.Errorf("%d variables: %v", len(seen), seen)
	}
	hidden := &cobra.Command{Use: "x", Hidden: true}
	hidden.Flags().String("y", "", "")
	if cli.Variable(hidden, hidden.Flags().Lookup("y")) != "" {
		t.Error("a hidden command's flag has a variable")
	}
}

// Processes that linerate starts do not inherit the variables of flags, but all others.
func TestWithoutFlags(t *testing.T) {
	rest := []string{"PATH=/bin", "LINERATE_SECRET_NAS=x", "LINERATE_SOURCES=/s", "LINERATE_TEST=live"}
	got := cli.WithoutFlags(append([]string{"LINERATE_RUN_REPEATS=1", "LINERATE_EXPLAIN_JSON=true",
		"LINERATE_LAB_EXAM_SEED=4"}, rest...), commandTree((&cli.Env{})))
	if !slices.Equal(got, rest) {
		t.Errorf("%v", got)
	}
}

// The usual flag --version prints the same as the command.
func TestVersionFlag(t *testing.T) {
	flag, verb := call(t, nil, "-V"), call(t, nil, "version")
	if flag.code != cli.ExitDone || flag.err != "" || flag.out == "" || flag.out != verb.out {
		t.Errorf("%s\n%s", flag, verb)
	}
}

// found is the command that words name.
func found(root *cobra.Command, words string) (*cobra.Command, error) {
	c, _, err := root.Find(strings.Fields(words))
	return c, err
}

// The helps of all commands fit terminals of these widths, lose no word, and keep lines to copy unwrapped.
func TestHelpFits(t *testing.T) {
	verbs := append(commandVerbs(&cli.Env{}), "", "measure throughput", "measure latency", "measure rdma",
		"measure acceptance")
	root := commandTree(&cli.Env{})
	for _, verb := range verbs {
		helpFits(t, call(t, nil, append(strings.Fields(verb), "--help")...).out)
		c := testenv.Must(found(root, verb))(t)
		whole := cli.HelpOf(c, groups, 100, true)
		for _, width := range []int{40, 80, 100, 120} {
			got := cli.HelpOf(c, groups, width, true)
			if have, want := strings.Fields(got), strings.Fields(whole); !slices.Equal(have, want) {
				t.Fatalf("%s at %d columns: words are lost:\n%s", verb, width, got)
			}
			for _, line := range strings.Split(got, "\n") {
				copied := strings.HasPrefix(line, "  linerate ") || strings.HasPrefix(line, "Usage: ")
				if len([]rune(line)) > max(width, cli.HelpNarrowest) && !copied && width >= 80 {
					t.Errorf("%s at %d columns: %d: %s", verb, width, len([]rune(line)), line)
				}
			}
		}
	}
}

func TestFitted(t *testing.T) {
	text := "A command.\n\nExamples:\n  linerate x --with a line that is much longer than the terminal has columns, to " +
		"copy\n\nUsage: linerate x A-LONG-WORD ANOTHER-LONG-WORD YET-ANOTHER-LONG-WORD\n\n" +
		"The first line of a paragraph that was written for a wide screen,\nand its second line.\nProfiles:\n  cdm    the " +
		"rows of a program that people know, and what it hides next to them\n" +
		"  quick  two\n\nFlags:\n  -o, --output string   keep the run folder here, new or empty, and nothing else\n"
	want := `A command.

Examples:
  linerate x --with a line that is much longer than the terminal has columns, to copy

Usage: linerate x A-LONG-WORD ANOTHER-LONG-WORD YET-ANOTHER-LONG-WORD

The first line of a paragraph that was written for a wide
screen, and its second line.
Profiles:
  cdm    the rows of a program that people know, and what it
         hides next to them
  quick  two

Flags:
  -o, --output string   keep the run folder here, new or
                        empty, and nothing else
`
	if got := cli.Fitted(text, 60); got != want {
		t.Errorf("%s", got)
	}
}

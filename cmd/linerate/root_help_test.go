package main

import (
	"slices"
	"strings"
	"testing"

	"linerate/internal/cli"
)

// Every command is in one group of the program's help, in the order of the groups, or is not for its users.
func TestGroupsOfTheHelp(t *testing.T) {
	apart := []string{"agent", "completion", "docs", "help", "schema", "version"}
	help := call(t, nil, "--help-all").ends(t, cli.ExitDone).out
	at := 0
	var grouped []string
	for _, g := range groups {
		for _, text := range append([]string{g.Title + ":"}, g.Commands...) {
			line := "\n  " + text + " "
			if strings.HasSuffix(text, ":") {
				line = "\n" + text
			}
			next := strings.Index(help[at:], line)
			if next < 0 {
				t.Fatalf("%q is not below what comes before it in:\n%s", text, help)
			}
			at += next
		}
		grouped = append(grouped, g.Commands...)
	}
	for _, c := range commandTree(&cli.Env{}).Commands() {
		if want := !c.Hidden && !slices.Contains(apart, c.Name()); want != slices.Contains(grouped, c.Name()) {
			t.Errorf("%s: in a group of the help is %v, want %v", c.Name(), !want, want)
		}
	}
	if last := strings.Index(help, "\nExit codes:\n"); last < at {
		t.Error("the exit codes are not at the end of the help")
	}
}

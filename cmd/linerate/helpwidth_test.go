package main

import (
	"slices"
	"strings"
	"testing"
)

// The helps of all commands fit terminals of these widths, lose no word, and leave what is to be copied in one line.
func TestHelpFits(t *testing.T) {
	verbs := append(commandVerbs(&env{}), "", "measure stream", "measure ping", "measure verbs", "measure acceptance")
	for _, verb := range verbs {
		a := call(t, nil, append(strings.Fields(verb), "--help")...)
		if got := fitted(a.out, 0); got != a.out {
			t.Errorf("%s: changed where it is no terminal", verb)
		}
		for _, width := range []int{40, 80, 100, 120} {
			got := fitted(a.out, width)
			if have, want := strings.Fields(got), strings.Fields(a.out); !slices.Equal(have, want) {
				t.Fatalf("%s at %d columns: words are lost:\n%s", verb, width, got)
			}
			for _, line := range strings.Split(got, "\n") {
				copied := strings.HasPrefix(line, "  linerate ") || strings.HasPrefix(line, "Usage: ")
				if len([]rune(line)) > max(width, helpNarrowest) && !copied && width >= 80 {
					t.Errorf("%s at %d columns: %d: %s", verb, width, len([]rune(line)), line)
				}
			}
		}
	}
}

func TestFitted(t *testing.T) {
	text := "A command.\n\nExamples:\n  linerate x --with a line that is much longer than the terminal has columns, to copy\n\nUsage: linerate x A-LONG-WORD ANOTHER-LONG-WORD YET-ANOTHER-LONG-WORD\n\n" +
		"The first line of a paragraph that was written for a wide screen,\nand its second line.\nProfiles:\n  cdm    the rows of a program that people know, and what it hides beside them\n" +
		"  quick  two\n\nFlags:\n  -o, --output string   keep the run folder here, new or empty, and nothing else\n"
	want := `A command.

Examples:
  linerate x --with a line that is much longer than the terminal has columns, to copy

Usage: linerate x A-LONG-WORD ANOTHER-LONG-WORD YET-ANOTHER-LONG-WORD

The first line of a paragraph that was written for a wide
screen, and its second line.
Profiles:
  cdm    the rows of a program that people know, and what it
         hides beside them
  quick  two

Flags:
  -o, --output string   keep the run folder here, new or
                        empty, and nothing else
`
	if got := fitted(text, 60); got != want {
		t.Errorf("%s", got)
	}
}

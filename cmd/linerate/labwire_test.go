package main

import (
	"strings"
	"testing"
)

// The mistakes of a command line of the link come together, each once, also where both directions have it.
func TestWireMistakes(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"e0", []string{"words are missing"}},
		{"e0 e0", []string{"between two interfaces"}},
		{"e0 e1 --delay 5 --loss 3 --rate 10g --seed x", []string{`--delay: "5" is not a duration`, `--loss: "3" is not a percentage`, "--rate: ", "--seed x"}},
		{"e0 e1 --loss 200% --ce-above 10KiB --queue-packets -1", []string{"--loss 200%: from 0% to 100%", "--ce-above 10 KiB: ", "--queue 0 B, -1 packets"}},
		{"e0 e1 --loss 1%,2%,3%", []string{"--loss 1%,2%,3%: at most two values"}},
		{"e0 e1 --loss 1%,2% --from e0", []string{"one value, for the direction of --from"}},
		{"e0 e1 --from e2 --both", []string{"--from e2: it is none of the two", "--from contradicts --both"}},
		{"e0 e1 --all=perhaps --frob", []string{"unknown flag: --frob", `--all: "perhaps" is not true or false`}},
	} {
		a := call(t, nil, append([]string{"lab-wire"}, strings.Fields(c.args)...)...)
		if a.code != exitInput || a.out != "" {
			t.Errorf("%s: want exit code 2 and nothing on standard output: %s", c.args, a)
		}
		for _, want := range c.want {
			if strings.Count(a.err, want) != 1 {
				t.Errorf("%s: not once %q: %s", c.args, want, a)
			}
		}
	}
}

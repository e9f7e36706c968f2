// Command page writes docs/tested.md from what ./test.sh all --write left in a folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"linerate/internal/tested"
)

func main() {
	in := flag.String("in", "", "folder with the events, counts and scores of the tests")
	out := flag.String("out", "docs/tested.md", "file to write")
	commit := flag.String("commit", "", "commit that was tested")
	machine := flag.String("machine", "", "machine on which the tests ran, in words")
	flag.Parse()
	p, err := tested.Read(*in, time.Now(), *commit, *machine)
	if err == nil {
		text := p.Render()
		if err = tested.Check(text); err == nil {
			err = os.WriteFile(*out, []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

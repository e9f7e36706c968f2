// Command linerate gets a fast storage network to line rate: it plans the network, measures it, and names its
// bottleneck. Each command has a file, which parses, calls a package and prints.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"linerate/internal/cli"
	"linerate/internal/record/runfolder"
)

// sameSignal is the time after a signal in which a second one counts as the same.
const sameSignal = 300 * time.Millisecond

func main() {
	runHidden() // the lab's own processes start as linerate too, before any flag is parsed

	if len(os.Args) < 2 || os.Args[1] != cobra.ShellCompRequestCmd && os.Args[1] != cobra.ShellCompNoDescRequestCmd {
		runfolder.SweepTemporary() // of processes that were killed
	}
	e := &cli.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
	// The first signal ends the work and saves it; a second one ends the program at once, because stop restores the
	// default. Signals in quick succession count once: timeout(1) and terminals signal a program and its process group.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { <-ctx.Done(); time.Sleep(sameSignal); stop() }()
	os.Exit(e.Execute(ctx, commandTree(e), os.Args[1:]))
}

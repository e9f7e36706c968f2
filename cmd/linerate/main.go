// Command linerate gets a fast storage network to line rate: it plans the
// network, measures it, and says which part holds it back. One file a verb:
// parse, call a folder, print.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// sameWish is how long after a signal another one is taken for the same.
const sameWish = 300 * time.Millisecond

func main() {
	runHidden() // the lab's own processes start as linerate too, before any flag is read

	e := &env{in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv}
	// The first signal ends what is under way and saves it; a second one ends the program at once,
	// because stop gives the signal back to the system. Not within moments of the first: timeout(1)
	// and terminals signal a program and its process group, which is one wish and not two.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { <-ctx.Done(); time.Sleep(sameWish); stop() }()
	os.Exit(e.main(ctx, os.Args[1:]))
}

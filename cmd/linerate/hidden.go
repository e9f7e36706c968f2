package main

import (
	"os"

	"linerate/lab"
	"linerate/loop"
)

// runHidden hands this process over if it was started as a part of a lab: as
// its init, or on the way to a command in one of its hosts; or as the owner of a loop's ports.
func runHidden() {
	if len(os.Args) > 1 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	if len(os.Args) > 1 && os.Args[1] == loop.OwnerCommand {
		os.Exit(loop.OwnerMain())
	}
	if len(os.Args) > 1 && os.Args[1] == lab.GuestCommand {
		os.Exit(lab.GuestMain())
	}
}

package main

import (
	"os"

	"linerate/lab"
)

// runHidden hands this process over if it was started as a part of a lab: as
// its init, or on the way to a command in one of its hosts.
func runHidden() {
	if len(os.Args) > 1 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	if len(os.Args) > 1 && os.Args[1] == lab.GuestCommand {
		os.Exit(lab.GuestMain())
	}
}

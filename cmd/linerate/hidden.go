package main

import (
	"os"
	"path/filepath"

	"linerate/internal/agent"
	"linerate/internal/host/loopback"
	"linerate/internal/lab"
)

// runHidden hands this process over if it was started as a part of a lab: as
// its init, or on the way to a command in one of its hosts; as the owner of a loop's ports; by mpirun, in place of ssh; or by an agent, to outlive it.
func runHidden() {
	switch filepath.Base(os.Args[0]) {
	case agent.LauncherName:
		os.Exit(agent.LauncherMain(os.Args, os.Stderr))
	case agent.KeeperName:
		os.Exit(agent.KeeperMain(os.Args, os.Stdin))
	}
	if len(os.Args) > 1 && os.Args[1] == lab.InitCommand {
		os.Exit(lab.InitMain())
	}
	if len(os.Args) > 1 && os.Args[1] == loopback.OwnerCommand {
		os.Exit(loopback.OwnerMain())
	}
	if len(os.Args) > 1 && os.Args[1] == lab.GuestCommand {
		os.Exit(lab.GuestMain())
	}
}

package main

import (
	"fmt"
	"io"
	"strings"

	"linerate/internal/facts"
)

// scriptFacts prints what somebody runs by hand on a machine that linerate cannot reach: of Windows the script that it asks such a
// host with, of a switch the commands, each of which stands before its answer in a kept file. Where linerate itself has to run,
// that is the error.
func (e *env) scriptFacts(system string) error {
	if system == "windows" {
		_, err := io.WriteString(e.out, facts.WindowsScript())
		return err
	}
	if commands := facts.SwitchCommands(system); commands != nil {
		_, err := fmt.Fprintln(e.out, strings.Join(commands, "\n"))
		return err
	}
	switch system {
	case "linux", "freebsd", "truenas", "proxmox":
		return fail(exitInput, fmt.Errorf("--script %s: there linerate reads files and calls by itself, and no script does; copy linerate to it, run linerate facts --local -o HOST.txtar there, and bring that file back", system))
	}
	return fail(exitInput, fmt.Errorf("--script %.40s: there is a script for windows, and there are commands for onyx, cumulus, sonic, eos and routeros", clean(system)))
}

package facts

import (
	"fmt"
	"strings"
	"time"
)

// Reading is something that Collect reads of a host: before it does, and whether it may. A source or a program that stands in no
// line of its system's table is not read, so that what is said beforehand (linerate facts --dry-run) is all that happens.
type Reading struct {
	// Source is its name in a capture; empty: it is no source of its own, but stands in a capture's head, or decides about
	// others. A * stands for what hangs on the host: an interface, an address, a device.
	Source string `json:"source"`
	How    How    `json:"how"`
	// What is the path that is read, the call that is made, or the program with its arguments.
	What string `json:"what"`
	// Light says that it is also read once a second while a measurement runs.
	Light bool `json:"light,omitempty"`
}

// How is the way in which something is read. None of them changes a setting.
type How string

// The ways of reading.
const (
	ReadFile   How = "file"    // one file, or the named ones of a folder
	AskKernel  How = "kernel"  // a request to the kernel that needs no program: netlink, ioctl, a call
	RunProgram How = "program" // a program that is on the host; without it the source is unknown
	SendProbes How = "probe"   // packets to the peers of the plan, by Probe and not by Collect: only where there is a plan
)

// Readings is what Collect reads of a host with that operating system ("linux", "freebsd", "windows", "darwin").
func Readings(os string) []Reading {
	switch os {
	case "linux":
		return linuxReadings()
	case "windows":
		return windowsReadings()
	case "freebsd":
		return freebsdReadings()
	}
	return []Reading{
		{Source: "ip -j -d -s -s link", How: AskKernel, What: "the interfaces with their state and MTU"},
		{Source: "ip -j address", How: AskKernel, What: "the addresses of the interfaces"},
	}
}

// programsTime is what all programs of one look at a host have together: a look is to take less than 5 s, and what the others
// say is not to be lost for one that hangs. programsUntil is the key of a context under which its end is.
const programsTime = 4 * time.Second

type programsUntil struct{}

// announced says whether a source stands in the table of a system.
func announced(os, source string) error {
	if os == "" { // a collector of a test
		return nil
	}
	for _, r := range Readings(os) {
		if _, ok := match(r.Source, source); ok {
			return nil
		}
	}
	return fmt.Errorf("it was not read: it stands in no line of what is read of a host with %s (internal/facts/reading.go), which is what users are told beforehand", os)
}

// announcedProgram says whether a program with these arguments stands in the table of a system.
func announcedProgram(os string, argv []string) error {
	line := strings.Join(argv, " ")
	for _, r := range Readings(os) {
		if r.How != RunProgram {
			continue
		}
		if _, ok := match(r.What, line); ok {
			return nil
		}
	}
	return fmt.Errorf("%s was not started: it stands in no line of what is read of a host with %s (internal/facts/reading.go), which is what users are told beforehand", line, os)
}

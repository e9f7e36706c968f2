package collect

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"linerate/internal/facts/parse"
)

// Reading is something that Collect may read from a host. Collect refuses a source or a program that is not in its
// system's table, so that linerate facts --dry-run prints everything that happens.
type Reading struct {
	// Source is its name in a snapshot. It is empty for a reading that is in a snapshot's header or decides about other
	// sources. A * stands for a part that depends on the host: an interface, an address, a device.
	Source string `json:"source"`
	How    How    `json:"how"`
	// What is the path, the kernel call, or the program with its arguments.
	What string `json:"what"`
	// Light reports whether it is also read once a second during a measurement.
	Light bool `json:"light,omitempty"`
}

// How is the way of a reading. None changes a setting.
type How string

// The ways of reading.
const (
	ReadFile   How = "file"    // one file, or the named ones of a folder
	AskKernel  How = "kernel"  // a request to the kernel that needs no program: netlink, ioctl, a call
	RunProgram How = "program" // a program that is on the host; without it the source is unknown
	SendProbes How = "probe"   // packets to the peers of the plan, sent by Probe only
)

// Readings returns what Collect reads from a host with this operating system ("linux", "freebsd", "windows", "darwin").
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

// programsTime bounds the time of all programs of one snapshot together: a snapshot takes less than 5 s, and a program
// that hangs does not cost the output of the others. programsUntil is the context key of its end.
const programsTime = 4 * time.Second

type programsUntil struct{}

// announced reports whether a source is in the table of a system.
func announced(os, source string) error {
	if os == "" { // a collector in a test
		return nil
	}
	for _, r := range Readings(os) {
		if _, ok := parse.Match(r.Source, source); ok {
			return nil
		}
	}
	return fmt.Errorf("it was not read: it is in no line of what is read of a host with %s "+
		"(internal/host/collect/reading.go), which is the list that users see beforehand", os)
}

// announcedProgram reports whether a program with these arguments is in the table of a system.
func announcedProgram(os string, argv []string) error {
	line := strings.Join(argv, " ")
	for _, r := range Readings(os) {
		if r.How != RunProgram {
			continue
		}
		if _, ok := parse.Match(r.What, line); ok {
			return nil
		}
	}
	return fmt.Errorf("%s was not started: it is in no line of what is read of a host with %s "+
		"(internal/host/collect/reading.go), which is the list that users see beforehand", line, os)
}

// windowsScript reads a host with Windows, with commands that only read. It is ASCII.
//
//go:embed windows.ps1
var windowsScript string

// windowsCommand runs the script from its standard input: no file is written, and the command line is constant.
var windowsCommand = []string{"powershell.exe", "-NoLogo", "-NoProfile", "-NonInteractive", "-Command",
	"& ([scriptblock]::Create([Console]::In.ReadToEnd()))"}

// WindowsScript returns the script that reads a host with Windows, to be run by hand. Parse reads its output.
func WindowsScript() string { return windowsScript }

// windowsReadings returns everything that is read from a host with Windows.
func windowsReadings() []Reading {
	return []Reading{
		{Source: "ip -j -d -s -s link", How: AskKernel, What: "the interfaces with their state and MTU", Light: true},
		{Source: "ip -j address", How: AskKernel, What: "the addresses of the interfaces", Light: true},
		{Source: "windows.ps1", How: RunProgram, What: strings.Join(windowsCommand, " ")},
	}
}

// commandMax bounds the kept output of a program, in bytes.
const commandMax = 4 << 20

// limited keeps what fits and drops the rest.
type limited struct {
	bytes.Buffer
	max  int
	full bool
}

func (l *limited) Write(b []byte) (int, error) {
	room := max(0, l.max-l.Len())
	l.full = l.full || len(b) > room
	l.Buffer.Write(b[:min(len(b), room)])
	return len(b), nil
}

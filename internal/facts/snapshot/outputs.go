package snapshot

import (
	"runtime/debug"
	"strings"
	"time"

	"linerate/internal/facts"
)

// ProgramVersion returns the version of the program, from Go's build information.
func ProgramVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// Output is the result of a command on a device.
type Output struct {
	Command string
	Text    []byte
	Why     string // why there is none; empty: Text is the output
}

// FromOutputs makes a snapshot of a device's outputs, each source named by its command. An empty output is unknown,
// never none.
func FromOutputs(host, os string, when time.Time, outputs []Output) []byte {
	head := Header{Host: host, OS: os, Level: facts.Full, When: when, Version: ProgramVersion()}
	a := Archive{}
	for _, o := range outputs {
		if o.Why == "" && strings.TrimSpace(string(o.Text)) == "" {
			o.Why = "it answered nothing"
		}
		if o.Why != "" {
			head.Unknown = append(head.Unknown, facts.Unknown{Subject: o.Command, Reason: o.Why})
			continue
		}
		a.Files = append(a.Files, File{o.Command, o.Text})
	}
	a.Comment = head.Text()
	return a.Bytes()
}

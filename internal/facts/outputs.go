package facts

import (
	"strings"
	"time"
)

// Output is what came of a command that was asked of a device.
type Output struct {
	Command string
	Text    []byte
	Why     string // why there is none; empty: Text is what it printed
}

// FromOutputs makes a capture of what a device printed, each source named by its command. An empty answer is unknown, never none.
func FromOutputs(host, os string, when time.Time, outputs []Output) []byte {
	head := header{host: host, os: os, level: Full, when: when, version: programVersion()}
	a := archive{}
	for _, o := range outputs {
		if o.Why == "" && strings.TrimSpace(string(o.Text)) == "" {
			o.Why = "it answered nothing"
		}
		if o.Why != "" {
			head.unknown = append(head.unknown, Unknown{o.Command, o.Why})
			continue
		}
		a.Files = append(a.Files, file{o.Command, o.Text})
	}
	a.Comment = head.text()
	return a.bytes()
}

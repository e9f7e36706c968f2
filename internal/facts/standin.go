package facts

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// SourcesVariable is the environment variable with the folder of a lab's host that says what hardware the host has, which a namespace
// cannot have. Only the lab sets it, for what runs in its hosts.
const SourcesVariable = "LINERATE_SOURCES"

// standIns are sources that are told by programs instead of by the kernel: file names below a folder are sources' names, escaped as parts of
// URLs. A file is a script of sh that gets what the kernel says on its standard input, if it says anything, and prints what is told. Those in
// the folder "counters" are told at every level, those in "full" at level full alone.
type standIns map[string]string

// findStandIns lists them for a level.
func findStandIns(dir string, level Level) standIns {
	out := standIns{}
	if dir == "" {
		return out
	}
	folders := []string{"counters"}
	if level == Full {
		folders = append(folders, "full")
	}
	for _, folder := range folders {
		entries, _ := os.ReadDir(filepath.Join(dir, folder))
		for _, e := range entries {
			if name, err := url.PathUnescape(e.Name()); err == nil {
				out[name] = filepath.Join(dir, folder, e.Name())
			}
		}
	}
	return out
}

// tell is what the stand-in of a source says.
func (s standIns) tell(c *collector, name string, real []byte) ([]byte, error) {
	cmd := exec.CommandContext(c.ctx, "sh", s[name])
	cmd.Stdin = bytes.NewReader(real)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the lab's stand-in for it: %w", err)
	}
	return out, nil
}

// standIn replaces what was collected by what the lab's hardware says, and adds what only that says.
func (c *collector) standIn(s standIns) {
	if len(s) == 0 {
		return
	}
	for i, f := range c.files {
		if _, ok := s[f.Name]; ok {
			if data, err := s.tell(c, f.Name, f.Data); err == nil {
				c.files[i].Data = data
			} else {
				c.unknown(f.Name, err)
			}
			delete(s, f.Name)
		}
	}
	var names []string
	for name := range s {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		c.head.unknown = slices.DeleteFunc(c.head.unknown, func(u Unknown) bool { return u.Subject == name })
		c.read(name, func() ([]byte, error) { return s.tell(c, name, nil) })
	}
}

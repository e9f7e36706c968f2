package collect

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"linerate/internal/facts"
)

// SourcesVariable is the environment variable with the folder of substitutes for hardware that a lab's namespace cannot
// have. The commands read it and pass it on; this package does not.
const SourcesVariable = "LINERATE_SOURCES"

// substitutes are sources whose text is printed by programs instead of the kernel. The names of files below a folder
// are those of sources, escaped as parts of URLs. A file is a shell script. It gets the kernel's text on standard
// input, if there is any, and prints its own. Scripts in the folder "counters" run at every level, those in "full" at
// level full.
type substitutes map[string]string

// findSubstitutes lists the substitutes for a level.
func findSubstitutes(dir string, level facts.Level) substitutes {
	out := substitutes{}
	if dir == "" {
		return out
	}
	folders := []string{"counters"}
	if level == facts.Full {
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

// text returns the output of the substitute of a source.
func (s substitutes) text(c *collector, name string, real []byte) ([]byte, error) {
	cmd := exec.CommandContext(c.ctx, "sh", s[name])
	cmd.Stdin = bytes.NewReader(real)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the lab's substitute for it: %w", err)
	}
	return out, nil
}

// substitute replaces collected sources by those of the lab's hardware, and adds those that only the hardware has.
func (c *collector) substitute(s substitutes) {
	if len(s) == 0 {
		return
	}
	for i, f := range c.files {
		if _, ok := s[f.Name]; ok {
			if data, err := s.text(c, f.Name, f.Data); err == nil {
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
		c.head.Unknown = slices.DeleteFunc(c.head.Unknown, func(u facts.Unknown) bool { return u.Subject == name })
		c.read(name, func() ([]byte, error) { return s.text(c, name, nil) })
	}
}

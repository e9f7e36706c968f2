package facts

import (
	"bytes"
	"errors"
	"os"
)

// machine adds which machine it is and its NUMA nodes. A guest, a container or a board without DMI may have neither.
func (c *collector) machine(root string) {
	c.read("grep -r . /sys/class/dmi/id", func() ([]byte, error) {
		var out []byte
		if _, err := os.Stat(root + "/class/dmi/id"); err != nil {
			return nil, err
		}
		for _, name := range boardFiles {
			if text, err := os.ReadFile(root + "/class/dmi/id/" + name); err == nil {
				out = append(out, grepLines("/sys/class/dmi/id/"+name, text)...)
			}
		}
		if out == nil {
			return nil, errors.New("its firmware names no machine")
		}
		return out, nil
	})
	// Boards that start by a device tree have their name there, with a NUL byte at its end.
	if text, err := os.ReadFile("/proc/device-tree/model"); err == nil {
		c.read("proc/device-tree/model", func() ([]byte, error) { return append(bytes.Trim(text, "\x00\n"), '\n'), nil })
	}
	c.file("sys/devices/system/node/online", root+"/devices/system/node/online", nil)
}

package config

import (
	"slices"
	"strings"
)

// Changed is a command that changes a setting, with its reason.
type Changed struct{ Command, Why string }

// Changes returns the name of the file that applies the plan, and the commands in it that change settings, in order.
// It is empty for a device that is set up in menus.
func (d *Device) Changes() (file string, list []Changed) {
	i := slices.IndexFunc(d.Files, func(f File) bool {
		return strings.HasPrefix(f.Name, "apply.") && !strings.HasSuffix(f.Name, ".md")
	})
	if i < 0 {
		return "", nil
	}
	for _, l := range d.Files[i].Lines {
		if l.Why == "" {
			continue
		}
		command := strings.TrimSpace(l.Text)
		if d.Change != nil {
			command = d.Change(command)
		}
		if command != "" {
			list = append(list, Changed{command, l.Why})
		}
	}
	return d.Files[i].Name, list
}

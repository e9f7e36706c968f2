package survey

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Drive is storage of a host.
type Drive struct {
	Name   string
	Path   string            // as its own host calls it; empty: not known
	Mounts map[string]string // as others do, by host
}

// Drive gives the host a drive that is called after a path of it, or of where it is mounted. Names of cards, bonds and drives of a host differ.
func (h *Host) Drive(at string) *Drive {
	name := Name(strings.ToLower(path.Base(strings.ReplaceAll(at, `\`, "/"))))
	if name == "card" { // there was nothing to make a name of
		name = "storage"
	}
	d := &Drive{Name: name, Mounts: map[string]string{}}
	for n := 2; h.uses(d.Name) || slices.ContainsFunc(h.Drives, func(o *Drive) bool { return o.Name == d.Name }); n++ {
		d.Name = fmt.Sprintf("%s-%d", name, n)
	}
	h.Drives = append(h.Drives, d)
	return d
}

// place is where a drive is, as the file writes it.
func (d *Drive) place() string {
	var out []string
	if d.Path != "" {
		out = append(out, "path: "+quoted(d.Path))
	}
	var mounts []string
	for _, host := range slices.Sorted(maps.Keys(d.Mounts)) {
		mounts = append(mounts, host+": "+quoted(d.Mounts[host]))
	}
	if mounts != nil {
		out = append(out, "mounts: {"+strings.Join(mounts, ", ")+"}")
	}
	return strings.Join(out, ", ")
}

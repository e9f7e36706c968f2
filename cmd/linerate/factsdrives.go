package main

import (
	"fmt"
	"strings"

	"linerate/internal/facts"
)

// drivesText names a machine's drives, the first six of them; empty: they are not known, or there are none.
func drivesText(f *facts.Facts) string {
	var out []string
	for i, d := range f.Storage.Drives {
		if i == 6 {
			out = append(out, fmt.Sprintf("%d more", len(f.Storage.Drives)-i))
			break
		}
		s := d.Name
		if d.Model != "" {
			s += " " + d.Model
		}
		if b, ok := d.Size.Get(); ok {
			s += ", " + b.String()
		}
		if d.Rotates.Or(false) && (d.Transport == "sata" || d.Transport == "sas" || d.Transport == "ata") { // drives of virtual machines say so by default
			s += ", rotating"
		}
		if d.Transport != "" {
			s += " (" + d.Transport + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

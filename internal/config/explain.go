package config

import (
	"fmt"
	"strings"

	"linerate/internal/config/device"
)

// Explain says line by line what a device's files do and where the form of each command is documented. Lines of mere
// form are left out.
func Explain(d *device.Device) []string {
	out := []string{fmt.Sprintf("%s: %s", d.Name, device.Plain(d.What))}
	for _, l := range d.Manual {
		out = append(out, "", "by hand: "+device.Plain(l.Text))
		out = append(out, because(l)...)
	}
	for i := range d.Files {
		f := &d.Files[i]
		said := false
		for _, l := range f.Lines {
			if l.Source == "" {
				continue
			}
			if !said {
				where := f.Name
				if f.Path != "" {
					where += " -> " + f.Path
				}
				out = append(out, "", where)
				said = true
			}
			out = append(out, "  "+device.Plain(strings.TrimSpace(l.Text)))
			out = append(out, because(l)...)
		}
	}
	for _, m := range d.Missing {
		out = append(out, "", "not in these files: "+device.Plain(m))
	}
	for _, u := range d.Unverified {
		out = append(out, "", "not verified: "+device.Plain(u))
	}
	return out
}

func because(l device.Line) []string {
	var out []string
	if l.Why != "" {
		out = append(out, "      why   "+device.Plain(l.Why))
	}
	if text, ok := document(l.Source); ok {
		out = append(out, "      form  "+text)
	}
	return out
}

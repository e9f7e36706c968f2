package render

import (
	"fmt"
	"strings"

	"linerate/internal/device/config"
)

// Explain describes line by line what a device's files do, with the document of each command, without lines that are
// only syntax.
func Explain(d *config.Device) []string {
	out := []string{fmt.Sprintf("%s: %s", d.Name, config.Plain(d.What))}
	for _, l := range d.Manual {
		out = append(out, "", "by hand: "+config.Plain(l.Text))
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
			out = append(out, "  "+config.Plain(strings.TrimSpace(l.Text)))
			out = append(out, because(l)...)
		}
	}
	for _, m := range d.Missing {
		out = append(out, "", "not in these files: "+config.Plain(m))
	}
	for _, u := range d.Unverified {
		out = append(out, "", "not verified: "+config.Plain(u))
	}
	return out
}

func because(l config.Line) []string {
	var out []string
	if l.Why != "" {
		out = append(out, "      why   "+config.Plain(l.Why))
	}
	if text, ok := document(l.Source); ok {
		out = append(out, "      form  "+text)
	}
	return out
}

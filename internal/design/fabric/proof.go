package fabric

import (
	"fmt"
	"slices"

	"linerate/internal/base/diag"
)

// proves checks that the classes to prove are lossless classes of the file.
func (d *decoder) proves(e *Experiment, f *fields) {
	var lossless []string
	for _, c := range d.f.Classes {
		if c.Lossless {
			lossless = append(lossless, c.Name)
		}
	}
	if !f.has("class") {
		fix := "write class: NAME, and the class below classes with lossless: true"
		if len(lossless) > 0 {
			fix = "write class: " + lossless[0]
		}
		f.bad(diag.KeyMissing, "class", "missing key class", "lossless tests whether one traffic class loses nothing", fix)
		return
	}
	for _, a := range e.Parameters {
		if a.Key != "class" {
			continue
		}
		for _, name := range a.Values {
			i := slices.IndexFunc(d.f.Classes, func(c Class) bool { return c.Name == name })
			switch {
			case i < 0:
				fix := "write a class of the file"
				if near := nearest(name, lossless); near != "" {
					fix = "did you mean " + near + "?"
				}
				f.bad(diag.ClassUnknown, "class", fmt.Sprintf("no class is called %s", quote(name)),
					"lossless classes of the file: "+orNone(lossless), fix)
			case !d.f.Classes[i].Lossless:
				f.bad(diag.ClassUnknown, "class", fmt.Sprintf("the class %s is not lossless", quote(name)),
					"other classes may lose packets",
					"write a lossless class ("+orNone(lossless)+"), or lossless: true below classes:")
			}
		}
	}
}

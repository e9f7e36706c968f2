package fabric

import (
	"fmt"
	"slices"
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
		f.bad("class", "the experiment has no class", "lossless shows whether one traffic class loses nothing", fix)
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
					fix = "write " + near
				}
				f.bad("class", fmt.Sprintf("there is no class %s", quote(name)),
					"the lossless classes of the file: "+orNone(lossless), fix)
			case !d.f.Classes[i].Lossless:
				f.bad("class", fmt.Sprintf("the class %s is not lossless", quote(name)), "of another class nothing is promised "+
					"that could be shown", "write a lossless class ("+orNone(lossless)+"), or lossless: true below classes")
			}
		}
	}
}
